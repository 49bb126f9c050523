"""A query builder that renders SQL text, with fluent chaining and __str__."""
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()


class Query:
    def __init__(self, table, alias=None):
        self._from = f"{table} {alias or ''}".strip()
        self._select, self._joins, self._where, self._group = [], [], [], []

    def select(self, *cols, **named):
        self._select += list(cols) + [f"{e} AS {n}" for n, e in named.items()]
        return self

    def join(self, table, on, kind="INNER"):
        self._joins.append(f"{kind} JOIN {table} ON {on}")
        return self

    def where(self, *conds):
        self._where.extend(conds)
        return self

    def group(self, *cols):
        self._group.extend(cols)
        return self

    def __str__(self):
        parts = ["SELECT " + ", ".join(self._group + self._select), "FROM " + self._from, *self._joins]
        if self._where:
            parts.append("WHERE " + " AND ".join(f"({c})" for c in self._where))
        if self._group:
            parts.append("GROUP BY " + ", ".join(self._group))
        return "\n".join(parts)

    def run(self):
        return spark.sql(str(self))


q = (Query("raw.orders", "o").join("raw.customers c", "o.customer_id = c.customer_id", kind="LEFT").where("o.amount > 0", "c.country <> 'XX'").group("c.country").select(total="sum(o.amount)", n="count(*)"))
q.run().write.mode("overwrite").saveAsTable("dw.built")
inner = Query("raw.metrics").select("host", load="cpu + mem")
Query(f"({inner})", "x").select("host", "load").where("load > 1").run().write.mode("overwrite").saveAsTable("dw.built2")
spark.sql(f"CREATE OR REPLACE TEMP VIEW bv AS {Query('raw.rates').select('currency', 'rate')}")
spark.sql(f"{Query('bv').select('*')}").write.mode("overwrite").saveAsTable("dw.built3")
