"""Expressions of Polars: from the values of a program to trees, and to the columns they make."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.algebra.frame import Slot, answer
from lineal.extract.dataframes.pandas.values import Series
from lineal.extract.dataframes.polars.values import (
    NOTHING,
    PERHAPS,
    Expr,
    PolarsFrame,
    Selector,
)
from lineal.extract.pyspark.collected import subquery
from lineal.extract.pyspark.columns.alternatives import ONE_BRANCH, alternatives
from lineal.extract.pyspark.columns.trees import (
    BINARY,
    COMPARED,
    identifier,
    literal,
    mark_place,
)
from lineal.extract.pyspark.dispatch import relation_in
from lineal.extract.pyspark.frame_scope import Bound, FrameScope
from lineal.extract.pyspark.frames.changes import star_slot_like
from lineal.extract.pyspark.frames.project import lineage_of
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.relation import Attribute, Relation, fresh
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import (
    Choice,
    Library,
    Pattern,
    Unknown,
    Value,
    note_of,
    trees_of,
)
from lineal.extract.sql.nodes import meta_of
from lineal.model.edge import Doubt
from lineal.model.patterns import SlowPattern, compile_pattern
from lineal.model.sequences import all_are
from lineal.model.way import Clause, Confidence

LITERAL = "literal"
SOME_COLUMNS = Doubt(
    Confidence.LOW, False, "a selector over columns whose names or types are not known"
)

# -- making expressions ----------------------------------------------------------------------------


def column_expr(run: Run, name: str, node: ast.AST) -> Expr:
    """pl.col("a"), pl.col("*"), pl.col("^x_.*$")"""
    if name == "*":
        return expand_selector(run, Selector(lambda *_: True), node)

    if name.startswith("^") and name.endswith("$"):
        return expand_selector(run, by_pattern(name), node)

    return Expr(mark_place(run, exp.Column(this=identifier(name)), node), root=name)


def by_pattern(text: str) -> Selector:
    """pl.col("^x_.*$"), cs.matches("x_")"""
    try:
        found = compile_pattern(text)
    except (re.error, SlowPattern):
        return Selector(lambda name, kind: None, PERHAPS)

    return Selector(lambda name, kind: found.search(name) is not None, PERHAPS)


def named_columns(names: Iterable[str]) -> Selector:
    """pl.col("a", "b"), cs.by_name("a", "b")"""
    several = tuple(names)
    keys = {name.lower() for name in several}
    return Selector(lambda name, kind: name.lower() in keys, NOTHING, names=several)


def expand_selector(run: Run, selector: Selector, node: ast.AST) -> Expr:
    """Return an expression for each column that a selector takes."""
    tree = mark_place(run, exp.Placeholder(), node)
    tree._meta["several"] = selector
    return Expr(tree)


def unknown_expr(run: Run, held: Value, node: ast.AST) -> Expr:
    """Report columns that only a run knows."""
    run.dynamic(note_of("columns", held), node, getattr(held, "level", Confidence.UNKNOWN))
    tree = exp.Placeholder()
    tree.meta["unknown"] = True
    return Expr(tree, root="{…}")


def expr_of(run: Run, held: Value, node: ast.AST, names: bool = True) -> Expr:
    """Return a value as an expression.

    df.select("a")      a text is a column, where `names` says so; else it is a constant
    """
    if held.__class__ is Expr:
        found: Expr = held
        return found

    if held.__class__ is Selector:
        return expand_selector(run, held, node)

    if isinstance(held, Pattern):
        if names:
            return unknown_expr(run, held, node)

        return constant(run, held, node)

    if isinstance(held, str) and names:
        return column_expr(run, held, node)

    if isinstance(held, Series):
        return Expr(subquery(column_of_series(run, held)), root=held.name or LITERAL)

    relation = relation_in(held)
    if relation is not None:
        return Expr(subquery(relation), root=LITERAL)

    if isinstance(held, Choice) and names and all_are(held.options, str):
        return one_of([column_expr(run, each, node) for each in held.options])

    if isinstance(held, (Unknown, Library, Choice)) and names:
        return unknown_expr(run, held, node)

    return constant(run, held, node)


def column_of_series(run: Run, held: Series) -> Relation:
    """Return a series of pandas as a frame of one column."""
    relation = held.table.relation
    evaluation = run.evaluation()
    lineage = lineage_of(held.tree, FrameScope(relation, evaluation, Clause.SELECT))
    run.take_diagnostics(evaluation.diagnostics)
    name = held.name or LITERAL
    made = relation.derive([fresh(Slot(name, name.lower(), lineage))], None, evaluation)
    made.parents = (*made.parents, *held.parents)
    return made


def one_of(options: list[Expr]) -> Expr:
    """Return a column that is one of several."""
    tree = alternatives(*trees_of(options))
    return Expr(tree, root=options[0].root, doubt=ONE_BRANCH)


def constant(run: Run, held: Value, node: ast.AST) -> Expr:
    """pl.lit(1), pl.col("a") == "x", pl.col("a").is_in(["x", "y"])"""
    if isinstance(held, (list, tuple, set)):
        items = [expr_of(run, each, node, names=False) for each in held]
        array = exp.Array(expressions=trees_of(items))
        return Expr(array, root=LITERAL)

    return Expr(literal(run, held, node), root=LITERAL)


def exprs_of(run: Run, arguments: Iterable[Value], node: ast.AST) -> list[Expr]:
    """Return the expressions of arguments.

    select("a", pl.col("b"), ["c", "d"])
    """
    found: list[Expr] = []
    for argument in arguments:
        plain = isinstance(argument, (str, dict, Expr, Selector))
        several = None if plain else items_of(argument)
        if several is not None:
            found.extend(exprs_of(run, several, node))
        elif argument is not None:
            found.append(expr_of(run, argument, node))

    return found


def named_exprs(run: Run, call: Invocation) -> list[Expr]:
    """select(pl.col("a"), total=pl.col("b") * 2)      a keyword is an alias"""
    found = exprs_of(run, call.arguments, call.node)
    for name, held in call.keywords.items():
        made = expr_of(run, held, call.node)
        found.append(replace(made, name=name, rename=None))

    return found


# -- operators -------------------------------------------------------------------------------------

MORE_BINARY: dict[type, Any] = {
    ast.FloorDiv: exp.IntDiv,
    ast.BitXor: exp.BitwiseXor,
    ast.BitAnd: exp.And,
    ast.BitOr: exp.Or,
}
UNARY: dict[type, Any] = {ast.Invert: exp.Not, ast.USub: exp.Neg}


def operate(run: Run, op: type, left: Value, right: Value, node: ast.AST) -> Value:
    """pl.col("a") + 1, pl.col("a") > pl.col("b"), ~pl.col("a")"""
    if issubclass(op, ast.unaryop):
        held = expr_of(run, left, node)
        kind = UNARY.get(op)
        if kind is not None:
            return held.with_tree(kind(this=held.tree))

        return held

    kind = COMPARED.get(op) or MORE_BINARY.get(op) or BINARY.get(op, exp.Add)
    return combine(kind, *(expr_of(run, each, node, names=False) for each in (left, right)))


def transforming_call(name: str, *trees: Any) -> Any:
    """Return a call that transforms its arguments, whatever SQL means by its name.

    pl.col("xs").list.first()
    """
    tree = exp.Anonymous(this="polars", expressions=list(trees))
    tree._meta = {"function": name}
    return tree


def combine(kind: Any, left: Expr, right: Expr) -> Expr:
    """Return a binary operator over two expressions, called after the first column."""
    return left.with_tree(kind(this=left.tree, expression=right.tree), right)


def conjunction_of(exprs: list[Expr]) -> Expr | None:
    """filter(a, b)      a AND b"""
    found: Expr | None = None
    for each in exprs:
        found = each if found is None else combine(exp.And, found, each)

    return found


# -- expanding: the columns that an expression makes of a frame ------------------------------------


class Item(NamedTuple):
    """One output column: an expression under a name, or an open star that goes on as it is."""

    tree: Any
    name: str
    doubt: Doubt | None = None
    star: Attribute | None = None


def expand(run: Run, frame: PolarsFrame, expr: Expr, node: ast.AST) -> list[Item]:
    """Return the columns of an expression: several, where a selector is in it."""
    if expr.tree.find(exp.Placeholder) is None:
        return [Item(settle(frame, expr.tree), title_of(expr, expr.root or LITERAL), expr.doubt)]

    expr = combine_selected(run, frame, expr, node)
    leaves = [each for each in expr.tree.find_all(exp.Placeholder) if "several" in each.meta]
    if not leaves:
        return [Item(settle(frame, expr.tree), title_of(expr, expr.root or LITERAL), expr.doubt)]

    columns = [takes(run, frame.relation, leaf.meta["several"], node) for leaf in leaves]
    first = columns[0]
    found: list[Item] = []
    for position, (attribute, doubt) in enumerate(first):
        if attribute.slot.star is not None:
            found.append(open_item(run, expr, attribute, doubt, node))
            continue

        tree = expr.tree
        for leaf, several in zip(leaves, columns, strict=True):
            own = several[position] if len(several) == len(first) else several[0]
            tree = put(run, tree, leaf, own[0].slot.name, node)

        found.append(Item(settle(frame, tree), title_of(expr, attribute.slot.name), doubt))

    return found


def combine_selected(run: Run, frame: PolarsFrame, expr: Expr, node: ast.AST) -> Expr:
    """pl.sum_horizontal(cs.numeric())      one column of all that the selector takes"""
    leaves = [each for each in expr.tree.find_all(exp.Placeholder) if "together" in each.meta]
    if not leaves:
        return expr

    several = {
        id(leaf.meta["together"]): takes(run, frame.relation, leaf.meta["together"], node)
        for leaf in leaves
    }

    def columns(part: Any) -> Any:
        """Replace a placeholder for several columns with a tuple of these columns."""
        if not isinstance(part, exp.Placeholder) or "together" not in part.meta:
            return part

        taken = several[id(part.meta["together"])]
        trees = [column_or_star(run, frame.relation, each[0], node) for each in taken]
        return exp.Tuple(expressions=trees)

    taken = list(chain.from_iterable(several.values()))
    first = next((each.slot.name for each, _ in taken), LITERAL)
    doubt = expr.doubt or next((doubt for _, doubt in taken if doubt is not None), None)
    return replace(expr, tree=expr.tree.transform(columns), root=expr.root or first, doubt=doubt)


def column_or_star(run: Run, relation: Relation, attribute: Attribute, node: ast.AST) -> Any:
    """Return a column of a frame as a tree; unknown ones are a star without the known ones."""
    if attribute.slot.star is not None:
        known = [identifier(name) for name in relation.names]
        return mark_place(run, exp.Star(except_=known), node)

    return mark_place(run, exp.Column(this=identifier(attribute.slot.name)), node)


def put(run: Run, tree: Any, leaf: Any, name: str, node: ast.AST) -> Any:
    """Return a copy of a tree with a column in the place of a selector."""
    wanted = leaf.meta["several"]

    def column(part: Any) -> Any:
        """Replace the placeholder of the selector with the column that it selects now."""
        if isinstance(part, exp.Placeholder) and part.meta.get("several") is wanted:
            return mark_place(run, exp.Column(this=identifier(name)), node)

        return part

    return tree.transform(column)


def title_of(expr: Expr, root: str) -> str:
    """Return the name of a column that an expression makes."""
    name = expr.name
    if name is None:
        name = root

    if expr.rename is not None:
        return expr.rename(name)

    return name


Taken = tuple[Attribute, Doubt | None]


def takes(run: Run, relation: Relation, selector: Selector, node: ast.AST) -> list[Taken]:
    """Return the columns that a selector takes, and how sure that is."""
    if selector.names:
        return [(named_attribute(relation, name), None) for name in selector.names]

    found: list[Taken] = []
    doubtful = False
    for attribute in relation.attributes:
        if attribute.slot.star is not None:
            found += open_columns(attribute, selector)
            doubtful |= selector.unnamed is PERHAPS
            continue

        kind = relation.types.get(attribute.id, "")
        held = selector.test(attribute.slot.name, kind)
        doubtful |= held is None
        if held is not False:
            found.append((attribute, SOME_COLUMNS if held is None else None))

    if doubtful:
        run.dynamic(
            "columns that a selector takes, of unknown names or types", node, Confidence.LOW
        )

    return found


def named_attribute(relation: Relation, name: str) -> Attribute:
    """Return the column of a name; of an unknown schema, one that stands for the name."""
    held = relation.by_key.get(name.lower())
    if held:
        return held[0]

    return fresh(Slot(name, name.lower(), {}))


def open_columns(attribute: Attribute, selector: Selector) -> Iterator[Taken]:
    """Return the columns of an open star that a selector takes."""
    if not selector.unnamed.takes:
        return

    for key in selector.excepted:
        attribute = attribute._replace(slot=star_slot_like(attribute, key))

    yield attribute, (None if selector.unnamed.certain else SOME_COLUMNS)


def open_item(run: Run, expr: Expr, star: Attribute, doubt: Doubt | None, node: ast.AST) -> Item:
    """pl.all().fill_null(0), over columns whose names are not known      each of its own, LOW"""
    is_plain = isinstance(expr.tree, exp.Placeholder) and expr.rename is None
    if not is_plain:
        run.dynamic("an expression for each column, of unknown names", node, Confidence.LOW)
        doubt = SOME_COLUMNS

    if expr.rename is not None or doubt is not None:
        star = star.doubtful(doubt or SOME_COLUMNS)

    return Item(expr.tree, "*", doubt, star)


# -- columns of other frames -----------------------------------------------------------------------


def settle(frame: PolarsFrame, tree: Any) -> Any:
    """Resolve the columns that are not found by their name alone.

    other["id"] in an expression over df is a subquery; x_right after a join is x of the right side
    """
    return in_order(frame, settle_columns(frame, tree))


ORDERED = "ordered"
"""The mark of a window that takes the rows in the order of the frame."""


def in_order(frame: PolarsFrame, tree: Any) -> Any:
    """df.sort("at").with_columns(pl.col("x").shift(1))      Return a tree with the order of rows."""
    if not frame.order or not any(map(takes_order, tree.find_all(exp.Window))):
        return tree

    tree = tree.copy()
    for window in filter(takes_order, list(tree.find_all(exp.Window))):
        window.set("order", exp.Order(expressions=list(map(ordered_by, frame.order))))

    return tree


def takes_order(window: exp.Window) -> bool:
    """Tell whether a window takes the rows in the order of the frame."""
    return ORDERED in meta_of(window) and window.args.get("order") is None


def ordered_by(key: exp.Column) -> exp.Ordered:
    """Return a sort key for one more window; it shares the column that it means."""
    column = exp.Column(this=key.this.copy())
    column._meta = meta_of(key)
    return exp.Ordered(this=column)


def settle_columns(frame: PolarsFrame, tree: Any) -> Any:
    """Return a tree whose columns of other frames are resolved."""
    if not frame.suffixes and not any("bound" in each.meta for each in tree.find_all(exp.Column)):
        return tree

    def resolve(part: Any) -> Any:
        """Replace a column of another frame, or of a join's right side, with the one it means."""
        if not isinstance(part, exp.Column):
            return part

        if is_foreign(frame.relation, part):
            return column_of_other(part)

        return right_side(frame, part) or part

    return tree.transform(resolve)


def is_foreign(relation: Relation, node: exp.Column) -> bool:
    """Tell whether a column belongs to a frame that this one was not made of."""
    bound = meta_of(node).get("bound")
    if bound is None:
        return False

    return not relation.contains(bound.relation)


def column_of_other(node: exp.Column) -> Any:
    """other["id"]      the values of a column of another frame"""
    bound: Bound = node.meta["bound"]
    held = bound.relation
    found = [each for each in held.attributes if each.id == bound.id]
    if found and found[0].slot.star is not None:
        slot = answer(found[0].slot.star, node.name, bound.key)
        found = [found[0]._replace(slot=slot)] if slot is not None else []

    made = subquery(held.derive(found))
    made.meta["at"] = node.meta.get("at")
    return made


def right_side(frame: PolarsFrame, node: exp.Column) -> Any | None:
    """x_right, after a join with a frame of unknown columns      its x; and x is that of the left"""
    name = node.name
    if not frame.suffixes or name.lower() in frame.relation.by_key or "bound" in node.meta:
        return None

    for suffix in reversed(frame.suffixes):
        base = name.removesuffix(suffix.text)
        if base != name:
            return column_of_side(suffix.right, base, node)

        if suffix.text and f"{name}{suffix.text}" in suffix.program:
            return column_of_side(suffix.left, name, node)

    return None


def column_of_side(side: Relation, name: str, node: exp.Column) -> Any | None:
    """Return a column of one side of a join, whose columns are not known."""
    if len(side.stars) != 1:
        return None

    made = exp.Column(this=identifier(name))
    bound = Bound(side, side.stars[0].id, name.lower())
    made._meta = {**meta_of(node), "bound": bound}
    return made
