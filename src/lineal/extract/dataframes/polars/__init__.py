"""Polars: lazy and eager frames, which never change, and expressions over their columns.

values.py         frames, expressions, selectors, groups
expressions.py    from the values of a program to trees, and to the columns that they make
methods.py        methods of expressions; namespaces.py those of expr.str, expr.dt, …
functions.py      pl.col, pl.lit, pl.when, …; selectors.py polars.selectors
projection.py     select and with_columns, by the verbs
frames.py         methods of frames; groups.py, joins.py and reshape.py those of their kind
sources.py        files and tables; sql.py SQL over frames
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from lineal.extract.dataframes.polars.expressions import operate
from lineal.extract.dataframes.polars.frames import (
    FRAME_METHODS,
    FRAME_PARTS,
    call_frame,
    item_of_frame,
)
from lineal.extract.dataframes.polars.functions import FUNCTIONS, column_member
from lineal.extract.dataframes.polars.groups import GROUP_METHODS, call_groups
from lineal.extract.dataframes.polars.joins import append, concat
from lineal.extract.dataframes.polars.methods import METHODS, SCALAR_METHODS, call_function, then
from lineal.extract.dataframes.polars.namespaces import KINDS, call_accessor
from lineal.extract.dataframes.polars.selectors import SELECTORS, operate_on_selectors
from lineal.extract.dataframes.polars.sources import SINKS, SOURCES, of_columns
from lineal.extract.dataframes.polars.sql import (
    call_context,
    context,
    sql_of_frame,
    sql_over_globals,
)
from lineal.extract.dataframes.polars.values import (
    Accessor,
    Expr,
    Groups,
    PolarsFrame,
    SchemaNames,
    Selector,
    SqlContext,
    When,
)
from lineal.extract.pyspark.branches import MERGES, merge_relations
from lineal.extract.pyspark.collected import rows_of
from lineal.extract.pyspark.columns.alternatives import ONE_BRANCH, alternatives
from lineal.extract.pyspark.dispatch import (
    ATTRIBUTES,
    COMPUTED,
    FRAMES,
    ITEMS,
    OPERATIONS,
    RECEIVERS,
    RELATIONS,
)
from lineal.extract.pyspark.frame_libraries import KNOWN, TRACED, FrameLibrary
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.items import SLICED
from lineal.extract.pyspark.knowledge import UNDECIDED_CLASSES
from lineal.extract.pyspark.library_functions import LIBRARIES
from lineal.extract.pyspark.library_names import MEMBERS
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.sizes import (
    BOUNDS,
    MOST_NODES,
    WIDENED,
    bound_frame,
    leaves_of,
    size_of_tree,
)
from lineal.extract.pyspark.values import Method, Unknown, Value, trees_of
from lineal.model.diagnostic import Code
from lineal.model.edge import Doubt
from lineal.model.sequences import instances
from lineal.model.way import Confidence

STRONG = frozenset(
    """with_columns with_columns_seq group_by group_by_dynamic join_asof join_where unpivot unnest
    select filter sort scan_parquet sink_parquet sink_csv sink_ipc sink_ndjson write_parquet
    write_csv write_database write_delta write_ipc write_ndjson write_excel with_row_index collect
    lazy collect_schema partition_by explode fill_null drop_nulls""".split()  # noqa: SIM905
)
"""Names that only frames of Polars have: what they are read from is one."""

COMPUTED_DOUBT = Doubt(Confidence.MEDIUM, False, "made by a function that only a run knows")
NOT_TRACED = Doubt(Confidence.LOW, False, "made by a method that is not traced")


def of_frame(run: Run, held: PolarsFrame, name: str, node: ast.AST) -> Value:
    """df.select, df.columns, df.height"""
    part = FRAME_PARTS.get(name)
    if part is not None:
        return part(run, held, name, node)

    if name in ("height", "width", "shape", "dtypes", "flags"):
        return Unknown(name, "only the data knows", inputs=(held.relation,))

    return Method(held, name)


def of_expr(run: Run, held: Expr, name: str, node: ast.AST) -> Value:
    """pl.col("a").sum, pl.col("a").str"""
    if name in KINDS:
        return Accessor(held, name)

    if name in ("name", "shape", "dtype"):
        return Unknown(name, "only the data knows")

    return Method(held, name)


def call_expr(run: Run, held: Expr, name: str, call: Invocation) -> Value:
    """pl.col("a").sum()"""
    handler = METHODS.get(name)
    if handler is not None:
        return handler(run, held, call)

    if name in SERIES_METHODS:
        return SERIES_METHODS[name](run, held, call)

    made = call_function(run, held, name, call)
    if name in SCALAR_METHODS:
        return made

    run.report(Code.UNSUPPORTED_CONSTRUCT, f"Expr.{name} is not traced", call.node)
    return replace(made, doubt=NOT_TRACED)


def to_frame(run: Run, held: Expr, call: Invocation) -> PolarsFrame:
    """df["a"].to_frame("b")"""
    name = call.arguments[0] if call.arguments else held.name or held.root
    return of_columns(run, {str(name): held}, call.node)


def values(run: Run, held: Expr, call: Invocation) -> Value:
    """df["a"].to_list()      values that only the data knows, of that column"""
    return rows_of("to_list()", to_frame(run, held, call.with_arguments([], {})).relation)


def is_series(held: Expr) -> bool:
    """df["a"]      Tell whether the columns of an expression are values of a frame."""
    columns = list(held.tree.find_all(exp.Column))
    return bool(columns) and all("bound" in each.meta for each in columns)


def value_counts(run: Run, held: Expr, call: Invocation) -> Value:
    """df["a"].value_counts()      a frame of a and count; of an expression, a struct of both"""
    if not is_series(held):
        return call_function(run, held, "value_counts", call.with_arguments(call.arguments, {}))

    frame = to_frame(run, held, call.with_arguments([], {}))
    groups = Groups(
        frame, [LIBRARIES["polars.col"](run, call.with_arguments([held.name or held.root], {}))]
    )
    name = call.keywords.get("name", "proportion" if call.keywords.get("normalize") else "count")
    return call_groups(run, groups, "len", call.with_arguments([name], {}))


def rename_series(run: Run, held: Expr, call: Invocation) -> Value:
    """df["a"].rename("b")"""
    return METHODS["alias"](run, held, call)


SERIES_METHODS: dict[str, Callable[[Run, Expr, Invocation], Value]] = {
    "to_frame": to_frame,
    "rename": rename_series,
    "value_counts": value_counts,
    "to_pandas": lambda run, held, call: held,
    **dict.fromkeys(("to_list", "to_numpy", "to_arrow", "describe", "to_dummies"), values),
}
"""Methods that only a Series has."""


def of_selector(run: Run, held: Selector, name: str, node: ast.AST) -> Value:
    """cs.numeric().sum, cs.string().str"""
    from_selector = LIBRARIES["polars.col"](run, Invocation([held], {}, node))
    return of_expr(run, from_selector, name, node)


def call_when(run: Run, held: When, name: str, call: Invocation) -> Value:
    """pl.when(test).then(value)"""
    if name == "then":
        return then(run, held, call)

    return Unknown(f"{name}()", "not followed")


def call_schema(run: Run, held: SchemaNames, name: str, call: Invocation) -> Value:
    """lf.collect_schema().names()"""
    relation = held.relation
    if not relation.complete:
        reason = "the schema is not known"
        return Unknown(name, reason, Confidence.LOW, inputs=(relation,))

    if name == "items":
        kind = Unknown("dtype", "a type that only a run knows")
        return [(each, kind) for each in relation.names]

    return list(relation.names)


def merge_frames(run: Run, left: PolarsFrame, right: PolarsFrame) -> Value:
    """if …: df = a else: df = b"""
    suffixes = (*left.suffixes, *(each for each in right.suffixes if each not in left.suffixes))
    return PolarsFrame(merge_relations(left.relation, right.relation), suffixes)


def merge_exprs(run: Run, left: Expr, right: Expr) -> Value:
    """if …: e = pl.col("a") else: e = pl.col("b")"""
    if left.tree == right.tree and left.name == right.name:
        return left

    if (left.name or left.root) != (right.name or right.root):
        name = left.name or left.root
        return replace(left, tree=alternatives(left.tree, right.tree), name=name, doubt=ONE_BRANCH)

    return replace(left, tree=alternatives(left.tree, right.tree))


def merge_groups(run: Run, left: Groups, right: Groups) -> Value:
    """if …: g = df.group_by("a") else: g = df.group_by("b")"""
    frame = merge_frames(run, left.frame, right.frame)
    more = [replace(each, doubt=ONE_BRANCH) for each in right.keys if each not in left.keys]
    return Groups(frame, [*left.keys, *more])


def computed_expr(run: Run, name: str, call: Invocation) -> Value:
    """company.clean(pl.col("a"))      an expression of what a function that is not here is given"""
    given = instances((*call.arguments, *call.keywords.values()), Expr)
    title = name.rpartition(".")[2]
    tree = exp.Anonymous(this=title, expressions=trees_of(given))
    return replace(given[0].with_tree(tree, *given[1:]), doubt=COMPUTED_DOUBT)


def open_frame(run: Run, relation: Relation) -> PolarsFrame:
    """Return a dataset as a frame."""
    return PolarsFrame(relation)


def bound_expr(run: Run, held: Expr, node: ast.AST) -> Value:
    """Widen an expression with too many nodes: e = e + e, in a loop."""
    size = size_of_tree(held.tree)
    run.step(size >> 6)
    if size <= MOST_NODES:
        return held

    run.report(Code.TOO_DEEP, f"{WIDENED.evidence}: {run.reading.text_of(node)}", node)
    return replace(held, tree=leaves_of(held.tree), doubt=WIDENED)


def register() -> None:
    """Enter the rows of Polars in the tables of the interpreter."""
    TRACED["polars"] = FrameLibrary(
        "polars", "Polars", STRONG, open_frame, ("pl.", "polars.", "LazyFrame")
    )
    RELATIONS[PolarsFrame] = lambda held: held.relation
    ATTRIBUTES.update({PolarsFrame: of_frame, Expr: of_expr, Selector: of_selector})
    RECEIVERS.update({
        PolarsFrame: call_frame, Expr: call_expr, Groups: call_groups, When: call_when,
        Accessor: call_accessor, SqlContext: call_context, SchemaNames: call_schema,
    })  # fmt: skip
    OPERATIONS.update({Expr: operate, Selector: operate_on_selectors})
    ITEMS[PolarsFrame] = item_of_frame
    SLICED.add(PolarsFrame)
    UNDECIDED_CLASSES.update(dict.fromkeys((Expr, Selector), lambda held: None))
    FRAMES.add(PolarsFrame)
    BOUNDS.update({PolarsFrame: bound_frame, Expr: bound_expr})
    COMPUTED[Expr] = computed_expr
    MERGES.extend(((PolarsFrame, merge_frames), (Expr, merge_exprs), (Groups, merge_groups)))
    FRAME_METHODS.update({**SINKS, "sql": sql_of_frame})
    FRAME_METHODS.update(dict.fromkeys(("vstack", "extend", "merge_sorted"), append))
    modules = {
        "polars": {**FUNCTIONS, **SOURCES, "concat": concat, "union": concat, "sql": sql_over_globals,
                   "SQLContext": context},
        "polars.selectors": SELECTORS,
    }  # fmt: skip
    LIBRARIES.update(
        (f"{module}.{name}", call)
        for module, calls in modules.items()
        for name, call in calls.items()
    )
    MEMBERS["polars.col"] = column_member
    KNOWN["Polars"] = {
        "DataFrame, LazyFrame": frozenset((*FRAME_METHODS, *FRAME_PARTS)),
        "GroupBy": frozenset(GROUP_METHODS),
        "Expr, Series": frozenset((*METHODS, *SCALAR_METHODS, *SERIES_METHODS)),
        "functions of polars": frozenset(modules["polars"]),
        "functions of polars.selectors": frozenset(SELECTORS),
    }


register()
