from datetime import datetime

from airflow import DAG
from airflow.operators.python import PythonOperator
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook

TILLS = ("north", "south")


def archive(table):
    hook = PostgresHook(postgres_conn_id="bakery")
    with hook.get_conn() as connection, connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO archive.{table} SELECT order_id, price FROM raw.{table}")


with DAG("bakery", schedule="@daily", start_date=datetime(2026, 1, 1)) as dag:
    for till in TILLS:
        SQLExecuteQueryOperator(
            task_id=f"load_{till}",
            conn_id="postgres_bakery",
            sql="sql/load_orders.sql",
            params={"till": till},
        )
    PythonOperator(task_id="archive", python_callable=archive, op_kwargs={"table": "orders"})
