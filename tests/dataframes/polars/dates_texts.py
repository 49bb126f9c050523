# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv", try_parse_dates=True)
out = orders.select(
    month=pl.col("placed").dt.month(),
    week=pl.col("placed").dt.truncate("1w").dt.strftime("%Y-%m-%d"),
    initial=pl.col("status").str.slice(0, 1).str.to_uppercase(),
    code=pl.concat_str(["status", "order_id"], separator="-"),
    has_e=pl.col("status").str.contains("e"),
)
out.write_parquet("texts.parquet")
