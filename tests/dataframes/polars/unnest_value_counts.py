# votes.csv(voter id, choice word, weight int)
import polars as pl

votes = pl.read_csv("votes.csv")
votes.select(pl.struct("choice", "weight").alias("s"), "voter").unnest("s").write_csv("flat.csv")
votes["choice"].value_counts().sort("choice").write_csv("counts.csv")
