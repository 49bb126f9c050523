"""The names that dbt's templates can use, inside the process that renders them. The rest of lineal
imports only `relation`, which writes names of tables.
"""
