"""Members of FROM: tables, subqueries, functions, and the joins between them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import FILTERS, JOINS, NATURAL, USING
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, absorb
from lineal.algebra.relation import one_row, project
from lineal.algebra.relation import values as constant_rows
from lineal.extract.sql.columns import visible_columns
from lineal.extract.sql.dialects.table_functions import OLDER_CALLS
from lineal.extract.sql.expressions import gather
from lineal.extract.sql.generators import (
    column_names,
)
from lineal.extract.sql.join_keys import common_keys, merge_keys
from lineal.extract.sql.match_recognize import match_recognize_frame
from lineal.extract.sql.naming import output_name
from lineal.extract.sql.pivots import apply_pivots
from lineal.extract.sql.recursion_repairs import MARK
from lineal.extract.sql.row_makers import (
    ROW_MAKERS,
    array_join,
    items_as_rows,
    items_with_positions,
    lateral,
    table_from_rows,
    unpivot_object,
)
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import Scalar, Source
from lineal.extract.sql.table_aliases import (
    alias_frame,
    alias_table,
    dataset_name,
    name_in_scope,
    table_name,
)
from lineal.extract.sql.table_functions import (
    fields_of_unknown_item,
    item_row,
    name_of,
    rows_from,
    table_function,
    unnest,
)
from lineal.extract.sql.tables import is_named, is_variable, spell_table
from lineal.extract.sql.value_rows import values
from lineal.model.diagnostic import Code
from lineal.model.edge import Dataset
from lineal.model.paths import path_name
from lineal.model.way import IDENTITY, Clause


def relation(node: exp.Expr, scope: Scope, rows: Lineage) -> Source:
    """One member of FROM, added to the scope; its row influences become the query's."""
    handler = RELATIONS.get(node.__class__, unknown_relation)
    source = handler(node, scope, rows)
    args = node.args
    if args.get("pivots") and not belongs_to_join(node, scope):
        source = pivoted_source(source, args["pivots"], scope)

    if source.frame.rows:
        absorb(source.frame.rows, rows)

    if not source.transparent:
        scope.add(source)

    scope.steps.append((source, None, False))
    for join in args.get("joins") or ():
        join_(join, scope, rows)

    for member in args.get("laterals") or ():
        relation(member, scope, rows)

    return source


def pivoted_source(
    source: Source, pivots: list[exp.Pivot], around: Scope, names: Scope | None = None
) -> Source:
    """Return a source after its pivots.

    FROM t UNPIVOT (…) PIVOT (…) AS p

    one after the other, each under the name that follows it
    """
    evaluation = around.evaluation
    for pivot in pivots:
        frame = apply_pivots(pivot, source, names or scope_of_one(source, around))
        names = None
        source = alias_frame(frame, pivot.args.get("alias"), evaluation, source.alias)

    return source


def match_recognize(node: exp.MatchRecognize, scope: Scope, rows: Lineage) -> None:
    """Replace a source by its MATCH_RECOGNIZE.

    FROM t MATCH_RECOGNIZE (…) AS m      what stands before it is replaced by what it makes
    """
    source = scope.order[-1]
    within = scope_of_one(source, scope, Clause.MATCH)
    frame = match_recognize_frame(node, source, within)
    made = alias_frame(frame, node.args.get("alias"), scope.evaluation, source.alias)
    absorb(made.frame.rows, rows)

    scope.remove(source)
    scope.add(made)
    scope.steps = [(made if step[0] is source else step[0], *step[1:]) for step in scope.steps]


def scope_of_one(source: Source, around: Scope, clause: Clause = Clause.PIVOT) -> Scope:
    """Return a scope that sees only one member of FROM, for the operations on it."""
    scope = Scope(around.evaluation, around.parent, around.ctes)
    scope.add(source)
    scope.steps.append((source, None, False))
    scope.clause = clause
    return scope


def table(node: exp.Table, scope: Scope, rows: Lineage) -> Source:
    """Return a table as a source.

    FROM t, FROM db.t AS x(p, q), FROM f(1)      a CTE if one has that name, else a dataset
    """
    args = node.args
    this: Any = args.get("this")
    if this.__class__ is not exp.Identifier:
        return other_table(node, this, scope, rows)

    evaluation = scope.evaluation
    if (
        args.get("db") is not None
        and (scope.parent is not None or scope.order)
        and (items := items_of_source(node, scope)) is not None
    ):
        return item_row(items, scope) or unnest(items, scope, rows)

    spelling = this.args["this"]
    key = full = table_name(this, evaluation)
    dataset = None
    named = scope.ctes.get(key) if args.get("db") is None else None
    if named is not None and not isinstance(named, Scalar):
        frame = named
    else:
        if args.get("db") is not None or len(this.args) > 2 or "$" in spelling or "/" in spelling:
            spelling, full = spell_table(node, evaluation.facts)
        elif evaluation.fold_dataset is not evaluation.fold_table:
            full = dataset_name(this, evaluation)

        dataset, frame = evaluation.catalog.scan(full, spelling, evaluation, node)
        full = name_in_scope(full, evaluation)
        if dataset is not None:
            evaluation.datasets_read.setdefault(dataset, node)

    if args.get("alias") is None:
        return Source(key, full, frame, dataset)

    return alias_table(node, key, full, frame, dataset, evaluation)


def items_of_source(node: exp.Table, scope: Scope) -> exp.Unnest | None:
    """Return the UNNEST that a path to a column means.

    (SELECT sum(i.price) FROM o.items AS i) … FROM orders AS o

    BigQuery: UNNEST(o.items) AS i
    """
    if not scope.evaluation.facts.items_in_from:
        return None

    first, *others = node.parts
    source = scope.find_source(table_name(first, scope.evaluation))
    if source is None:
        return None

    base: exp.Expr = exp.Column(this=others[0].copy(), table=first.copy())
    for part in others[1:]:
        base = exp.Dot(this=base, expression=part.copy())

    alias = node.args.get("alias")
    if alias is None or alias.this is None:
        name = others[-1]
    else:
        name = alias.this

    items = exp.Unnest(expressions=[base], alias=exp.TableAlias(columns=[name.copy()]))
    items.parent = node.parent
    return items


def other_table(node: exp.Table, this: Any, scope: Scope, rows: Lineage) -> Source:
    """Return a table other than a plain name as a source.

    FROM a.b.c.d, FROM @t, FROM IDENTIFIER('t'), FROM f(1)
    """
    if this is None:
        made = rows_from if node.args.get("rows_from") else unknown_relation
        return made(node, scope, rows)

    if is_table_of(this):
        return table_of(this.expressions[0], node.args.get("alias"), scope, rows)

    if not is_named(node):
        older = OLDER_CALLS.get((scope.evaluation.facts.name, name_of(this)))
        if older is not None:
            return unknown_relation(node, scope, rows, older)

        other: Callable[[Any, Any, Scope, Lineage], Source] = OTHER_TABLES.get(
            this.__class__, table_function
        )
        return other(node, this, scope, rows)

    spelling, full = spell_table(node, scope.evaluation.facts)
    dataset, frame = scope.evaluation.scan(full, spelling, node)
    if dataset is not None and is_variable(node) and not frame.complete:
        report_variable(node, scope)

    full = name_in_scope(full, scope.evaluation)
    return alias_table(node, full.rpartition(".")[2], full, frame, dataset, scope.evaluation)


def is_table_of(this: Any) -> bool:
    """Tell whether a call is TABLE(…).

    TABLE(f(a))      as Oracle's parser reads it
    """
    return (
        isinstance(this, exp.Anonymous)
        and this.name.upper() == "TABLE"
        and len(this.expressions) == 1
    )


def table_of(inner: Any, alias: Any, scope: Scope, rows: Lineage) -> Source:
    """Return the rows of a call or a column as a source.

    FROM TABLE(package.f(a)), TABLE(package.g), t, TABLE(t.items)

    Oracle: the rows of a call, or of a column
    """
    if isinstance(inner, exp.Column):
        if scope.find_source(table_name(inner.parts[0], scope.evaluation)) is not None:
            return collection(inner, alias, scope, rows)

        *package, name = inner.parts
        call: exp.Expr = exp.Anonymous(this=name.name)
        for part in reversed(package):
            call = exp.Dot(this=part.copy(), expression=call)

        inner = call

    return rows_in_table(exp.TableFromRows(this=inner, alias=alias), scope, rows)


def collection(column: exp.Column, alias: Any, scope: Scope, rows: Lineage) -> Source:
    """FROM t, TABLE(t.tags) x      Oracle: x.COLUMN_VALUE is an item, x.name a field of it"""
    evaluation = scope.evaluation
    source = unnest(exp.Unnest(expressions=[column], alias=alias), scope, rows)
    slots = list(source.frame.slots)
    if (alias is not None and alias.args.get("columns")) or len(slots) != 1:
        return source

    item = slots[0]._replace(name="COLUMN_VALUE", key=evaluation.fold("COLUMN_VALUE", False))
    fields = fields_of_unknown_item(item)
    return Source(source.alias, source.name, project(source.frame, [item, *slots, *fields]))


def stage(node: exp.Table, place: Any, scope: Scope, rows: Lineage) -> Source:
    """Return the files of a stage as a source.

    FROM @stage/path, FROM '@stage/path'      files under a name; nobody knows their columns
    """
    evaluation = scope.evaluation
    spelling = path_name(place.name)
    dataset, frame = evaluation.scan(spelling, spelling, node)

    return alias_frame(frame, node.args.get("alias"), evaluation, spelling, dataset)


def semantic_view(node: exp.Table, view: exp.SemanticView, scope: Scope, rows: Lineage) -> Source:
    """Return a semantic view as a source.

    FROM SEMANTIC_VIEW(v METRICS m DIMENSIONS d AS e WHERE f)

    m and d of v; f decides the rows
    """
    evaluation = scope.evaluation
    inner = Scope(evaluation, scope.parent, scope.ctes)
    whole = relation(view.this, inner, rows)
    slots: list[Slot] = []
    for item in chain.from_iterable(
        view.args.get(part) or () for part in ("dimensions", "metrics", "facts")
    ):
        name, quoted = output_name(
            item.unalias() if isinstance(item, exp.Alias) else item, len(slots), evaluation
        )
        if isinstance(item, exp.Alias):
            name, quoted = item.alias, item.args["alias"].args.get("quoted")

        lineage: Lineage = {}
        gather(without_qualifiers(item), IDENTITY, lineage, inner)
        slots.append(Slot(name, evaluation.fold(name, quoted), lineage))

    if view.args.get("where") is not None:
        inner.clause = Clause.WHERE
        gather(without_qualifiers(view.args["where"]), FILTERS, rows, inner)

    frame = project(whole.frame, slots)
    source = alias_frame(frame, node.args.get("alias"), evaluation, whole.alias)
    source.stars = whole.stars
    return source


def without_qualifiers(node: exp.Expr) -> exp.Expr:
    """Remove the qualifiers of a semantic view's columns.

    orders.total      the view's total: what stands before it is a table inside the view
    """
    return node.transform(
        lambda n: exp.column(n.this.copy()) if isinstance(n, exp.Column) and n.table else n
    )


def unnamed_table(node: Any, name: Any, scope: Scope, rows: Lineage) -> Source:
    """Return a table that only a variable names as a source.

    FROM IDENTIFIER($name), FROM :name      a table that only a variable names
    """
    report_variable(node, scope)
    if isinstance(name, exp.Placeholder):
        variable = name.sql()
    else:
        variable = name.this.sql(dialect=scope.evaluation.facts.name)

    return stage(node, exp.Var(this=variable), scope, rows)


def report_variable(node: exp.Expr, scope: Scope) -> None:
    """Report a table that only a variable names."""
    scope.evaluation.report(
        Code.DYNAMIC, "the table to read is only known when the query runs", node
    )


def rows_in_table(node: exp.TableFromRows, scope: Scope, rows: Lineage) -> Source:
    """FROM TABLE(f(a)), FROM TABLE(:name)      the rows of a call, or a table that a variable names"""
    if isinstance(node.this, exp.Placeholder):
        return unnamed_table(node, node.this, scope, rows)

    return table_from_rows(node, scope, rows)


def values_as_table(node: exp.Table, this: exp.Values, scope: Scope, rows: Lineage) -> Source:
    """Return VALUES that are parsed as a table as a source.

    FROM ((VALUES (1, a)) v(p, q) JOIN t ON …)
    """
    bare = this.copy()
    bare.set("alias", node.args.get("alias"))
    return values(bare, scope, rows)


OTHER_TABLES: dict[type, Callable[[Any, Any, Scope, Lineage], Source]] = {
    exp.Var: stage,
    exp.Literal: stage,
    exp.SemanticView: semantic_view,
    exp.DynamicIdentifier: unnamed_table,
    exp.Parameter: unnamed_table,
    exp.Placeholder: unnamed_table,
    exp.Values: values_as_table,
    **dict.fromkeys(ROW_MAKERS, items_as_rows),
}
"""Nodes that may take the place of a table's name; anything else is a call."""


def pipe_input(node: exp.TableAlias, scope: Scope, rows: Lineage) -> Source:
    """Return the input of a pipe as a source.

    FROM t |> AS a |> WHERE a.b      what came through the pipe so far, under a name
    """
    return table(exp.Table(this=node.this), scope, rows)


def stream(node: exp.Stream, scope: Scope, rows: Lineage) -> Source:
    """Return a stream as a source.

    FROM STREAM t      the rows of t as they come
    """
    return RELATIONS.get(node.this.__class__, unknown_relation)(node.this, scope, rows)


def derived_table(node: exp.Subquery, scope: Scope, rows: Lineage) -> Source:
    """Return a derived table as a source.

    FROM (SELECT …) AS d(p, q), FROM (a JOIN b ON …)      a frame under an alias
    """
    evaluation = scope.evaluation
    inner = node.args["this"]
    if is_join(inner):
        return join_in_parentheses(node, inner, scope, rows)

    sees_scope = evaluation.facts.subqueries_see_members and sees_members(inner, scope)
    seen = scope if sees_scope else scope.parent
    frame = evaluation.query(node, seen, scope.ctes)
    return alias_frame(frame, node.args.get("alias"), evaluation)


def sees_members(inner: Any, scope: Scope) -> bool:
    """Tell whether a derived table names a source before it.

    FROM t, (SELECT t.a) AS s, (SELECT b) AS r

    names a member before it, or has none of its own
    """
    if not scope.order:
        return False

    if isinstance(inner, exp.Select) and inner.args.get("from_") is None:
        return True

    fold = scope.evaluation.fold_table
    tables = {
        fold(column.table, False)
        for column in inner.find_all(exp.Column)
        if column.args.get("table")
    }
    return any(source.alias in tables for source in scope.order)


def is_join(inner: Any) -> bool:
    """Tell whether parentheses hold a join.

    (a JOIN b …), ((SELECT …) AS s JOIN b …), ((a JOIN b))

    in contrast to a query in parentheses
    """
    while isinstance(inner, exp.Subquery):
        if (
            inner.args.get("joins")
            or inner.args.get("laterals")
            or inner.args.get("alias") is not None
        ):
            return True

        inner = inner.this

    return isinstance(inner, (exp.Table, exp.TableFromRows))


JOINED = Dataset("", "")
"""(a JOIN b) AS j      columns of j are columns of a and b"""


def join_in_parentheses(node: exp.Subquery, inner: exp.Expr, scope: Scope, rows: Lineage) -> Source:
    """Return a join in parentheses as a source.

    FROM (a JOIN b ON …) AS j      with an alias only j is seen, without one a and b are
    """
    alias = node.args.get("alias")
    nested = Scope(scope.evaluation, scope.parent, scope.ctes)
    joined = one_row()
    relation(inner, nested, joined.rows)
    whole = project(joined, visible_columns(nested))
    if alias is not None:
        scanned = all(source.dataset is not None for source in nested.order)
        dataset = JOINED if scanned else None
        return alias_frame(whole, alias, scope.evaluation, "", dataset)

    for source in nested.order:
        scope.add(source)

    scope.merged = {**nested.merged, **scope.merged}
    scope.merged_reads = {**nested.merged_reads, **scope.merged_reads}
    scope.covered = {**nested.covered, **scope.covered}
    return Source("", "", whole, transparent=True)


def final_table(node: exp.Final, scope: Scope, rows: Lineage) -> Source:
    """Return a table with FINAL as a source.

    FROM t FINAL      ClickHouse merges t's parts first
    """
    return RELATIONS.get(node.this.__class__, unknown_relation)(node.this, scope, rows)


def unknown_relation(node: exp.Expr, scope: Scope, rows: Lineage, what: str = "") -> Source:
    """Report a member of FROM that is not traced, and give it the columns its alias lists."""
    message = f"{what or node.key} in FROM is not traced"
    scope.evaluation.report(Code.UNSUPPORTED_CONSTRUCT, message, node)
    alias = node.args.get("alias")
    name = alias.name if isinstance(alias, exp.TableAlias) else ""
    fold = scope.evaluation.fold
    titles = [(n, fold(n, False)) for n in column_names(alias if name else None)]
    return Source(scope.evaluation.fold_table(name, False), name, constant_rows(titles))


def join_(node: exp.Join, scope: Scope, rows: Lineage) -> None:
    """Add a join to the scope.

    a JOIN b ON a.id = b.id      both ids decide which rows meet
    """
    args = node.args
    if args.get("kind") == "ARRAY":
        array_join(node, scope, rows)
        return

    before = len(scope.order)
    merged = scope.merged
    evaluation = scope.evaluation
    source = relation(args["this"], scope, rows)
    on = args.get("on")
    version = args["this"].args.get("version")
    if version is not None and version.args.get("expression") is not None:
        scope.clause = Clause.JOIN_ON
        gather(version.args["expression"], JOINS, rows, scope)

    if args.get("match_condition") is not None:
        scope.clause = Clause.JOIN_ON
        gather(args["match_condition"], JOINS, rows, scope)

    if on is not None:
        scope.clause = Clause.JOIN_ON
        gather(on, JOINS, rows, scope)

    using = args.get("using")
    if using:
        alias = using[-1].name[1:] if using[-1].name.startswith(MARK) else ""
        keys = [
            (k.name, evaluation.fold(k.name, k.args.get("quoted")))
            for k in (using[:-1] if alias else using)
        ]
        merge_keys(keys, node, source, scope, rows, before, merged, USING)
        if alias:  # USING (id) AS j: j.id, and no column more
            joined = project(source.frame, [scope.merged[key] for _, key in keys])
            scope.sources[evaluation.fold_table(alias, False)] = Source(alias, alias, joined)
    elif args.get("method") == "NATURAL":
        keys = common_keys(source, scope, before, node)
        merge_keys(keys, node, source, scope, rows, before, merged, NATURAL)

    half = args.get("kind") in ("SEMI", "ANTI")
    if half and not evaluation.facts.semi_joins_keep_both:
        for member in scope.order[before:]:
            scope.remove(member)

        scope.merged = merged
        scope.steps = [(s, k, h or s is source) for s, k, h in scope.steps]

    if args.get("pivots") or (
        args["this"].args.get("pivots") and belongs_to_join(args["this"], scope)
    ):
        pivoted_join(args.get("pivots") or args["this"].args["pivots"], scope, rows)


def belongs_to_join(node: exp.Expr, scope: Scope) -> bool:
    """Tell whether a pivot covers the whole join.

    FROM a, b PIVOT (…) in Spark      what is pivoted is a next to b, and not b alone
    """
    join = node.parent
    unconditional = (
        isinstance(join, exp.Join) and join.args.get("on") is None and not join.args.get("using")
    )
    return unconditional and scope.evaluation.facts.pivot_takes_join


def pivoted_join(pivots: list[exp.Pivot], scope: Scope, rows: Lineage) -> None:
    """Pivot all that has been joined.

    FROM a JOIN b ON … PIVOT (…)

    all that has been joined so far becomes one; a.x is still found in it
    """
    whole = Source("", "", project(one_row(), visible_columns(scope)))
    scope.clause = Clause.PIVOT
    source = pivoted_source(whole, pivots, scope, scope)
    absorb(source.frame.rows, rows)
    scope.replace(source)


RELATIONS: dict[type, Callable[[Any, Scope, Lineage], Source]] = {
    exp.Table: table,
    exp.Subquery: derived_table,
    exp.Values: values,
    exp.Lateral: lateral,
    exp.Unnest: unnest,
    exp.Final: final_table,
    exp.TableFromRows: rows_in_table,
    exp.Stream: stream,
    exp.Pivot: unpivot_object,
    exp.TableAlias: pipe_input,
    exp.AtIndex: items_with_positions,
}
