"""Constructs that some projects do without: CTEs and derived tables, looked for only when somebody
asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from sqlglot import exp

from lineal.extract.sql.expansions import reading_of
from lineal.extract.sql.parse import allow_deep_calls, parse
from lineal.extract.sql.reading import Reading
from lineal.model.finding import Construct
from lineal.model.script import Corpus, Script

CTE, DERIVED = "cte", "derived table"

INLINED = "__dbt__cte__"
"""The text that dbt itself puts in the place of an ephemeral model."""


def constructs_of(corpus: Corpus) -> list[Construct]:
    """Every CTE and derived table of a corpus, in the order of the text."""
    bodies = [function.body for function in corpus.functions]
    scripts = [script for script in (*corpus.scripts, *bodies) if script.dialect != "python"]
    with allow_deep_calls():
        return list(dict.fromkeys(chain.from_iterable(map(_in_script, scripts))))


def _in_script(script: Script) -> Iterator[Construct]:
    """Yield the CTEs and subqueries of a script."""
    if "(" not in script.text:  # each of them stands in parentheses
        return

    reading = reading_of(script)
    trees, _, _ = parse(reading)
    for tree in trees:
        yield from _in_tree(tree, reading, script.target or "")


def _in_tree(tree: exp.Expr, reading: Reading, dataset: str) -> Iterator[Construct]:
    """Yield the CTEs and subqueries of a statement, in the order of the text."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        kind = _kind(node)
        if kind and not node.alias.startswith(INLINED):
            yield Construct(
                kind, node.alias, dataset, reading.place_of(node.args.get("alias") or node)
            )

        waiting.extend(reversed(list(node.iter_expressions())))


def _kind(node: exp.Expr) -> str:
    """Return the name of a construct by which coverage is counted.

    WITH x AS (…)      FROM (SELECT …) x
    """
    if isinstance(node, exp.CTE):
        return CTE

    inside = isinstance(node, exp.Subquery) and isinstance(
        node.parent, (exp.From, exp.Join, exp.Lateral)
    )
    if inside and isinstance(node.this, exp.Query):
        return DERIVED

    return ""
