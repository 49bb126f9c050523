"""expr.str, expr.dt, expr.list, expr.struct, expr.name: methods of a kind of value.

Those that no table lists transform the column and what else they are given.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from sqlglot import exp

from lineal.extract.dataframes.polars.expressions import expr_of, exprs_of, transforming_call
from lineal.extract.dataframes.polars.methods import METHODS
from lineal.extract.dataframes.polars.values import Accessor, Expr
from lineal.extract.pyspark.columns.trees import identifier, item
from lineal.extract.pyspark.dispatch import invoke
from lineal.extract.pyspark.invocation import Arguments, Invocation, argument_at
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import ColumnValue, Value, note_of, trees_of
from lineal.model.diagnostic import Code
from lineal.model.sequences import all_are, instances

NameOf = Callable[[str], str]


def field(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("address").struct.field("city")      the column is called city"""
    names = instances(call.arguments, str)
    if len(names) != 1 or names[0] == "*":
        run.dynamic(note_of("fields", argument_at(call.arguments)), call.node)
        return held.with_tree(exp.Anonymous(this="field", expressions=[held.tree]))

    found = exp.Dot(this=held.tree, expression=identifier(names[0]))
    return replace(held.with_tree(found), root=names[0], name=None)


def struct_of(held: Expr, names: Iterable[str]) -> Expr:
    """Return a struct whose fields are all made of one expression."""
    parts = [item(ColumnValue(held.tree, (name,))) for name in names]
    return held.with_tree(exp.Struct(expressions=parts))


def rename_fields(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("parts").struct.rename_fields(["first", "last"])"""
    names = items_of(call.argument(0, "names"))
    if not names or not all_are(names, str):
        return call_plain(held, "rename_fields", call, run)

    fields = held.tree.expressions if isinstance(held.tree, exp.Struct) else []
    if len(fields) != len(names):
        return struct_of(held, names)

    values = [each.unalias() for each in fields]
    parts = [
        item(ColumnValue(*pair)) for pair in zip(values, ((name,) for name in names), strict=True)
    ]
    return held.with_tree(exp.Struct(expressions=parts))


def split_fields(extra: int) -> Callable[[Run, Expr, Invocation], Value]:
    """Return a method that splits a text into the fields of a struct: field_0, field_1, …"""

    def method(run: Run, held: Expr, call: Invocation) -> Value:
        """pl.col("name").str.split_exact(" ", 1), pl.col("name").str.splitn(" ", 2)"""
        number = call.argument(1, "n")
        split = call_plain(held, "split", call, run)
        if not isinstance(number, int):
            return split

        return struct_of(split, [f"field_{at}" for at in range(number + extra)])

    return method


def extract_groups(run: Run, held: Expr, call: Invocation) -> Value:
    r"""pl.col("url").str.extract_groups(r"(?<host>\w+)/(?<path>\w+)")"""
    pattern = call.argument(0, "pattern")
    found = call_plain(held, "extract_groups", call, run)
    names = GROUP_NAME.findall(pattern) if isinstance(pattern, str) else []
    return struct_of(found, names) if names else found


GROUP_NAME = re.compile(r"\(\?P?<(\w+)>")


def with_fields(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("address").struct.with_fields(city=pl.col("town"))"""
    others = exprs_of(run, [*call.arguments, *call.keywords.values()], call.node)
    trees = [held.tree, *trees_of(others)]
    return held.with_tree(exp.Anonymous(this="with_fields", expressions=trees), *others)


def evaluate(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("xs").list.eval(pl.element() * 2)"""
    inner = expr_of(run, argument_at(call.arguments), call.node)
    return held.with_tree(exp.Anonymous(this="eval", expressions=[held.tree, inner.tree]), inner)


def explode(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("xs").list.explode()"""
    return METHODS["explode"](run, held, call)


def join_texts(run: Run, held: Expr, call: Invocation) -> Value:
    """pl.col("a").str.join(",")      one text for all rows"""
    return held.aggregate(exp.GroupConcat(this=held.tree))


SPECIAL: dict[tuple[str, str], Callable[[Run, Expr, Invocation], Value]] = {
    ("struct", "field"): field,
    ("struct", "with_fields"): with_fields,
    ("struct", "rename_fields"): rename_fields,
    ("str", "split_exact"): split_fields(1),
    ("str", "splitn"): split_fields(0),
    ("str", "extract_groups"): extract_groups,
    ("list", "eval"): evaluate,
    ("arr", "eval"): evaluate,
    ("list", "explode"): explode,
    ("arr", "explode"): explode,
    ("str", "explode"): explode,
    ("str", "join"): join_texts,
    ("str", "concat"): join_texts,
}
"""Methods with a meaning of their own."""

NAMINGS: dict[str, Callable[..., NameOf]] = {
    "suffix": lambda text: lambda root: f"{root}{text}",
    "prefix": lambda text: lambda root: f"{text}{root}",
    "keep": lambda: lambda root: root,
    "to_lowercase": lambda: lambda root: root.lower(),
    "to_uppercase": lambda: lambda root: root.upper(),
    "strip_prefix": lambda text: lambda root: root.removeprefix(text),
    "strip_suffix": lambda text: lambda root: root.removesuffix(text),
}
"""expr.name.suffix("_x"): the name of the column, from that of the root."""

KINDS = frozenset(("str", "dt", "list", "arr", "struct", "cat", "bin", "meta", "name", "ext"))


def call_accessor(run: Run, held: Accessor, name: str, call: Invocation) -> Value:
    """pl.col("a").str.to_uppercase()"""
    if held.kind == "name":
        return rename(run, held.expr, name, call.arguments, call.node)

    special = SPECIAL.get((held.kind, name))
    if special is not None:
        return special(run, held.expr, call)

    return call_plain(held.expr, name, call, run)


def call_plain(held: Expr, name: str, call: Invocation, run: Run) -> Expr:
    """Return a call that transforms a column and the columns among its arguments."""
    given = [*call.arguments, *call.keywords.values()]
    others = [expr_of(run, each, call.node) for each in given if isinstance(each, Expr)]
    return held.with_tree(transforming_call(name, held.tree, *trees_of(others)), *others)


def rename(run: Run, held: Expr, name: str, arguments: Arguments, node: ast.AST) -> Value:
    """pl.all().name.suffix("_x"), .name.map(lambda name: name.upper())"""
    if name == "map" and arguments:
        return replace(held, rename=map_name(run, arguments[0], node))

    make = NAMINGS.get(name)
    if make is None or not all_are(arguments, str):
        run.report(Code.UNSUPPORTED_CONSTRUCT, f"Expr.name.{name} is not traced", node)
        return replace(held, name="{…}")

    return replace(held, rename=make(*arguments))


def map_name(run: Run, function: Value, node: ast.AST) -> NameOf:
    """Return what a function of the program makes of a name."""

    def name_of(root: str) -> str:
        """Return the name that the program's function makes of a column's name."""
        found = invoke(run, function, Invocation([root], {}, node))
        if isinstance(found, str):
            return found

        run.dynamic(note_of("a name", found), node)
        return "{…}"

    return name_of
