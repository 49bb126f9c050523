"""Rows of a frame: sorted, left out, compared, counted, repeated."""

from __future__ import annotations

import ast
import re
from collections import ChainMap
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import DISTINCT_ON, FILTERS
from lineal.algebra.lineage import Lineage
from lineal.algebra.relation import compare, explode
from lineal.algebra.relation import distinct as without_repetition
from lineal.extract.dataframes.pandas.calls import Call, relations_of, set_column
from lineal.extract.dataframes.pandas.selection import (
    narrow_rows,
    rows_by_label,
    some_columns,
    sort_rows,
)
from lineal.extract.dataframes.pandas.trees import transforming_call
from lineal.extract.dataframes.pandas.values import Series, Table
from lineal.extract.pyspark.dispatch import value as evaluate
from lineal.extract.pyspark.knowledge import is_text
from lineal.extract.pyspark.relation import Draft
from lineal.extract.pyspark.values import Pattern, Unknown, Value
from lineal.model.sequences import instances
from lineal.model.way import Clause


def same_frame(call: Call, table: Table) -> Table:
    """Return the frame itself, or as many of its rows as nobody's values decide.

    df.head(), df.copy(), df.sample(10)
    """
    return table


def sort_values(call: Call, table: Table) -> Table:
    """df.sort_values(["a", "b"], ascending=False)"""
    names = call.names(call.get(0, "by"))
    if names is None:
        return table

    columns = tuple(call.column(table, name) for name in names)
    sorted_ = sort_rows(call, table, call.leaves(columns))
    return Table(sorted_.relation, sorted_.index, columns)


def sort_index(call: Call, table: Table) -> Table:
    """df.sort_index()      by the columns of the index"""
    if call.get(0, "axis", 0) in (1, "columns"):
        return table

    sorted_ = sort_rows(call, table, call.leaves(table.index))
    return Table(sorted_.relation, sorted_.index, table.index)


def largest(call: Call, table: Table) -> Table:
    """df.nlargest(5, "amount")      as sort_values and head"""
    names = call.names(call.get(1, "columns"))
    if names is None:
        return table

    return sort_rows(call, table, [call.leaf(call.column(table, name)) for name in names])


def drop_missing(call: Call, table: Table) -> Table:
    """df.dropna(), df.dropna(subset=["a"])      missing values decide which rows stay"""
    if call.get(0, "axis", 0) in (1, "columns"):
        call.dynamic("columns that the data decides")
        return some_columns(call, table)

    subset = call.get(-1, "subset")
    if subset is None:
        return compare_all(call, table, FILTERS)

    names = call.names(subset)
    if names is None:
        return table

    return narrow_rows(call, table, leaves(call, table, names))


def compare_all(call: Call, table: Table, way: Any) -> Table:
    """Return a table whose rows every column decides."""
    rows = dict(table.relation.rows)
    compare(table.relation.frame.slots, way, rows)
    return table.with_relation(call.derive(table, None, call.evaluation(), rows))


def drop_duplicates(call: Call, table: Table) -> Table:
    """df.drop_duplicates(), df.drop_duplicates(subset=["id"], keep="last")"""
    subset = call.get(0, "subset")
    if subset is None:
        rows = without_repetition(table.relation.frame).rows
        return table.with_relation(call.derive(table, None, call.evaluation(), rows))

    names = call.names(subset)
    if names is None:
        return table

    return narrow_rows(call, table, leaves(call, table, names), DISTINCT_ON, Clause.DISTINCT_ON)


def is_duplicate(call: Call, table: Table) -> Series:
    """df.duplicated(subset=["id"])      whether a row was there before"""
    subset = call.get(0, "subset")
    if subset is None:
        trees = call.leaves(table.relation.attributes)
    else:
        trees = leaves(call, table, call.names(subset) or [])

    return Series(transforming_call("duplicated", *trees), None, table)


def leaves(call: Call, table: Table, names: Sequence[str]) -> list[Any]:
    """Return columns as expressions."""
    return [call.leaf(call.column(table, name)) for name in names]


def explode_column(call: Call, table: Table) -> Table:
    """df.explode("tags")      a row for each item; how many there are decides the rows"""
    names = call.names(call.get(0, "column"))
    if names is None:
        return table

    evaluation = call.evaluation()
    draft = Draft(table.relation)
    trees = leaves(call, table, names)
    for name, tree in zip(names, trees, strict=True):
        made = call.make(name, transforming_call("explode", tree), table.relation, evaluation)
        set_column(draft, made)

    rows = exploded_rows(call, table, trees, evaluation)
    return table.with_relation(call.derive(table, draft.attributes, evaluation, rows))


def exploded_rows(call: Call, table: Table, trees: Sequence[Any], evaluation: Any) -> Lineage:
    """Return what decides the rows of a table whose rows are repeated for each item of some lists."""
    arrays = call.expressions(table.relation, evaluation, trees, Clause.LATERAL)
    found: Lineage = explode(table.relation.frame, (), arrays).rows
    return found


# -- query and eval --------------------------------------------------------------------------------

LOCAL = re.compile(r"@(\w+)")
LOCAL_PREFIX = "local_"
QUOTED = re.compile(r"`([^`]+)`")


def query(call: Call, table: Table) -> Table:
    """df.query("a > 1 and b in @names")"""
    text = call.get(0, "expr")
    trees = trees_in(call, table, text)
    if trees is None:
        return table

    return narrow_rows(call, table, trees, parents=relations_of(locals_in(call, str(text))))


def eval_(call: Call, table: Table) -> Value:
    """df.eval("total = price * qty")      a column for each line that assigns one"""
    text = call.get(0, "expr")
    if not is_text(text):
        call.dynamic("an expression", text)
        return table

    for line in filter(None, map(str.strip, text.splitlines())):
        name, equals, value = line.partition("=")
        is_assignment = bool(equals) and name.strip().isidentifier() and not value.startswith("=")
        tree = expression_of(call, table, value if is_assignment else line)
        if not is_assignment:
            return Series(tree, None, table)

        table = call.assign(table, {name.strip(): tree}, relations_of(locals_in(call, value)))

    return table


def trees_in(call: Call, table: Table, text: Value) -> list[Any] | None:
    """Return the columns of a condition that is written as a text."""
    if not isinstance(text, str):
        call.dynamic("a condition", text)
        return None

    if isinstance(text, Pattern):
        call.dynamic("a part of a condition is only known when it runs")

    return [expression_of(call, table, text)]


def locals_in(call: Call, text: str) -> list[Value]:
    """Return the variables of the program that an expression names: "id in @known"."""
    variables = ChainMap(*(each.names for each in call.run.environments_at_hand()))
    found = list(map(variables.get, dict.fromkeys(LOCAL.findall(text))))
    for each in instances(found, Unknown):
        call.dynamic("a value", each)

    return found


def local_trees(call: Call, table: Table, held: list[Value]) -> list[exp.Expr]:
    """Return the series and values of frames that an expression names, as expressions."""
    return [
        call.fit_series(each.with_tree(each.tree, is_scalar=True), table.relation.rows)
        for each in instances(held, Series)
    ]


LOCAL_NAME = "local_of_program_"
CHAIN = (ast.Attribute, ast.Call, ast.Subscript)


def take_locals(call: Call, tree: ast.Expression) -> list[Value]:
    """price > @limits.price.max()      Return the values over variables, and cut them out."""
    cutter = LocalsCutter()
    cutter.visit(tree)
    env = call.run.env
    if env is None:
        return []

    for each in cutter.found:
        for node in ast.walk(each):
            ast.copy_location(node, call.node)

    return [evaluate(call.run, each, env) for each in cutter.found]


class LocalsCutter(ast.NodeTransformer):
    """Cuts the expressions over variables of the program out of an expression over columns."""

    def __init__(self) -> None:
        """Begin with nothing cut out."""
        self.found: list[ast.expr] = []

    def visit(self, node: ast.AST) -> ast.AST:
        """Replace a chain of calls and attributes that begins with a variable."""
        root = node
        while isinstance(root, CHAIN):
            root = root.func if isinstance(root, ast.Call) else root.value

        if not isinstance(root, ast.Name) or not root.id.startswith(LOCAL_NAME):
            return self.generic_visit(node)

        assert isinstance(node, ast.expr)
        root.id = root.id.removeprefix(LOCAL_NAME)
        self.found.append(node)
        return ast.Constant(value=None)


def expression_of(call: Call, table: Table, text: str) -> Any:
    """Return the expression that a text of pandas spells: its names are columns."""
    quoted: dict[str, str] = {}

    def stand_in(found: re.Match[str]) -> str:
        """Replace a quoted name with a plain one."""
        quoted[f"quoted_{len(quoted)}"] = found[1]
        return f"quoted_{len(quoted) - 1}"

    plain = LOCAL.sub(LOCAL_NAME + r"\1", QUOTED.sub(stand_in, re.sub(r"\{[^{}]*\}", "None", text)))
    try:
        whole = ast.parse(plain.strip().replace("\n", " "), mode="eval")
    except SyntaxError:
        call.report_unsupported("an expression that is not Python")
        return call.tree(None)

    others = local_trees(call, table, take_locals(call, whole))
    tree = whole.body
    if isinstance(tree, ast.Name):
        return call.leaf(call.column(table, quoted.get(tree.id, tree.id)))

    names = [each.id for each in ast.walk(tree) if isinstance(each, ast.Name)]
    spelled = [quoted.get(name, name) for name in dict.fromkeys(names)]
    columns = [name for name in spelled if name not in ("True", "False", "index", "abs", "sqrt")]
    return transforming_call("eval", *leaves(call, table, columns), *others)


ROWS = {
    **dict.fromkeys(
        ("head", "tail", "copy", "sample", "truncate", "infer_objects", "convert_dtypes",
         "set_flags", "tz_localize", "tz_convert", "take", "swaplevel", "to_timestamp",
         "to_period"),
        same_frame,
    ),
    **dict.fromkeys(("asfreq", "between_time", "at_time", "first", "last", "xs"), rows_by_label),
    "sort_values": sort_values,
    "sort_index": sort_index,
    "nlargest": largest,
    "nsmallest": largest,
    "dropna": drop_missing,
    "drop_duplicates": drop_duplicates,
    "duplicated": is_duplicate,
    "explode": explode_column,
    "query": query,
    "eval": eval_,
}  # fmt: skip
"""Methods of a frame that concern its rows."""
