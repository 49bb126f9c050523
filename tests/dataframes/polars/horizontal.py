# exams.csv(student id, math int, art int, sport maybe)
import polars as pl

exams = pl.read_csv("exams.csv")
out = exams.select(
    "student",
    best=pl.max_horizontal("math", "art"),
    total=pl.sum_horizontal(["math", "art", "sport"]),
    passed=pl.all_horizontal(pl.col("math") > 20, pl.col("art") > 20),
    folded=pl.fold(acc=pl.lit(0), function=lambda acc, x: acc + x, exprs=pl.col("math", "art")),
)
out.write_csv("results.csv")
