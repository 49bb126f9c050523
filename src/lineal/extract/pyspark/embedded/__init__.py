"""SQL inside Python that is not Spark's: Airflow operators, cursors, pandas, SQLAlchemy, clients.

    SQLExecuteQueryOperator(task_id="load", sql="INSERT INTO mart.daily SELECT …")
    cursor.execute(f"DELETE FROM {TABLE} WHERE day = %s", [day])

The interpreter of programs finds the value of each text. A `Collector` keeps the statements with
their place, their dialect, the task that runs them and the table that they fill. They are analyzed
as scripts, next to the SQL files of the input.
"""
