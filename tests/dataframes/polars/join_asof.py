# trades.csv(trade id, ticker word, at int, size int)
# quotes.csv(ticker word, at int, bid float)
import polars as pl

trades = pl.read_csv("trades.csv").sort("at")
quotes = pl.read_csv("quotes.csv").sort("at")
out = trades.join_asof(quotes, on="at", by="ticker", strategy="backward")
out.with_columns(notional=pl.col("size") * pl.col("bid")).write_parquet("priced.parquet")
