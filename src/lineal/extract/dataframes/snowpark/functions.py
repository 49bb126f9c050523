"""snowflake.snowpark.functions: those of Spark by the same names, and some of their own."""

from __future__ import annotations

from sqlglot import exp

from lineal.extract.dataframes.snowpark.frames import DIALECT
from lineal.extract.dataframes.snowpark.values import MergeClause
from lineal.extract.dataframes.sources import use_dialect
from lineal.extract.pyspark.columns.functions import doubt_of, from_text, function
from lineal.extract.pyspark.columns.trees import column, literal
from lineal.extract.pyspark.dispatch import LibraryCall
from lineal.extract.pyspark.invocation import Invocation, argument_at
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import ColumnValue, Udf, Value


def as_in_spark(name: str) -> LibraryCall:
    """Return a function that Spark has, too: sum("a"), to_date(col("a"))"""

    def handle(run: Run, call: Invocation) -> Value:
        """Call Spark's function of the same meaning."""
        return function(run, SPELLED.get(name, name), call)

    return handle


SPELLED = {"array_agg": "collect_list", "mean": "avg", "column": "col", "builtin": "call_function"}


def sql_expr(run: Run, call: Invocation) -> Value:
    """sql_expr("a + b")"""
    text = argument_at(call.arguments)
    if not isinstance(text, str):
        run.dynamic("an expression that only a run knows", call.node)
        return ColumnValue(exp.Null())

    with use_dialect(run, DIALECT):
        return from_text(run, text, call.node)


def iff(run: Run, call: Invocation) -> Value:
    """iff(col("a") > 1, "x", col("b"))      texts are values"""
    trees = [literal(run, each, call.node) for each in [*call.arguments, *call.keywords.values()]]
    trees += [exp.Null()] * (3 - len(trees))
    tree = exp.If(this=trees[0], true=trees[1], false=trees[2])
    return ColumnValue(tree, doubt=doubt_of(call.arguments))


def with_unit(name: str) -> LibraryCall:
    """Return a function whose first argument is a date part: dateadd("day", lit(1), "at")"""

    def handle(run: Run, call: Invocation) -> Value:
        """Return a call whose first argument is a unit: `dateadd("day", a, b)`."""
        given = [*call.arguments, *call.keywords.values()]
        trees = [column(run, each, call.node) for each in given[1:]]
        tree = exp.Anonymous(this=name, expressions=trees)
        return ColumnValue(tree, doubt=doubt_of(call.arguments))

    return handle


def texts_are_values(name: str) -> LibraryCall:
    """Return a function that takes columns first, then texts: to_char("at", "YYYY")"""

    def handle(run: Run, call: Invocation) -> Value:
        """Return a call in which only the first text names a column: `startswith(a, "x")`."""
        given = [*call.arguments, *call.keywords.values()]
        trees = [column(run, given[0], call.node)] if given else []
        trees += [literal(run, each, call.node) for each in given[1:]]
        return ColumnValue(exp.Anonymous(this=name, expressions=trees), doubt=doubt_of(given))

    return handle


def call_named(run: Run, call: Invocation) -> Value:
    """call_udf("clean", col("a")), call_builtin("soundex", "a"), call_function("f", "a")"""
    given = [*call.arguments, *call.keywords.values()]
    return function(run, "call_function", call.with_arguments([str(given[0]), *given[1:]], {}))


def make_udf(run: Run, call: Invocation) -> Value:
    """udf(lambda x: x + 1, return_type=IntegerType(), input_types=[IntegerType()])"""
    given = call.argument(0, "func")
    return Udf(str(getattr(given, "name", "udf")))


def pairs(run: Run, call: Invocation) -> Value:
    """object_construct(lit("a"), col("x"))"""
    trees = [column(run, each, call.node) for each in call.arguments]
    return ColumnValue(exp.Anonymous(this="object_construct", expressions=trees))


def when_matched(run: Run, call: Invocation) -> Value:
    """when_matched(source["flag"] == 1)"""
    return MergeClause("whenMatched", call.argument(0, "condition"))


def when_not_matched(run: Run, call: Invocation) -> Value:
    """when_not_matched()"""
    return MergeClause("whenNotMatched", call.argument(0, "condition"))


def call_clause(run: Run, held: MergeClause, name: str, call: Invocation) -> Value:
    """when_matched().update({"a": source["a"]}), when_not_matched().insert([…]), .delete()"""
    words = {"update": "Update", "insert": "Insert", "delete": "Delete"}
    assigned = call.argument(0, "assignments")
    return MergeClause(held.name + words.get(name, ""), held.condition, assigned)


UNITS = ("dateadd", "datediff", "timestampadd", "timestampdiff", "time_slice", "date_part_of")
VALUES_AFTER = """to_char to_varchar to_timestamp to_timestamp_ntz to_timestamp_tz to_date to_decimal
    to_number regexp_replace regexp_count regexp_extract regexp_substr replace lpad rpad listagg
    next_day previous_day trunc substring substr left right charindex startswith endswith contains
    round strtok split_part get get_path array_contains time_slice try_to_date try_to_timestamp
    try_cast to_json as_varchar as_integer parse_url translate insert repeat ntile
    approx_percentile""".split()  # noqa: SIM905

OWN_FUNCTIONS: dict[str, LibraryCall] = {
    **dict.fromkeys(("sql_expr", "expr"), sql_expr),
    "iff": iff,
    **{name: with_unit(name) for name in UNITS},
    **{name: texts_are_values(name) for name in VALUES_AFTER},
    **dict.fromkeys(("call_udf", "call_builtin", "call_function"), call_named),
    **dict.fromkeys(("udf", "udtf", "pandas_udf"), make_udf),
    **dict.fromkeys(("object_construct", "object_construct_keep_null", "object_agg"), pairs),
    "when_matched": when_matched,
    "when_not_matched": when_not_matched,
}
"""Functions that Spark does not have, or whose texts are not names of columns."""
