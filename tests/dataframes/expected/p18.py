import polars as pl

people = pl.read_csv("people.csv", columns=["name", "at", "amount", "team"]).sort("at")
parts = pl.col("name").str.split_exact(" ", 1).struct.rename_fields(["first", "last"])
people = people.with_columns(parts.alias("parts")).unnest("parts")
people.select(
    "first",
    change=pl.col("amount").diff().over("team"),
    running=pl.col("amount").cum_sum(),
    share=pl.col("amount").sum().over("team"),
).write_csv("running.csv")
