# people.csv(id id, phone maybe, mobile maybe, home maybe_word, score maybe)
import polars as pl

people = pl.read_csv("people.csv")
out = people.select(
    "id",
    contact=pl.coalesce("phone", "mobile"),
    home=pl.col("home").fill_null("nowhere"),
    score=pl.col("score").fill_null(pl.col("phone")),
    known=pl.col("mobile").is_not_null(),
)
out.write_parquet("contacts.parquet")
people.drop_nulls("phone").select("id", "mobile").write_csv("with_phone.csv")
