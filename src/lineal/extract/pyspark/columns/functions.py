"""pyspark.sql.functions: each is the SQL function of its name, except for those in the tables here."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from sqlglot import exp

from lineal.algebra.functions import DATE_PARTS
from lineal.extract.pyspark.collected import put_collected
from lineal.extract.pyspark.columns.trees import column, item, literal, name_tree, parse_items
from lineal.extract.pyspark.columns.udf_bodies import follow_body
from lineal.extract.pyspark.decorators import udf_of
from lineal.extract.pyspark.dispatch import COMPUTED as COMPUTED_VALUES
from lineal.extract.pyspark.dispatch import invoke
from lineal.extract.pyspark.invocation import Arguments, Invocation, Keywords, argument_at
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.sizes import charge_columns
from lineal.extract.pyspark.values import (
    ANY_COLUMN,
    ColumnValue,
    Function,
    Library,
    Native,
    Partial,
    Pattern,
    SchemaValue,
    Udf,
    Unknown,
    Value,
    note_of,
    parameters_of,
    stands_for_columns,
)
from lineal.extract.sql.dialects import parser_dialect
from lineal.model.edge import Doubt
from lineal.model.sequences import any_is, instances
from lineal.model.way import Confidence

ColumnFunction = Callable[[Run, str, Invocation], Value]
NO_LITERALS: frozenset[int] = frozenset()

# fmt: off
LITERALS: dict[str, frozenset[int]] = {
    name: frozenset(map(int, digits))
    for digits, names in {
        "1": """array_append array_contains array_position array_prepend array_remove collate date_format decode
            element_at encode from_csv from_json from_unixtime from_utc_timestamp from_xml get_json_object instr
            map_contains_key next_day session_window split to_date to_timestamp to_timestamp_ltz to_timestamp_ntz
            to_utc_timestamp trunc try_to_date try_to_timestamp unix_timestamp string_agg listagg
            string_agg_distinct listagg_distinct from_avro to_avro assert_true to_char to_number to_varchar
            try_to_number variant_array_append variant_delete vector_to_array""",
        "0": """date_trunc format_string locate concat_ws printf raise_error timestamp_add timestamp_diff
            call_function call_udf lit schema_of_csv schema_of_json schema_of_xml make_valid date_part extract
            datepart""",
        "12": """array_join lag lead lpad rpad regexp_extract regexp_replace substring_index translate variant_get
            try_variant_get""",
        "2": "array_insert",
        "123": "window json_tuple from_protobuf to_protobuf",
    }.items()
    for name in names.split()
}
"""Functions that take some of their arguments as they are: date_format("at", "yyyy")

"at" is a column
"""

SPELLED = {
    "sumdistinct": "sum_distinct", "countdistinct": "count_distinct", "approxcountdistinct": "approx_count_distinct",
    "shiftleft": "shiftleft", "typedlit": "lit", "column": "col", "todegrees": "degrees", "toradians": "radians",
    "bitwisenot": "bitwise_not", "create_map": "map",
}
"""Old names of functions."""

KEYWORD_ORDER = {
    "lag": ("col", "offset", "default"), "lead": ("col", "offset", "default"),
    "regexp_replace": ("string", "pattern", "replacement"), "regexp_extract": ("str", "pattern", "idx"),
    "date_format": ("date", "format"), "to_date": ("col", "format"), "to_timestamp": ("col", "format"),
    "date_trunc": ("format", "timestamp"), "trunc": ("date", "format"), "round": ("col", "scale"),
    "split": ("str", "pattern", "limit"), "when": ("condition", "value"), "substring": ("str", "pos", "len"),
    "lpad": ("col", "len", "pad"), "rpad": ("col", "len", "pad"), "from_json": ("col", "schema", "options"),
    "concat_ws": ("sep", "cols"), "sha2": ("col", "numBits"), "first": ("col", "ignorenulls"),
    "last": ("col", "ignorenulls"), "element_at": ("col", "extraction"), "datediff": ("end", "start"),
}
# fmt: on


def function(run: Run, name: str, call: Invocation) -> Value:
    """Call a function of pyspark.sql.functions.

    F.name(…)
    """
    make, spelled = handler_of(name)
    return make(
        run,
        spelled,
        call.with_arguments(order_arguments(spelled, call.arguments, call.keywords)),
    )


def handler_of(name: str) -> tuple[ColumnFunction, str]:
    """Return the function that makes a Column of a call, and its name in SQL."""
    spelled = SPELLED.get(name.lower(), name.lower())
    return SPECIAL.get(spelled, ordinary_call), spelled


def ordinary_call(run: Run, name: str, call: Invocation) -> Value:
    """Build the call of an ordinary function.

    F.upper("x"), F.round("x", 2)      upper(x), round(x, 2)
    """
    literals = LITERALS.get(name, NO_LITERALS)
    trees = []

    for position, argument in enumerate(flatten_arguments(call.arguments, name)):
        if isinstance(argument, (Function, Partial)):
            trees.append(lambda_tree(run, argument, call.node))
        elif position in literals or isinstance(argument, SchemaValue):
            if argument is not None:
                trees.append(literal(run, argument, call.node))
        elif argument is not None or position == 0:
            trees.append(column(run, argument, call.node))

    run.step(len(trees) >> 2)
    return ColumnValue(build_call(name, trees), doubt=doubt_of(call.arguments))


def order_arguments(name: str, arguments: Arguments, keywords: Keywords) -> Arguments:
    """Put the arguments of a call in the order of their parameters.

    F.lag(col="x", offset=1)      as if by position
    """
    if not keywords:
        return arguments

    order = KEYWORD_ORDER.get(name)
    if order is None:
        return [*arguments, *keywords.values()]

    rest = list(map(keywords.get, order[len(arguments) :]))
    while rest and rest[-1] is None:
        rest.pop()

    return [*arguments, *rest]


def flatten_arguments(arguments: Arguments, name: str) -> Arguments:
    """Return the arguments of a call, with lists flattened.

    F.coalesce(*cols), F.struct(["a", "b"]), F.array(cols)
    """
    if len(arguments) == 1 and isinstance(arguments[0], (list, tuple, set)) and name in LIST_TAKERS:
        return list(arguments[0])

    if name == "concat_ws" and len(arguments) == 2 and isinstance(arguments[1], (list, tuple)):
        return [arguments[0], *arguments[1]]

    return arguments


LIST_TAKERS = frozenset(("struct", "array", "map", "map_concat", "grouping_id"))


def doubt_of(arguments: Arguments) -> Any:
    """Return the strongest doubt of the columns among the arguments."""
    doubts = [a.doubt for a in arguments if isinstance(a, ColumnValue) and a.doubt is not None]
    if doubts:
        return min(doubts)

    return None


@lru_cache(maxsize=1)
def builders() -> Mapping[str, Any]:
    """Return the functions that build trees of SQL calls, by name."""
    found: Mapping[str, Any] = parser_dialect("spark").parser().FUNCTIONS
    return found


UNIT_FIRST: dict[str, type[exp.Func]] = {
    "timestamp_diff": exp.TimestampDiff,
    "timestamp_add": exp.TimestampAdd,
}
"""timestamp_diff("MINUTE", a, b)      the parser's builders expect the unit last"""


def build_call(name: str, trees: list[Any]) -> Any:
    """Build a call as the SQL parser does.

    The expression that the SQL parser makes of name(…)
    """
    if name in UNIT_FIRST and len(trees) == 3:
        unit, this, expression = trees
        return UNIT_FIRST[name](this=this, expression=expression, unit=exp.Var(this=unit.name))

    if name == "decode" and len(trees) > 2:
        return exp.DecodeCase(expressions=trees)  # a CASE; with two arguments it is a character set

    builder = builders().get(name.upper())
    if builder is not None:
        for further in ({}, {"dialect": parser_dialect("spark")}):
            try:
                made = builder(trees, **further)
            except (
                Exception
            ):  # some builders take the dialect, some want other arguments: then it is just a name
                made = None

            if isinstance(made, exp.Expr):
                made.meta["function"] = name
                return with_quoted_unit(made)

    return exp.Anonymous(this=name, expressions=trees)


def with_quoted_unit(tree: exp.Expr) -> exp.Expr:
    """Mark the unit of a date function as a text.

    date_trunc("fortnight", a)

    the parser makes a word of every unit; given as a text it is no column
    """
    unit = tree.args.get("unit")
    if unit.__class__ in (exp.Var, exp.Literal) and unit.name.lower() not in DATE_PARTS:
        tree.set("unit", exp.RawString(this=unit.name))

    return tree


def lambda_tree(run: Run, function: Value, node: ast.AST) -> Any:
    """Build the tree of a lambda.

    F.transform("xs", lambda x: x + 1)
    """
    names = parameters_of(function)
    arguments = [
        ColumnValue(exp.Column(this=exp.Identifier(this=name, quoted=False))) for name in names
    ]
    body = invoke(run, function, Invocation(arguments, {}, node))
    tree = literal(run, body, node)
    return exp.Lambda(
        this=tree, expressions=[exp.Identifier(this=name, quoted=False) for name in names]
    )


# -- functions with a shape of their own -----------------------------------------------------------


def col_(run: Run, name: str, call: Invocation) -> Value:
    """Build a column.

    F.col("a")
    """
    return ColumnValue(column(run, argument_at(call.arguments), call.node))


def lit(run: Run, name: str, call: Invocation) -> Value:
    """Build a constant.

    F.lit(1)
    """
    held = argument_at(call.arguments)
    if isinstance(held, ColumnValue):
        return held

    return ColumnValue(literal(run, held, call.node))


def expr(run: Run, name: str, call: Invocation) -> Value:
    """Parse an expression.

    F.expr("a + b AS c")
    """
    text = argument_at(call.arguments)
    if not isinstance(text, str):
        run.dynamic(note_of("an expression", text), call.node)
        return ColumnValue(exp.Null())

    return from_text(run, text, call.node)


def from_text(run: Run, text: str, node: ast.AST) -> ColumnValue:
    """Return the column of a text of SQL, and its alias."""
    items = parse_items(run, text, node)
    if not items:
        return ColumnValue(exp.Null())

    tree = items[0]
    if isinstance(text, Pattern) and not put_collected(tree, text):
        run.dynamic("a part of an expression is only known when it runs", node, text.level)

    if isinstance(tree, exp.Alias):
        return ColumnValue(tree.this, (tree.alias,))

    if isinstance(tree, exp.Aliases):
        return ColumnValue(tree.this, tuple(alias.name for alias in tree.expressions))

    return ColumnValue(tree)


def when(run: Run, name: str, call: Invocation) -> Value:
    """Build a CASE expression.

    F.when(test, value)
    """
    if len(call.arguments) < 2:
        return ColumnValue(exp.Null())

    arm = exp.If(
        this=literal(run, call.arguments[0], call.node),
        true=literal(run, call.arguments[1], call.node),
    )
    return ColumnValue(exp.Case(ifs=[arm]), doubt=doubt_of(call.arguments))


def count(run: Run, name: str, call: Invocation) -> Value:
    """Build a count.

    F.count("*"), F.count(F.lit(1)), F.count("x")
    """
    held = argument_at(call.arguments, 0, "*")
    tree = column(run, held, call.node)
    return ColumnValue(exp.Count(this=tree, big_int=True), doubt=doubt_of(call.arguments))


def count_distinct(run: Run, name: str, call: Invocation) -> Value:
    """Build a count of distinct values.

    F.countDistinct("a", "b")
    """
    trees = [column(run, argument, call.node) for argument in call.arguments]
    return ColumnValue(
        exp.Count(this=exp.Distinct(expressions=trees), big_int=True),
        doubt=doubt_of(call.arguments),
    )


def sum_distinct(run: Run, name: str, call: Invocation) -> Value:
    """Build a sum of distinct values.

    F.sumDistinct("a")
    """
    trees = [column(run, argument, call.node) for argument in call.arguments]
    return ColumnValue(
        exp.Sum(this=exp.Distinct(expressions=trees)), doubt=doubt_of(call.arguments)
    )


def sorted_by(run: Run, name: str, call: Invocation) -> Value:
    """Build a sort key.

    F.desc("x"), F.asc_nulls_last("x")
    """
    tree = column(run, argument_at(call.arguments), call.node)
    return ColumnValue(exp.Ordered(this=tree, desc=name.startswith("desc")))


def struct(run: Run, name: str, call: Invocation) -> Value:
    """Build a struct.

    F.struct("a", col("b").alias("c"))
    """
    trees = [
        item(argument) if isinstance(argument, ColumnValue) else column(run, argument, call.node)
        for argument in flatten_arguments(call.arguments, "struct")
    ]
    return ColumnValue(exp.Struct(expressions=trees), doubt=doubt_of(call.arguments))


def broadcast(run: Run, name: str, call: Invocation) -> Value:
    """Return the DataFrame itself.

    F.broadcast(df)      the same DataFrame
    """
    return argument_at(call.arguments, 0, Unknown("broadcast()", "no DataFrame"))


def call_by_name(run: Run, name: str, call: Invocation) -> Value:
    """Call a function by its name.

    F.call_function("sum", "x")      every argument is a column, whatever F.sum would take
    """
    trees = [column(run, argument, call.node) for argument in call.arguments[1:]]
    named = (
        call.arguments[0]
        if call.arguments and isinstance(call.arguments[0], str)
        else Pattern(name)
    )
    called = (
        exp.Anonymous(this=name, expressions=trees)
        if isinstance(named, Pattern)
        else build_call(named.lower(), trees)
    )
    return ColumnValue(called, doubt=doubt_of(call.arguments))


def udf(run: Run, name: str, call: Invocation) -> Value:
    """Build a UDF.

    F.udf(f, "int"), @F.pandas_udf("double")
    """
    return udf_of(run, name, call)


def call_without_columns(run: Run, name: str, call: Invocation) -> Value:
    """Build a call without columns.

    F.rand(), F.current_date(), F.input_file_name()      no column goes in
    """
    return ColumnValue(exp.Anonymous(this=name, expressions=[]))


def ranking(run: Run, name: str, call: Invocation) -> Value:
    """Build a ranking function.

    F.ntile(4), F.row_number()
    """
    return ColumnValue(
        build_call(name, [literal(run, argument, call.node) for argument in call.arguments])
    )


def window(run: Run, name: str, call: Invocation) -> Value:
    """Build a time window.

    F.window("at", "10 minutes"), F.session_window("at", F.when(…))
    """
    tree = column(run, call.argument(0, "timeColumn"), call.node)
    gaps = [
        given.tree
        for given in (*call.arguments[1:], *call.keywords.values())
        if isinstance(given, ColumnValue)
    ]
    return ColumnValue(exp.Anonymous(this=name, expressions=[tree, *gaps]), (name,))


def json_tuple(run: Run, name: str, call: Invocation) -> Value:
    """Build json_tuple.

    F.json_tuple("body", "a", "b")      c0 and c1
    """
    trees = [column(run, argument_at(call.arguments), call.node)]
    trees += [literal(run, argument, call.node) for argument in call.arguments[1:]]
    return ColumnValue(
        exp.Anonymous(this=name, expressions=trees), tuple(f"c{i}" for i in range(len(trees) - 1))
    )


def predict_batch(run: Run, name: str, call: Invocation) -> Value:
    """pyspark.ml.functions.predict_batch_udf(make_predict, return_type=…)      a UDF"""
    return Udf("predict")


SPECIAL: dict[str, ColumnFunction] = {
    "col": col_,
    "lit": lit,
    "expr": expr,
    "when": when,
    "count": count,
    "count_distinct": count_distinct,
    "sum_distinct": sum_distinct,
    **dict.fromkeys(
        ("asc", "desc", "asc_nulls_first", "asc_nulls_last", "desc_nulls_first", "desc_nulls_last"), sorted_by
    ),
    "struct": struct,
    "broadcast": broadcast,
    **dict.fromkeys(("call_function", "call_udf"), call_by_name),
    **dict.fromkeys(("udf", "pandas_udf", "arrow_udf"), udf),
    **dict.fromkeys(
        ("rand", "randn", "random", "uuid", "current_date", "current_timestamp", "now", "input_file_name",
         "monotonically_increasing_id", "spark_partition_id", "current_user", "curdate", "localtimestamp", "e", "pi",
         "current_timezone", "current_database", "current_catalog", "session_user", "user", "version"),
        call_without_columns,
    ),
    **dict.fromkeys(("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"), ranking),
    **dict.fromkeys(("window", "session_window"), window),
    "json_tuple": json_tuple,
    "predict_batch_udf": predict_batch,
}  # fmt: skip


def udf_call(run: Run, udf: Udf, call: Invocation) -> ColumnValue:
    """Build the call of a UDF.

    plus_one("x")      whatever it does, it does it to x, where its body cannot be followed
    """
    if udf.by_row and not udf.aggregates:
        made = follow_body(udf, run, call)
        if made is not None:
            return ColumnValue(made, doubt=doubt_of(call.arguments))

    for follow in FOLLOW_BODY if udf.body is not None and not udf.by_row else ():
        followed = follow(run, udf, call)
        if followed is not None:
            return followed

    trees = [
        column(run, argument, call.node) for argument in [*call.arguments, *call.keywords.values()]
    ]
    kind = exp.AnonymousAggFunc if udf.aggregates else exp.Anonymous
    return ColumnValue(
        kind(this=udf.name or "udf", expressions=trees), doubt=doubt_of(call.arguments)
    )


FollowBody = Callable[[Run, Udf, Invocation], ColumnValue | None]

FOLLOW_BODY: list[FollowBody] = []
"""A function that follows the body of a pandas UDF."""

COMPUTED = Doubt(Confidence.MEDIUM, False, "made by a function that only a run knows")


def hands_columns(arguments: Arguments, keywords: Keywords) -> bool:
    """Tell whether a call is given a Column.

    clean(col("x"))
    """
    return any_is((*arguments, *keywords.values()), ColumnValue)


def computed_column(run: Run, name: str, call: Invocation) -> ColumnValue:
    """Return a Column of what a function that is not here is given.

    company.clean(col("x"))
    """
    given = instances((*call.arguments, *call.keywords.values()), ColumnValue)
    made = udf_call(run, Udf(name.rpartition(".")[2]), call.with_arguments(given, {}))
    return ColumnValue(made.tree, made.names, made.doubt or COMPUTED)


COMPUTED_VALUES[ColumnValue] = computed_column


def chosen_function() -> Native:
    """Return a function of columns of which only a run knows which one.

    getattr(F, name)
    """

    def handle(run: Run, call: Invocation) -> ColumnValue:
        """Return a value made of all arguments, and report that the function is unknown."""
        run.dynamic("a function of columns that only a run knows", call.node)
        made = udf_call(run, Udf("udf"), call)
        return ColumnValue(made.tree, made.names, made.doubt or COMPUTED)

    return Native("getattr", handle)


def unknown_columns() -> Any:
    """Columns of which nobody knows the names: they answer any, and have no source."""
    tree = exp.Placeholder()
    tree.meta["unknown"] = True
    return tree


COMPUTED_NAMES = Doubt(
    Confidence.LOW, False, "one expression for each column, over a schema that is not known"
)


def every_column(run: Run, held: Unknown, node: ast.AST) -> ColumnValue:
    """select(*a.columns), select([f(c) for c in a.columns])      all columns of a, whatever they are"""
    tree = exp.Star()
    tree.meta["of"] = held.inputs[0]
    if held.label != ANY_COLUMN:
        return ColumnValue(tree)

    run.dynamic(note_of("columns", held), node, held.level)
    return ColumnValue(tree, doubt=COMPUTED_NAMES)


def columns_of(run: Run, arguments: Arguments, node: ast.AST) -> list[ColumnValue]:
    """Return the columns that a call is given.

    select("a", col("b")), select(["a", "b"]), select(cols)      each as a Column
    """
    found: list[ColumnValue] = []
    charge_columns(run, len(arguments))
    for argument in arguments:
        if argument.__class__ is ColumnValue:
            found.append(argument)
            continue

        if argument.__class__ is str:
            found.append(ColumnValue(name_tree(run, argument, node)))
            continue

        several = (
            items_of(argument)
            if isinstance(argument, (list, tuple, set)) or hasattr(argument, "items")
            else None
        )
        if several is not None and not isinstance(argument, (str, dict)):
            charge_columns(run, len(found))
            found.extend(columns_of(run, several, node))
        elif stands_for_columns(argument):
            found.append(every_column(run, argument, node))
        elif isinstance(argument, (Unknown, Library)):
            run.dynamic(
                note_of("columns", argument), node, getattr(argument, "level", Confidence.UNKNOWN)
            )
            found.append(ColumnValue(unknown_columns()))
        elif argument is not None:
            found.append(ColumnValue(column(run, argument, node)))

    return found
