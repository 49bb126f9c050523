import polars as pl
posts = pl.read_parquet("posts.parquet", columns=["id", "tags", "meta"])
posts.explode("tags").select("id", pl.col("tags").str.to_lowercase().alias("tag")).unique().write_csv("tags.csv")
posts.select("id", pl.col("meta").struct.field("lang")).write_csv("langs.csv")
