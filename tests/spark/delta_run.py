"""Run in a process of its own: a log through the pipeline, twice, in a session that has Delta; what the tables hold."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from lineal.spark.bulk import Options, run
from lineal.spark.bulk.ship import started

CONF = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
TEXTS = ("CREATE TABLE a.t AS SELECT x, y FROM b.s WHERE z > 1", "CREATE VIEW c.v AS SELECT x FROM a.t")


def main(packages: str, folder: Path) -> None:
    log, out = folder / "log.json", folder / "out `put"
    found = []
    with started("local[2]", {**CONF, "spark.jars.packages": packages}) as spark:
        for count in (1, 2):
            log.write_text("".join(json.dumps({"query_text": text}) + "\n" for text in TEXTS[:count]))
            summary = run(Options((str(log),), out), spark)
            tables = {name: spark.read.format("delta").load(str(out / name)) for name in summary.tables}
            counts = {name: table.count() for name, table in tables.items()}
            levels = [row[0] for row in tables["edges"].select("level").distinct().orderBy("level").collect()]
            found.append({"counts": counts, "said": summary.tables, "levels": levels})
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
