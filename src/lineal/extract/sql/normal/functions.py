"""Which functions a proof can rely on, by the names of sqlglot's classes."""

from __future__ import annotations

AGGREGATES = frozenset(
    (
        "sum", "count", "min", "max", "avg", "countif", "logicaland", "logicalor", "stddev", "stddevpop",
        "stddevsamp", "variance", "variancepop",
    )
)  # fmt: skip
"""Aggregates that do not depend on the order of rows."""

RANKS = frozenset(("rank", "denserank", "percentrank", "cumedist"))
"""Window functions that rows with equal keys share."""

TOTAL = (
    AGGREGATES
    | RANKS
    | {
        "add", "sub", "mul", "neg", "dpipe", "concat", "lower", "upper", "length", "trim", "abs", "round",
        "floor", "ceil", "greatest", "least", "like", "ilike", "trycast", "datatype", "var", "interval", "window",
        "order", "ordered", "star", "distinct", "currentdate", "currenttimestamp", "year", "month", "day",
        "identifier", "tuple", "is", "where", "filter", "replace", "left", "right", "startswith", "contains",
    }
)  # fmt: skip
"""Functions that have a value for every input of their type, the overflow of a number aside."""

VOLATILE = frozenset(
    (
        "rand", "random", "randn", "uuid", "newid", "gen_random_uuid", "generate_uuid", "uuid_string", "nextval",
        "monotonically_increasing_id", "nextvaluefor", "sample", "setseed", "generateuuid", "shuffle", "uniform",
        "randstr", "clock_timestamp", "timeofday", "rownum", "zipf", "normal", "seq4", "seq8", "spark_partition_id",
        "input_file_name", "random_normal", "currval", "lastval", "txid_current",
    )
)  # fmt: skip
"""Functions that may have another value each time they are called."""
