"""sqlglot: lineage(None, …) gives all columns at once; of INSERT and CREATE … AS the query inside
is asked.
"""

from __future__ import annotations

from typing import Any

from loop import Pairs, answer_all
from sqlglot import exp, parse_one
from sqlglot.lineage import lineage


def pairs_of(question: dict[str, Any]) -> Pairs:
    dialect = question["dialect"] or None
    tree = parse_one(question["sql"], read=dialect)
    names: list[str] = []
    if isinstance(tree, (exp.Insert, exp.Create)):
        if isinstance(tree.this, exp.Schema):
            names = [column.name for column in tree.this.expressions]
        tree = tree.expression
    if not isinstance(tree, exp.Query):
        raise ValueError("lineage() takes queries only")
    found = lineage(None, tree, nested_schema(question["schema"]), dialect=dialect)
    for position, (name, node) in enumerate(found.items()):
        for leaf in node.walk():
            if isinstance(leaf.expression, exp.Table):
                target = names[position] if position < len(names) else name
                yield table_name(leaf.expression), leaf.name.rpartition(".")[2], target


def table_name(table: exp.Table) -> str:
    return ".".join(part.name for part in table.parts)


def nested_schema(schema: dict[str, dict[str, str]]) -> dict[str, Any]:
    """db.t

    {db: {t: …}}; names without a schema next to them get none, and all have to be equally deep
    """
    depth = max((name.count(".") for name in schema), default=0)
    made: dict[str, Any] = {}
    for name, columns in schema.items():
        if name.count(".") == depth:
            *parents, last = name.split(".")
            level = made
            for parent in parents:
                level = level.setdefault(parent, {})
            level[last] = columns
    return made


answer_all(pairs_of)
