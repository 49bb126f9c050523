# north.csv(id id, amount float, extra word)
# south.csv(id id, amount float, extra word)
import polars as pl

parts = [pl.read_csv(f"{name}.csv").select("id", "amount") for name in ("north", "south")]
pl.concat(parts).write_csv("all.csv")
