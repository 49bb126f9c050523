# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
# fresh.csv(id id, age int, income float, region word, visits int)
import polars as pl
from sklearn.linear_model import LinearRegression

df = pl.read_csv("customers.csv")
model = LinearRegression()
model.fit(df.select("age", "visits"), df["spend"])
fresh = pl.read_csv("fresh.csv")
predicted = model.predict(fresh.select("age", "visits"))
fresh.select("id").with_columns(pl.Series("spend", predicted)).write_csv("polars.csv")
