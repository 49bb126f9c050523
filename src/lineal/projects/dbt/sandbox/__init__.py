"""What dbt's templates know, inside the process that renders them; nothing here is imported by the
rest of lineal
but `relation`, which says how a table is written."""
