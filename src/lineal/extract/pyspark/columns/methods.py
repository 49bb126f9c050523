"""Methods of Column: one function and one row each; a name that is not listed is a SQL function of
the column.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sqlglot import exp

from lineal.extract.pyspark.columns.functions import build_call, doubt_of, every_column
from lineal.extract.pyspark.columns.trees import literal
from lineal.extract.pyspark.invocation import Arguments, Invocation
from lineal.extract.pyspark.knowledge import CONSTANTS
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.sizes import with_arm
from lineal.extract.pyspark.values import (
    ColumnValue,
    Pattern,
    Unknown,
    Value,
    WindowSpec,
    note_of,
    stands_for_columns,
)
from lineal.extract.sql.nodes import meta_of

Handler = Callable[[Run, ColumnValue, Invocation], Value]


def method(run: Run, held: ColumnValue, name: str, call: Invocation) -> Value:
    """Call a method of a Column; others give a call of SQL.

    col("a").method(…)
    """
    handler = METHODS.get(name)
    if handler is not None:
        return handler(run, held, call)

    further = [
        literal(run, argument, call.node) for argument in [*call.arguments, *call.keywords.values()]
    ]
    return column_from(held, call.arguments, build_call(name.lower(), [held.tree, *further]))


def column_from(held: ColumnValue, arguments: Arguments, tree: Any) -> ColumnValue:
    """Return a column with the doubts of those that it is made of."""
    return ColumnValue(tree, doubt=doubt_of([held, *arguments]))


def alias(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Give a column an alias.

    .alias("total"), .alias("key", "value")
    """
    names = []
    for argument in call.arguments:
        if stands_for_columns(argument):
            return every_column(run, argument, call.node)

        if isinstance(argument, Pattern):
            run.dynamic(note_of("a name", argument), call.node, argument.level, gap=False)

        if isinstance(argument, (str, int)):
            names.append(str(argument))
        else:
            if isinstance(argument, Unknown):
                run.dynamic(note_of("a name", argument), call.node, argument.level)

            names.append(f"{{{getattr(argument, 'label', '…')}}}")

    return ColumnValue(held.tree, tuple(names), held.doubt)


def cast(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Cast a column.

    .cast("int"), .cast(T.IntegerType())
    """
    wanted = call.argument(0, "dataType")
    return ColumnValue(exp.Cast(this=held.tree, to=type_of(wanted)), doubt=held.doubt)


def type_of(wanted: Value) -> Any:
    """Return the type that a cast names."""
    text = wanted if isinstance(wanted, str) else getattr(wanted, "type_name", "")
    return build_type(str(text) or "string").copy()


@lru_cache(maxsize=256)
def build_type(text: str) -> exp.DataType:
    """Build a type of SQL; a text that does not parse as one is a user-defined type."""
    try:
        return exp.DataType.build(text, dialect="spark")
    except Exception:  # a type that sqlglot does not know is a type nevertheless
        return exp.DataType(this=exp.DataType.Type.USERDEFINED)


def when(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Add a branch to a CASE expression.

    F.when(…).when(test, value)
    """
    if not isinstance(held.tree, exp.Case) or len(call.arguments) < 2:
        return held

    arm = exp.If(
        this=literal(run, call.arguments[0], call.node),
        true=literal(run, call.arguments[1], call.node),
    )
    return column_from(held, call.arguments, with_arm(held.tree, arm))


def otherwise(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Add the default of a CASE expression.

    F.when(…).otherwise(0)
    """
    if not isinstance(held.tree, exp.Case):
        return held

    default = literal(run, call.argument(0, "value"), call.node)
    return column_from(held, call.arguments, exp.Case(ifs=held.tree.args["ifs"], default=default))


def over(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Compute a column over a window.

    F.sum("x").over(window)
    """
    spec = call.argument(0, "window")
    if not isinstance(spec, WindowSpec):
        run.dynamic("a window that only a run knows", call.node)
        spec = WindowSpec()

    order = exp.Order(expressions=list(map(_sort_key, spec.order))) if spec.order else None
    tree = exp.Window(this=held.tree, partition_by=list(spec.partition), order=order)
    return column_from(held, [], tree)


def _sort_key(tree: Any) -> Any:
    """Return a sort key: `col.asc()` on a column that may be one already."""
    if isinstance(tree, exp.Ordered):
        return tree

    return exp.Ordered(this=tree)


def sort_key(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Sort by a column.

    .asc(), .desc()
    """
    return column_from(held, [], exp.Ordered(this=held.tree))


def operator(kind: Any) -> Handler:
    """Return what builds a binary operator.

    .eqNullSafe(x), .bitwiseOR(x)
    """

    def handler(run: Run, held: ColumnValue, call: Invocation) -> Value:
        """Return the column combined with the argument by the operator."""
        other = call.only()
        return column_from(
            held, call.arguments, kind(this=held.tree, expression=literal(run, other, call.node))
        )

    return handler


def is_null(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Test for NULL.

    .isNull()
    """
    return column_from(held, [], exp.Is(this=held.tree, expression=exp.Null()))


def is_not_null(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Test for a value that is not NULL.

    .isNotNull()
    """
    return column_from(held, [], exp.Not(this=exp.Is(this=held.tree, expression=exp.Null())))


def is_in(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Test whether a column is among values.

    .isin("a", "b"), .isin(values), .isin(df)
    """
    if len(call.arguments) == 1 and isinstance(call.arguments[0], Relation):
        return column_from(
            held, [], exp.In(this=held.tree, query=literal(run, call.arguments[0], call.node))
        )

    several = (
        call.arguments[0]
        if len(call.arguments) == 1 and isinstance(call.arguments[0], (list, tuple, set))
        else call.arguments
    )
    items = [literal(run, item, call.node) for item in several if not isinstance(item, CONSTANTS)]
    return column_from(held, list(several), exp.In(this=held.tree, expressions=items))


def between(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Test whether a column is between two values.

    .between(1, 10)
    """
    bounds = [
        literal(run, value, call.node) for value in [*call.arguments, *call.keywords.values()][:2]
    ]
    bounds += [exp.Null()] * (2 - len(bounds))
    return column_from(
        held, call.arguments, exp.Between(this=held.tree, low=bounds[0], high=bounds[1])
    )


def field_(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Read a field of a column.

    .getField("city"), col["city"], col.city
    """
    name = call.argument(0, "name", call.keywords.get("key"))
    if isinstance(name, str):
        field = exp.Dot(this=held.tree, expression=exp.Identifier(this=str(name), quoted=False))
        field.meta["called"] = f"{spell_field(held.tree)}.{name}"
        return column_from(held, [], field)

    item = exp.Bracket(this=held.tree, expressions=[literal(run, name, call.node)])
    if isinstance(name, int):
        item.meta["called"] = f"{spell_field(held.tree)}[{name}]"

    return column_from(held, call.arguments, item)


def spell_field(tree: Any) -> str:
    """Return how Spark spells a field.

    address.city      how Spark calls a field that .getField or [] has taken
    """
    return str(meta_of(tree).get("called") or tree.name or "field")


def with_field(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Set a field of a struct column.

    .withField("city", value)
    """
    given = [*call.arguments, *call.keywords.values()][:2]
    trees = [literal(run, value, call.node) for value in given]
    around = structs_around(held.tree, given[:1])
    return column_from(
        held,
        call.arguments,
        exp.Anonymous(this="with_field", expressions=[held.tree, *trees, *around]),
    )


def drop_fields(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Drop fields of a struct column.

    .dropFields("city")      of the whole, as in Spark's plan
    """
    names = [exp.Literal.string(name) for name in call.arguments if isinstance(name, str)]
    around = structs_around(held.tree, call.arguments)
    return column_from(
        held,
        call.arguments,
        exp.Anonymous(this="drop_fields", expressions=[held.tree, *names, *around]),
    )


def structs_around(tree: Any, paths: Arguments) -> list[Any]:
    """Return the structs on the way to a field.

    .withField("home.city", value)      home is read, and written again
    """
    found: list[Any] = []
    for path in paths:
        part = tree
        for name in path.split(".")[:-1] if isinstance(path, str) else ():
            part = exp.Dot(this=part.copy(), expression=exp.Identifier(this=name, quoted=False))
            found.append(part)

    return found


def outer(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Mark a column of the outer query.

    col("c.id").outer()      a column of the query around
    """
    tree = held.tree.copy()
    tree.meta["outer"] = True
    return ColumnValue(tree)


def within_group(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Order the values of an aggregate.

    listagg("name").within_group(col("name").asc())
    """
    keys = [_sort_key(each.tree) for each in call.arguments if isinstance(each, ColumnValue)]
    tree = exp.WithinGroup(this=held.tree, expression=exp.Order(expressions=keys))
    return column_from(held, call.arguments, tree)


METHODS: dict[str, Handler] = {
    **dict.fromkeys(("alias", "name", "as_"), alias),
    **dict.fromkeys(("cast", "astype", "try_cast"), cast),
    "when": when,
    "otherwise": otherwise,
    "over": over,
    **dict.fromkeys(
        ("asc", "desc", "asc_nulls_first", "asc_nulls_last", "desc_nulls_first", "desc_nulls_last"),
        sort_key,
    ),
    **dict.fromkeys(("isNull", "is_null", "equal_nan"), is_null),
    **dict.fromkeys(("isNotNull", "is_not_null"), is_not_null),
    "isNaN": is_null,
    **dict.fromkeys(("isin", "in_"), is_in),
    "between": between,
    **dict.fromkeys(("getField", "getItem"), field_),
    "withField": with_field,
    "dropFields": drop_fields,
    "outer": outer,
    "like": operator(exp.Like),
    "ilike": operator(exp.ILike),
    "rlike": operator(exp.RegexpLike),
    **dict.fromkeys(("eqNullSafe", "equal_null"), operator(exp.NullSafeEQ)),
    "regexp": operator(exp.RegexpLike),
    "within_group": within_group,
    **dict.fromkeys(("bitwiseAND", "bitwiseOR", "bitwiseXOR"), operator(exp.BitwiseAnd)),
}
