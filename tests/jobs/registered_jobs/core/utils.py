from pyspark.sql import SparkSession, DataFrame

__all__ = ["read_all", "write", "spark"]
spark = SparkSession.builder.getOrCreate()


def read_all(tables: dict[str, str]) -> dict[str, DataFrame]:
    return {k: spark.read.table(v).alias(k) for k, v in tables.items()}


def write(df: DataFrame, target: str, **options) -> None:
    opts = {"mode": "overwrite", **options}
    df.write.mode(opts.pop("mode")).options(**opts).saveAsTable(target)
