from functools import partial


def reader(spark):
    def read(name):
        return spark.table(f"raw.{name}")

    return read


def _save(database, df, name, mode="overwrite"):
    df.write.mode(mode).saveAsTable(".".join([database, name]))


def writer(database):
    return partial(_save, database)
