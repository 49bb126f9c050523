"""Columns: expressions of PySpark, written as the SQL expressions that they are."""
