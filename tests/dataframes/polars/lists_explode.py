# posts.parquet(post id, tags words, votes ints, author word)
import polars as pl

posts = pl.read_parquet("posts.parquet")
posts.select("post", "tags").explode("tags").write_csv("tags.csv")
posts.select(
    "post",
    best=pl.col("votes").list.max(),
    doubled=pl.col("votes").list.eval(pl.element() * 2).list.sum(),
    first=pl.col("tags").list.first(),
    n=pl.col("tags").list.len(),
).write_csv("stats.csv")
