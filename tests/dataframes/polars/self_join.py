# staff.csv(id id, boss key, name text)
import polars as pl

staff = pl.read_csv("staff.csv")
pairs = staff.join(staff, left_on="boss", right_on="id", how="left", suffix="_boss")
pairs.select("id", "name", "name_boss").write_csv("pairs.csv")
