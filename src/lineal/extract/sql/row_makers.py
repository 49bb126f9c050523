"""Members of FROM that make rows of a value: LATERAL, TABLE(…), ARRAY JOIN, explode."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.lineage import Lineage, absorb
from lineal.extract.sql.expressions import gather, window_keys
from lineal.extract.sql.generators import (
    FLATTENED,
    GENERATOR_CALLS,
    column_names,
    default_names,
    lateral_view_columns,
)
from lineal.extract.sql.join_keys import members_with
from lineal.extract.sql.nodes import list_arg
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import Source
from lineal.extract.sql.table_aliases import alias_frame, alias_key, rename_columns
from lineal.extract.sql.table_functions import table_function, unnest
from lineal.extract.sql.tables import literal_name, named_in_text
from lineal.model.way import IDENTITY, Clause

ROW_MAKERS = tuple(kind for kind in (*GENERATOR_CALLS, exp.Stack) if kind is not exp.Unnest)


def items_as_rows(node: exp.Table, call: Any, scope: Scope, rows: Lineage) -> Source:
    """Return the frame of an exploding function in FROM.

    FROM posexplode(array(1, 2)) AS t(i, x)      one row for each item
    """
    alias, evaluation = node.args.get("alias"), scope.evaluation
    frame = lateral_view_columns([call], names_of_items(call, alias, scope), scope)
    return alias_frame(frame, alias, evaluation)


def names_of_items(call: Any, alias: exp.TableAlias | None, scope: Scope) -> list[str]:
    """Return the names of a generator's columns.

    posexplode(xs) AS p(i, x)

    i and x; without a list what the function calls them, and inline the fields
    """
    names = column_names(alias)
    named = isinstance(call, GENERATOR_CALLS) and not isinstance(call, exp.Inline)
    if named and not names:
        return list(default_names(call, scope))

    return names


def lateral(node: exp.Lateral, scope: Scope, rows: Lineage) -> Source:
    """Return a lateral query as a source.

    JOIN LATERAL (SELECT … WHERE t.id = o.id) AS l      sees what stands before it
    """
    inner = node.this
    alias = node.args.get("alias")
    evaluation = scope.evaluation
    if isinstance(inner, exp.Subquery):
        frame = evaluation.query(inner, scope, scope.ctes)
    elif isinstance(inner, exp.TableFromRows):
        return table_from_rows(exp.TableFromRows(this=inner.this, alias=alias), scope, rows)
    elif node.args.get("view") or isinstance(inner, ROW_MAKERS):
        frame = lateral_view_columns([inner], names_of_items(inner, alias, scope), scope)
    else:
        return table_function(node, inner, scope, rows)

    if alias is None or alias.this is None:
        return Source("", "", frame)

    return alias_frame(frame, alias, evaluation)


def table_from_rows(node: exp.TableFromRows, scope: Scope, rows: Lineage) -> Source:
    """Return TABLE(…) as a source.

    FROM TABLE(f(a)) AS s

    a call of f; TABLE(FLATTEN(xs)): one row for each item of xs; TABLE('t'): t itself

    TABLE(f(a) OVER (PARTITION BY b))      how the rows are dealt out decides no column of what f
                                           makes of them
    """
    alias = node.args.get("alias")
    evaluation = scope.evaluation
    if isinstance(node.this, exp.Window):
        scope.clause = Clause.FROM
        for key in window_keys(node.this):
            gather(key, IDENTITY, {}, scope)

        node = exp.TableFromRows(this=node.this.this, alias=alias)

    if isinstance(node.this, GENERATOR_CALLS):
        frame = lateral_view_columns([node.this], list(FLATTENED), scope)
        return alias_frame(frame, alias, evaluation)

    written = literal_name(node)
    if written is None:
        return table_function(node, node.this, scope, rows)

    spelling, full = named_in_text(written, evaluation.facts)
    dataset, frame = evaluation.scan(full, spelling, node)
    key = alias_key(alias, evaluation, full)
    return Source(key, full, rename_columns(frame, alias, evaluation), dataset)


def items_with_positions(node: exp.AtIndex, scope: Scope, rows: Lineage) -> Source:
    """Return the items of a column and their positions as a source.

    FROM t, t.items AS i AT n      Redshift: the items, and the place of each
    """
    items = node.this
    alias = exp.TableAlias(columns=[items.args["alias"]]) if isinstance(items, exp.Alias) else None
    return unnest(
        exp.Unnest(expressions=[items.unalias()], alias=alias, offset=node.expression), scope, rows
    )


def unpivot_object(node: exp.Pivot, scope: Scope, rows: Lineage) -> Source:
    """Return the attributes of an object as a source.

    FROM t, UNPIVOT t.document AS v AT k (Redshift)

    one row for each attribute: its value and its name
    """
    inner = node.this
    names = []
    if isinstance(inner, exp.AtIndex):
        names, inner = [inner.expression.name], inner.this

    if isinstance(inner, exp.Alias):
        names, inner = [inner.alias, *names], inner.this

    return Source("", "", lateral_view_columns([inner], names, scope))


def array_join(node: exp.Join, scope: Scope, rows: Lineage) -> None:
    """Add an ARRAY JOIN to the scope.

    FROM t ARRAY JOIN xs, ys AS y (ClickHouse)

    one row for each item; xs means the item from here on
    """
    for item in (node.this, *(list_arg(node, "expressions"))):
        name = item.alias_or_name
        source = Source("", "", lateral_view_columns([item.unalias()], [name], scope))
        absorb(source.frame.rows, rows)
        slot = source.frame.slots[0]
        scope.covered[slot.key] = [*members_with(scope, slot.key), source]
        scope.add(source)
        scope.steps.append((source, [slot.key], False))
        scope.merged = {**scope.merged, slot.key: slot}
