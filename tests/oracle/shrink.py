"""A statement that fails, made smaller while it still fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

CLAUSES = (
    "where",
    "group",
    "having",
    "qualify",
    "order",
    "limit",
    "distinct",
    "with_",
    "windows",
    "alias",
    "partition_by",
)
MOST_TRIES = 1500


def shrunk(text: str, fails: Callable[[str], bool]) -> str:
    """The smallest text that dropping and replacing parts of the tree leads to; the text itself if
    nothing does.
    """
    tries = 0
    progress = True
    while progress and tries < MOST_TRIES:
        progress = False
        for smaller in smaller_texts(text):
            tries += 1
            if tries >= MOST_TRIES:
                break
            if len(smaller) < len(text) and fails(smaller):
                text, progress = smaller, True
                break
    return text


def smaller_texts(text: str) -> Iterator[str]:
    try:
        tree = parse_one(text, read="duckdb")
    except SqlglotError:
        return
    size = sum(1 for _ in tree.walk())
    for position in range(size):
        for change in changes(nth(tree, position)):
            copy = tree.copy()
            made = change(nth(copy, position))
            if made is not None:
                copy = made if made is not True else copy
            try:
                yield copy.sql(dialect="duckdb")
            except (SqlglotError, AttributeError, KeyError, IndexError, TypeError, ValueError):
                continue


def nth(tree: exp.Expression, position: int) -> exp.Expression:
    for number, node in enumerate(tree.walk()):
        if number == position:
            return node
    raise IndexError(position)


def changes(node: exp.Expression) -> Iterator[Callable[[exp.Expression], object]]:
    """Ways to make the tree smaller at one node."""
    for clause in CLAUSES:
        if node.args.get(clause) and not isinstance(node, exp.CTE):
            yield lambda each, clause=clause: bool(each.set(clause, None)) or True
    for name, value in node.args.items():
        if isinstance(value, list) and (len(value) > 1 or name == "joins"):
            for index in range(len(value)):
                yield (
                    lambda each, name=name, index=index: (
                        bool(
                            each.set(name, [v for i, v in enumerate(each.args[name]) if i != index])
                        )
                        or True
                    )
                )
    if isinstance(node, exp.Condition) and node.parent is not None:
        for child in range(len(list(node.iter_expressions()))):
            yield (
                lambda each, child=child: (
                    bool(each.replace(list(each.iter_expressions())[child])) or True
                )
            )
    if isinstance(node, exp.SetOperation):
        for side in ("this", "expression"):
            yield lambda each, side=side: bool(each.replace(each.args[side])) or True
    if isinstance(node, exp.Query) and node.parent is not None:
        yield lambda each: each
