import polars as pl
u = pl.read_database_uri("SELECT id, email, created FROM app.users WHERE NOT deleted", "postgresql://u@h/db")
o = pl.read_csv("orders.csv", columns=["user_id", "total", "at"])
first = o.sort("at").group_by("user_id", maintain_order=True).first()
u.join(first, left_on="id", right_on="user_id").select(pl.col("id"), pl.col("email").hash().alias("h"), pl.col("total").alias("first_total")).write_parquet("first_orders.parquet")
