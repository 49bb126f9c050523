"""Queries inside a text: OPENQUERY(server, 'SELECT …'), crosstab('SELECT …')."""

from __future__ import annotations

from sqlglot import exp

from lineal.algebra.clauses import PIVOT_DECIDES
from lineal.algebra.expression import AGGREGATED
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Lineage, absorb, pour
from lineal.algebra.relation import pivot, pivot_cell
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.tables import constant_text
from lineal.extract.sql.words import FAILURES
from lineal.model.diagnostic import Code

CROSSTABS = {"crosstab": 0, "crosstab2": 2, "crosstab3": 3, "crosstab4": 4}
"""FROM crosstab('SELECT row, category, value FROM t') AS c(row, x, y)

PostgreSQL: functions of tablefunc, and how many values those return that name their columns
"""

Names = list[tuple[str, str]]
"""Spellings with their keys."""


def query_in_text(call: exp.Expr, scope: Scope) -> exp.Query | None:
    """Return the query that is sent to another server.

    OPENQUERY(server, 'SELECT a FROM t')      the query that another server is asked
    """
    for argument in reversed(list(call.iter_expressions())):
        query = query_of(argument, scope)
        if query is not None:
            return query

    return None


def query_of(argument: exp.Expr, scope: Scope) -> exp.Query | None:
    """Return the query in an argument.

    'SELECT a FROM t', $$SELECT a FROM t$$::text, query => 'SELECT a FROM t'
    """
    if isinstance(argument, (exp.EQ, exp.Kwarg)):
        argument = argument.expression

    if isinstance(argument, exp.Cast):
        argument = argument.this

    text = constant_text(argument)
    if isinstance(argument, exp.RawString):
        text = argument.name

    if text is None:
        return None

    try:
        query: exp.Expr = exp.maybe_parse(text, dialect=scope.evaluation.facts.name or None)
    except FAILURES:
        return None

    return query if isinstance(query, exp.Query) else None


def crosstab_columns(
    call: exp.Expr, names: Names, node: exp.Expr, scope: Scope, rows: Lineage
) -> list[Slot]:
    """Return the columns of a crosstab.

    FROM crosstab('SELECT region, month, amount FROM t ORDER BY 1') AS c(region, jan, feb)

    a PIVOT: the first column is the key, the one before the last decides, the last is the value;
    columns between them are passed on
    """
    queries = [query_of(argument, scope) for argument in call.iter_expressions()]
    if not queries or queries[0] is None:
        return report_unknown(
            "the query of a crosstab is only known when it runs", names, node, scope
        )

    frame = scope.evaluation.query(queries[0], None, {})
    deciding: Lineage = {}
    if len(queries) > 1 and queries[1] is not None:
        for slot in scope.evaluation.query(queries[1], None, {}).slots:
            pour(slot.lineage, PIVOT_DECIDES, deciding, node)

    if len(frame.slots) < FEWEST or any(slot.star is not None for slot in frame.slots):
        return report_unknown("the columns of a crosstab's query are not known", names, node, scope)

    made = spread(frame, names, deciding, node)
    absorb(made.rows, rows)
    return list(made.slots)


def report_unknown(message: str, names: Names, node: exp.Expr, scope: Scope) -> list[Slot]:
    """Report a crosstab that cannot be read; its columns stay listed, without a source."""
    scope.evaluation.report(Code.DYNAMIC, message, node)
    return [Slot(name, key, {}) for name, key in names]


def own_names(name: str) -> Names:
    """FROM crosstab2('SELECT …')      row_name, category_1, category_2"""
    numbers = range(1, CROSSTABS[name] + 1)
    return [(each, each) for each in ("row_name", *(f"category_{number}" for number in numbers))]


FEWEST = 3
"""Columns of the query of a crosstab: key, category, value"""


def spread(frame: Frame, names: Names, deciding: Lineage, node: exp.Expr) -> Frame:
    """Return the frame of a crosstab, from that of its query."""
    *passed, category, amount = frame.slots
    pour(category.lineage, PIVOT_DECIDES, deciding, node)
    aggregated: Lineage = {}
    pour(amount.lineage, AGGREGATED, aggregated, node)
    cell = pivot_cell(aggregated, deciding)
    key, *between = [
        slot._replace(name=name, key=folded)
        for slot, (name, folded) in zip(passed, names, strict=False)
    ]
    cells = [Slot(*each, cell) for each in names[len(passed) :]]
    return pivot(frame, [key], [*between, *cells], node)
