"""Statements over views that are not there: what defines them is put in their place, so that
nothing has to be made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lineal.extract.entries import Definition
from lineal.extract.sql.reading import offset_of
from lineal.extract.sql.tables import spell_table
from lineal.model.edge import Dataset
from lineal.resolve.definitions import Definitions

Missing = Callable[[Dataset], list[Definition]]
DEEPEST = 40


def compose_query(definition: Definition, missing: Missing, definitions: Definitions) -> str:
    """Return the query of a statement as the server can read it: its own text, where that is a
    query over existing tables.
    """
    plan, reading = definition.plan, definition.reading
    read = definition.evaluation.datasets_read if definition.evaluation is not None else {}
    offset = offset_of(plan.node)
    if plan.node is plan.query and offset is not None and not any(map(missing, read)):
        return str(reading.statement_at(offset))

    tree = plan.query.copy()
    if plan.with_ is not None:
        tree.set("with_", plan.with_.copy())

    return str(inline_views(tree, missing, definitions, 0).sql(dialect="postgres", comments=False))


def inline_views(tree: Any, missing: Missing, definitions: Definitions, depth: int) -> Any:
    """Replace the views that a server lacks by their queries.

    FROM v AS x      FROM (SELECT …) AS x
    """
    names = {cte.alias for cte in tree.find_all(exp.CTE)}
    for table in list(tree.find_all(exp.Table)):
        if depth > DEEPEST or not isinstance(table.this, exp.Identifier):
            continue

        if table.args.get("db") is None and table.name in names:
            continue

        spelling, key = spell_table(table, definitions.facts)
        if definitions.naming.speaks:
            spelling, key = definitions.naming.full(spelling, key)

        entry = definitions.entries.get(key)
        found = missing(entry.dataset) if entry is not None else []
        if found:
            table.replace(view_as_derived_table(table, found[-1], missing, definitions, depth))

    return tree


def view_as_derived_table(
    table: exp.Table, definition: Definition, missing: Missing, definitions: Definitions, depth: int
) -> Any:
    """Return a view as a derived table."""
    inner = inline_views(definition.plan.query.copy(), missing, definitions, depth + 1)
    alias = table.args.get("alias")
    name = alias.this.copy() if alias is not None and alias.this is not None else table.this.copy()
    given = list(alias.args.get("columns") or ()) if alias is not None else []
    columns = [each.copy() for each in given]
    columns += [
        exp.to_identifier(spelling, quoted=True)
        for spelling, _ in definition.plan.columns[len(columns) :]
    ]
    joins = table.args.get("joins")
    return exp.Subquery(this=inner, alias=exp.TableAlias(this=name, columns=columns), joins=joins)


def parameters_in(tree: Any) -> int:
    """Return how many parameters a query has.

    WHERE a = $2      two
    """
    numbers = [node.name for node in tree.find_all(exp.Parameter)]
    return max((int(number) for number in numbers if number.isdigit()), default=0)
