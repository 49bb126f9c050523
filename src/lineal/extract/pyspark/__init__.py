"""PySpark, read without running it: an abstract interpreter over the Python syntax tree.

    program.py       files of one corpus: imports, entry points, notebooks
    interpreter.py   statements and expressions of Python over abstract values (`values.py`)
    columns/         Column and pyspark.sql.functions, as SQL expressions
    frames/          DataFrame methods, as verbs of the algebra over a `Relation`
    session.py       spark.table, spark.read, spark.sql, temporary views
    sinks.py         everything that writes

A DataFrame is a `Relation` (a frame whose columns have an identity), a Column is a SQL expression
that means nothing until a relation is given. Nothing that is analyzed is ever imported or executed.
"""
