# people.parquet(id id, home place, age int)
import polars as pl

people = pl.read_parquet("people.parquet")
people.select(
    "id", pl.col("home").struct.field("city"), zip_code=pl.col("home").struct.field("zip")
).write_csv("homes.csv")
people.with_columns(pair=pl.struct("id", "age")).select(
    "id", years=pl.col("pair").struct.field("age")
).write_csv("years.csv")
