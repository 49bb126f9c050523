"""Members of FROM: tables, subqueries, functions, and the joins between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import FILTERS, JOINS, NATURAL, USING
from lineal.algebra.frame import Frame, Slot, slot_at
from lineal.algebra.lineage import NOTHING, Lineage, absorb, pour
from lineal.algebra.relation import merge_key, one_row, project, rename, union
from lineal.algebra.relation import values as constant_rows
from lineal.extract.sql.columns import several_slots, star_slots, visible
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.expressions import gather, value_of, window_keys
from lineal.extract.sql.generators import (
    FLATTENED,
    GENERATOR_CALLS,
    column_names,
    default_names,
    exploded,
)
from lineal.extract.sql.match_recognize import matched
from lineal.extract.sql.naming import output_name
from lineal.extract.sql.pivots import reshaped
from lineal.extract.sql.repairs import MARK
from lineal.extract.sql.scope import Scalar, Scope, Source, origin_of
from lineal.extract.sql.table_functions import rows_from, table_function, unnest
from lineal.extract.sql.tables import is_named, literal_name, named_in_text, spelled
from lineal.model.diagnostic import Code
from lineal.model.edge import Dataset
from lineal.model.paths import path_name
from lineal.model.way import IDENTITY, Clause, Way


def relation(node: Any, scope: Scope, rows: Lineage) -> Source:
    """One member of FROM, added to the scope; its row influences become the query's."""
    handler = RELATIONS.get(node.__class__, unknown_relation)
    source = handler(node, scope, rows)
    args = node.args
    if args.get("pivots") and not belongs_to_join(node, scope):
        source = pivoted(source, args["pivots"], scope)
    if source.frame.rows:
        absorb(source.frame.rows, rows)
    if not source.transparent:
        scope.add(source)
    scope.steps.append((source, None, False))
    for join in args.get("joins") or ():
        join_(join, scope, rows)
    for lateral in args.get("laterals") or ():
        relation(lateral, scope, rows)
    return source


def pivoted(
    source: Source, pivots: list[exp.Pivot], around: Scope, names: Scope | None = None
) -> Source:
    """FROM t UNPIVOT (…) PIVOT (…) AS p

    one after the other, each under the name that follows it
    """
    evaluation = around.evaluation
    for pivot in pivots:
        frame = reshaped(pivot, source, names or only(source, around))
        names, key, alias = None, source.alias, pivot.args.get("alias")
        if alias is not None:
            frame = listed(frame, alias, evaluation)
            key = table_name(alias.this, evaluation) if alias.this is not None else key
        source = Source(key, key, frame)
    return source


def match_recognize(node: exp.MatchRecognize, scope: Scope, rows: Lineage) -> None:
    """FROM t MATCH_RECOGNIZE (…) AS m      what stands before it is replaced by what it makes"""
    source = scope.order[-1]
    within = only(source, scope, Clause.MATCH)
    frame, key, alias = matched(node, source, within), source.alias, node.args.get("alias")
    if alias is not None:
        frame = listed(frame, alias, scope.evaluation)
        key = table_name(alias.this, scope.evaluation) if alias.this is not None else key
    absorb(frame.rows, rows)
    made = Source(key, key, frame)
    scope.remove(source)
    scope.add(made)
    scope.steps = [(made if step[0] is source else step[0], *step[1:]) for step in scope.steps]


def only(source: Source, around: Scope, clause: Clause = Clause.PIVOT) -> Scope:
    """The scope of what is done to one member of FROM: it sees nothing but that."""
    scope = Scope(around.evaluation, around.parent, around.ctes)
    scope.add(source)
    scope.steps.append((source, None, False))
    scope.clause = clause
    return scope


def table(node: exp.Table, scope: Scope, rows: Lineage) -> Source:
    """FROM t, FROM db.t AS x(p, q), FROM f(1)      a CTE if one has that name, else a dataset"""
    args = node.args
    this: Any = args.get("this")
    if this.__class__ is not exp.Identifier:
        return other_table(node, this, scope, rows)
    evaluation = scope.evaluation
    if (
        args.get("db") is not None
        and scope.parent is not None
        and (items := items_of_source(node, scope)) is not None
    ):
        return unnest(items, scope, rows)
    spelling = this.args["this"]
    key = full = table_name(this, evaluation)
    dataset = None
    named = scope.ctes.get(key) if args.get("db") is None else None
    if named is not None and not isinstance(named, Scalar):
        frame = named
    else:
        if args.get("db") is not None or len(this.args) > 2 or "$" in spelling:
            spelling, full = spelled(node, evaluation.facts)
        dataset, frame = evaluation.catalog.scan(full, spelling, evaluation, node)
        if dataset is not None:
            evaluation.datasets_read.setdefault(dataset, node)
    if args.get("alias") is None:
        return Source(key, full, frame, dataset)
    return called(node, key, full, frame, dataset, evaluation)


def items_of_source(node: exp.Table, scope: Scope) -> exp.Unnest | None:
    """(SELECT sum(i.price) FROM o.items AS i) … FROM orders AS o

    BigQuery: UNNEST(o.items) AS i
    """
    if scope.evaluation.facts.name not in ITEMS_IN_FROM:
        return None
    first, *others = node.parts
    source = scope.find_source(table_name(first, scope.evaluation))
    if source is None:
        return None
    base: exp.Expr = exp.Column(this=others[0].copy(), table=first.copy())
    for part in others[1:]:
        base = exp.Dot(this=base, expression=part.copy())
    alias = node.args.get("alias")
    named = (
        exp.TableAlias(columns=[alias.this])
        if alias is not None and alias.this is not None
        else None
    )
    return exp.Unnest(expressions=[base], alias=named)


ITEMS_IN_FROM = frozenset(("bigquery", "redshift"))


def other_table(node: exp.Table, this: Any, scope: Scope, rows: Lineage) -> Source:
    """FROM a.b.c.d, FROM @t, FROM IDENTIFIER('t'), FROM f(1)"""
    if this is None:
        return (
            rows_from(node, scope, rows)
            if node.args.get("rows_from")
            else unknown_relation(node, scope, rows)
        )
    if is_table_of(this):
        return table_of(this.expressions[0], node.args.get("alias"), scope, rows)
    if not is_named(node):
        other: Callable[[Any, Any, Scope, Lineage], Source] = OTHER_TABLES.get(
            this.__class__, table_function
        )
        return other(node, this, scope, rows)
    spelling, full = spelled(node, scope.evaluation.facts)
    dataset, frame = scope.evaluation.scan(full, spelling, node)
    return called(node, full.rpartition(".")[2], full, frame, dataset, scope.evaluation)


def is_table_of(this: Any) -> bool:
    return (
        isinstance(this, exp.Anonymous)
        and this.name.upper() == "TABLE"
        and len(this.expressions) == 1
    )


def table_of(inner: Any, alias: Any, scope: Scope, rows: Lineage) -> Source:
    """FROM TABLE(package.f(a)), TABLE(package.g), t, TABLE(t.items)

    Oracle: the rows of a call, or of a column
    """
    if isinstance(inner, exp.Column):
        if scope.find_source(table_name(inner.parts[0], scope.evaluation)) is not None:
            return unnest(exp.Unnest(expressions=[inner], alias=alias), scope, rows)
        *package, name = inner.parts
        call: exp.Expr = exp.Anonymous(this=name.name)
        for part in reversed(package):
            call = exp.Dot(this=part.copy(), expression=call)
        inner = call
    return table_from_rows(exp.TableFromRows(this=inner, alias=alias), scope, rows)


def called(
    node: exp.Table,
    key: str,
    full: str,
    frame: Frame,
    dataset: Dataset | None,
    evaluation: Evaluation,
) -> Source:
    """… AS x(p, q)"""
    alias = node.args.get("alias")
    if alias is not None:
        if alias.args.get("columns"):
            frame = listed(frame, alias, evaluation)
        if alias.args.get("this") is not None:
            key = full = table_name(alias.args["this"], evaluation)
    return Source(key, full, frame, dataset)


def table_name(identifier: exp.Expr, evaluation: Evaluation) -> str:
    """The key of a table's name or alias."""
    spelled = identifier.args
    if spelled.get("quoted"):
        return evaluation.fold_table(spelled["this"], True)
    return evaluation.table_keys[spelled["this"]]


def listed(frame: Frame, alias: exp.TableAlias, evaluation: Evaluation) -> Frame:
    """AS d(p, q)      the columns get these names"""
    columns = alias.args.get("columns")
    if not columns:
        return frame
    if frame.complete and len(columns) > len(frame.slots):
        evaluation.report(
            Code.COLUMN_COUNT, f"{len(columns)} column names for {len(frame.slots)} columns", alias
        )
    names = [
        (c.name, evaluation.fold(c.name, getattr(c, "args", {}).get("quoted"))) for c in columns
    ]
    return rename(frame, names)


def stage(node: exp.Table, place: Any, scope: Scope, rows: Lineage) -> Source:
    """FROM @stage/path, FROM '@stage/path'      files under a name; nobody knows their columns"""
    evaluation = scope.evaluation
    spelling = path_name(place.name)
    dataset, frame = evaluation.scan(spelling, spelling, node)
    alias = node.args.get("alias")
    key = (
        table_name(alias.this, evaluation)
        if alias is not None and alias.this is not None
        else spelling
    )
    return Source(
        key, key, listed(frame, alias, evaluation) if alias is not None else frame, dataset
    )


def semantic_view(node: exp.Table, view: exp.SemanticView, scope: Scope, rows: Lineage) -> Source:
    """FROM SEMANTIC_VIEW(v METRICS m DIMENSIONS d AS e WHERE f)

    m and d of v; f decides the rows
    """
    evaluation = scope.evaluation
    inner = Scope(evaluation, scope.parent, scope.ctes)
    whole = relation(view.this, inner, rows)
    slots: list[Slot] = []
    for item in (
        item for part in ("dimensions", "metrics", "facts") for item in view.args.get(part) or ()
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
    alias = node.args.get("alias")
    frame = project(whole.frame, slots)
    key = (
        table_name(alias.this, evaluation)
        if alias is not None and alias.this is not None
        else whole.alias
    )
    source = Source(key, key, listed(frame, alias, evaluation) if alias is not None else frame)
    source.stars = whole.stars
    return source


def without_qualifiers(node: exp.Expr) -> exp.Expr:
    """orders.total      the view's total: what stands before it is a table inside the view"""
    return node.transform(
        lambda n: exp.column(n.this.copy()) if isinstance(n, exp.Column) and n.table else n
    )


def unnamed(node: exp.Table, name: Any, scope: Scope, rows: Lineage) -> Source:
    """FROM IDENTIFIER($name)      a table that only a variable names"""
    scope.evaluation.report(
        Code.DYNAMIC, "which table is read is known only when the query runs", node
    )
    return stage(
        node, exp.Var(this=name.this.sql(dialect=scope.evaluation.facts.name)), scope, rows
    )


ROW_MAKERS = tuple(kind for kind in (*GENERATOR_CALLS, exp.Stack) if kind is not exp.Unnest)


def items_as_rows(node: exp.Table, call: Any, scope: Scope, rows: Lineage) -> Source:
    """FROM posexplode(array(1, 2)) AS t(i, x)      one row for each item"""
    alias, evaluation = node.args.get("alias"), scope.evaluation
    frame = exploded([call], names_of_items(call, alias, scope), scope)
    if alias is None:
        return Source("", "", frame)
    key = table_name(alias.this, evaluation) if alias.this is not None else ""
    return Source(key, key, listed(frame, alias, evaluation))


def names_of_items(call: Any, alias: exp.TableAlias | None, scope: Scope) -> list[str]:
    """posexplode(xs) AS p(i, x)

    i and x; without a list what the function calls them, and inline the fields
    """
    names = column_names(alias)
    named = isinstance(call, GENERATOR_CALLS) and not isinstance(call, exp.Inline)
    return list(default_names(call, scope)) if named and not names else names


def values_as_table(node: exp.Table, this: exp.Values, scope: Scope, rows: Lineage) -> Source:
    """FROM ((VALUES (1, a)) v(p, q) JOIN t ON …)"""
    bare = this.copy()
    bare.set("alias", node.args.get("alias"))
    return values(bare, scope, rows)


OTHER_TABLES: dict[type, Callable[[Any, Any, Scope, Lineage], Source]] = {
    exp.Var: stage,
    exp.Literal: stage,
    exp.SemanticView: semantic_view,
    exp.DynamicIdentifier: unnamed,
    exp.Values: values_as_table,
    **dict.fromkeys(ROW_MAKERS, items_as_rows),
}
"""What may stand where a table's name stands; anything else is a call."""


def table_from_rows(node: exp.TableFromRows, scope: Scope, rows: Lineage) -> Source:
    """FROM TABLE(f(a)) AS s

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
        frame = exploded([node.this], list(FLATTENED), scope)
        key = (
            table_name(alias.this, evaluation)
            if alias is not None and alias.this is not None
            else ""
        )
        return Source(key, key, listed(frame, alias, evaluation) if alias is not None else frame)
    written = literal_name(node)
    if written is None:
        return table_function(node, node.this, scope, rows)
    spelling, full = named_in_text(written, evaluation.facts)
    dataset, frame = evaluation.scan(full, spelling, node)
    key = (
        table_name(alias.this, evaluation) if alias is not None and alias.this is not None else full
    )
    return Source(
        key, full, listed(frame, alias, evaluation) if alias is not None else frame, dataset
    )


def indexed(node: exp.AtIndex, scope: Scope, rows: Lineage) -> Source:
    """FROM t, t.items AS i AT n      Redshift: the items, and the place of each"""
    items = node.this
    alias = exp.TableAlias(columns=[items.args["alias"]]) if isinstance(items, exp.Alias) else None
    return unnest(
        exp.Unnest(expressions=[items.unalias()], alias=alias, offset=node.expression), scope, rows
    )


def piped(node: exp.TableAlias, scope: Scope, rows: Lineage) -> Source:
    """FROM t |> AS a |> WHERE a.b      what came through the pipe so far, under a name"""
    return table(exp.Table(this=node.this), scope, rows)


def stream(node: exp.Stream, scope: Scope, rows: Lineage) -> Source:
    """FROM STREAM t      the rows of t as they come"""
    return RELATIONS.get(node.this.__class__, unknown_relation)(node.this, scope, rows)


def derived(node: exp.Subquery, scope: Scope, rows: Lineage) -> Source:
    """FROM (SELECT …) AS d(p, q), FROM (a JOIN b ON …)      a frame under an alias"""
    evaluation = scope.evaluation
    alias = node.args.get("alias")
    inner = node.args["this"]
    if is_join(inner):
        return parenthesised(node, inner, scope, rows)
    seen = (
        scope
        if evaluation.facts.subqueries_see_members and sees_members(inner, scope)
        else scope.parent
    )
    frame = evaluation.query(node, seen, scope.ctes)
    if alias is None:
        return Source("", "", frame)
    key = (
        evaluation.fold_table(alias.this.name, alias.this.args.get("quoted"))
        if alias.this is not None
        else ""
    )
    return Source(key, key, listed(frame, alias, evaluation))


def sees_members(inner: Any, scope: Scope) -> bool:
    """FROM t, (SELECT t.a) AS s, (SELECT b) AS r

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
    """(a JOIN b …), ((SELECT …) AS s JOIN b …), ((a JOIN b))

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
"""(a JOIN b) AS j      what is read of j is read of a and b"""


def parenthesised(node: exp.Subquery, inner: exp.Expr, scope: Scope, rows: Lineage) -> Source:
    """FROM (a JOIN b ON …) AS j      with an alias only j is seen, without one a and b are"""
    alias = node.args.get("alias")
    nested = Scope(scope.evaluation, scope.parent, scope.ctes)
    joined = one_row()
    relation(inner, nested, joined.rows)
    whole = project(joined, visible(nested))
    if alias is not None:
        key = scope.evaluation.fold_table(alias.this.name, alias.this.args.get("quoted"))
        scanned = all(source.dataset is not None for source in nested.order)
        return Source(key, key, listed(whole, alias, scope.evaluation), JOINED if scanned else None)
    for source in nested.order:
        scope.add(source)
    scope.merged = {**nested.merged, **scope.merged}
    scope.merged_reads = {**nested.merged_reads, **scope.merged_reads}
    scope.covered = {**nested.covered, **scope.covered}
    return Source("", "", whole, transparent=True)


def values(node: exp.Values, scope: Scope, rows: Lineage) -> Source:
    """FROM (VALUES (1, a), (2, b)) AS v(p, q)      column j takes the j-th of every row"""
    evaluation = scope.evaluation
    frame = numbered(values_frame(node, scope, [], evaluation), evaluation)
    alias = node.args.get("alias")
    if alias is None:
        return Source("", "", frame)
    quoted = alias.this is not None and alias.this.args.get("quoted")
    key = evaluation.fold_table(alias.this.name, quoted) if alias.this is not None else ""
    return Source(key, key, listed(frame, alias, evaluation))


def values_frame(
    node: exp.Values, scope: Scope, names: Sequence[str], evaluation: Evaluation
) -> Frame:
    scope.clause = Clause.VALUES
    first, prefix = evaluation.facts.values_names
    tuples = [items_of(tuple_) for tuple_ in node.expressions]
    if any(is_row(item) for items in tuples for item in items):
        return values_of_rows(node, scope)
    width = max(map(len, tuples), default=0)
    names_given = [f"{prefix}{position + first}" for position in range(width)]
    rows = ([value_of(item, IDENTITY, scope) for item in items] for items in tuples)
    return constant_rows([(name, name) for name in names_given], rows)


def numbered(frame: Frame, evaluation: Evaluation) -> Frame:
    """FROM (VALUES (NEW.*))      column1, column2, as the dialect calls them"""
    first, prefix = evaluation.facts.values_names
    names = [f"{prefix}{position + first}" for position in range(len(frame.slots))]
    return rename(frame, [(name, name) for name in names]) if frame.complete else frame


def items_of(tuple_: Any) -> Sequence[Any]:
    """(1, a)      1 and a"""
    return tuple_.expressions if isinstance(tuple_, exp.Tuple) else (tuple_,)


def is_row(item: Any) -> bool:
    """NEW.*, (NEW).*, $1.*"""
    return item.__class__ in (exp.Column, exp.Dot) and item.is_star


def values_of_rows(node: exp.Values, scope: Scope) -> Frame:
    """VALUES (NEW.*, now())      one column for each of the row's, under its name"""
    first, prefix = scope.evaluation.facts.values_names
    frames = []
    for tuple_ in node.expressions:
        slots: list[Slot] = []
        for item in items_of(tuple_):
            if is_row(item):
                slots += (
                    star_slots(item, scope)
                    if isinstance(item, exp.Column)
                    else several_slots(item, scope) or []
                )
            else:
                name = f"{prefix}{len(slots) + first}"
                slots.append(Slot(name, name, value_of(item, IDENTITY, scope)))
        frames.append(project(one_row(), slots))
    return union(frames)


def lateral(node: exp.Lateral, scope: Scope, rows: Lineage) -> Source:
    """JOIN LATERAL (SELECT … WHERE t.id = o.id) AS l      sees what stands before it"""
    inner = node.this
    alias = node.args.get("alias")
    evaluation = scope.evaluation
    if isinstance(inner, exp.Subquery):
        frame = evaluation.query(inner, scope, scope.ctes)
    elif node.args.get("view") or isinstance(inner, ROW_MAKERS):
        frame = exploded([inner], names_of_items(inner, alias, scope), scope)
    else:
        return table_function(node, inner, scope, rows)
    if alias is None or alias.this is None:
        return Source("", "", frame)
    key = evaluation.fold_table(alias.this.name, alias.this.args.get("quoted"))
    return Source(key, key, listed(frame, alias, evaluation))


def unpivot_object(node: exp.Pivot, scope: Scope, rows: Lineage) -> Source:
    """FROM t, UNPIVOT t.document AS v AT k (Redshift)

    one row for each attribute: its value and its name
    """
    inner = node.this
    names = []
    if isinstance(inner, exp.AtIndex):
        names, inner = [inner.expression.name], inner.this
    if isinstance(inner, exp.Alias):
        names, inner = [inner.alias, *names], inner.this
    return Source("", "", exploded([inner], names, scope))


def array_join(node: exp.Join, scope: Scope, rows: Lineage) -> None:
    """FROM t ARRAY JOIN xs, ys AS y (ClickHouse)

    one row for each item; xs means the item from here on
    """
    for item in (node.this, *(node.args.get("expressions") or ())):
        name = item.alias_or_name
        source = Source("", "", exploded([item.unalias()], [name], scope))
        absorb(source.frame.rows, rows)
        slot = source.frame.slots[0]
        scope.covered[slot.key] = [member for member in scope.order if slot.key in member.index] + [
            source
        ]
        scope.add(source)
        scope.steps.append((source, [slot.key], False))
        scope.merged = {**scope.merged, slot.key: slot}


def final(node: exp.Final, scope: Scope, rows: Lineage) -> Source:
    """FROM t FINAL      ClickHouse merges t's parts first"""
    return RELATIONS.get(node.this.__class__, unknown_relation)(node.this, scope, rows)


def unknown_relation(node: Any, scope: Scope, rows: Lineage) -> Source:
    scope.evaluation.report(Code.UNSUPPORTED_CONSTRUCT, f"{node.key} in FROM is not traced", node)
    alias = node.args.get("alias")
    name = alias.name if isinstance(alias, exp.TableAlias) else ""
    fold = scope.evaluation.fold
    titles = [(n, fold(n, False)) for n in column_names(alias if name else None)]
    return Source(scope.evaluation.fold_table(name, False), name, constant_rows(titles))


def join_(node: exp.Join, scope: Scope, rows: Lineage) -> None:
    """a JOIN b ON a.id = b.id      both ids decide which rows meet"""
    args = node.args
    if args.get("kind") == "ARRAY":
        array_join(node, scope, rows)
        return
    before = len(scope.order)
    merged = scope.merged
    evaluation = scope.evaluation
    source = relation(args["this"], scope, rows)
    on = args.get("on")
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
        _merge_keys(keys, node, source, scope, rows, before, merged, USING)
        if alias:  # USING (id) AS j: j.id, and no column more
            joined = project(source.frame, [scope.merged[key] for _, key in keys])
            scope.sources[evaluation.fold_table(alias, False)] = Source(alias, alias, joined)
    elif args.get("method") == "NATURAL":
        keys = _common(source, scope, before, node)
        _merge_keys(keys, node, source, scope, rows, before, merged, NATURAL)
    if args.get("kind") in ("SEMI", "ANTI"):
        for member in scope.order[before:]:
            scope.remove(member)
        scope.merged = merged
        scope.steps = [(s, k, h or s is source) for s, k, h in scope.steps]
    if args.get("pivots") or (
        args["this"].args.get("pivots") and belongs_to_join(args["this"], scope)
    ):
        pivoted_join(args.get("pivots") or args["this"].args["pivots"], scope, rows)


def belongs_to_join(node: Any, scope: Scope) -> bool:
    """FROM a, b PIVOT (…) in Spark      what is pivoted is a beside b, and not b alone"""
    join = node.parent
    unconditional = (
        isinstance(join, exp.Join) and join.args.get("on") is None and not join.args.get("using")
    )
    return unconditional and scope.evaluation.facts.pivot_takes_join


def pivoted_join(pivots: list[exp.Pivot], scope: Scope, rows: Lineage) -> None:
    """FROM a JOIN b ON … PIVOT (…)

    all that has been joined so far becomes one; a.x is still found in it
    """
    whole = Source("", "", project(one_row(), visible(scope)))
    scope.clause = Clause.PIVOT
    source = pivoted(whole, pivots, scope, scope)
    absorb(source.frame.rows, rows)
    scope.replace(source)


def _common(source: Source, scope: Scope, before: int, node: exp.Join) -> list[tuple[str, str]]:
    """NATURAL JOIN      the names that both sides have"""
    left = scope.order[:before]
    if source.stars or any(member.stars for member in left):
        scope.evaluation.report(
            Code.UNSUPPORTED_CONSTRUCT,
            "NATURAL JOIN over an unknown schema: its keys are not known",
            node,
        )
    names = [slot for member in left for slot in member.frame.slots if slot.key in source.index]
    return list({slot.key: (slot.name, slot.key) for slot in names}.values())


def _merge_keys(
    keys: list[tuple[str, str]],
    node: exp.Join,
    source: Source,
    scope: Scope,
    rows: Lineage,
    before: int,
    merged: dict[str, Slot],
    way: Way,
) -> None:
    """USING (id)

    both ids decide; the merged id is the left one's, the right one's, or either (FULL)
    """
    scope.clause = way.clause
    side = node.args.get("side")
    shown: dict[str, Slot] = {}
    for name, key in keys:
        left = _key_slot(scope, scope.order[:before], name, key, node, merged.get(key))
        right = _key_slot(scope, [source], name, key, node, None)
        for slot in (left, right):
            pour(slot.lineage, way, rows, node)
        taken = {"FULL": (left, right), "RIGHT": (right,)}.get(side or "", (left,))
        scanned = {
            id(slot)
            for member in scope.order
            if member.dataset is not None
            for slot in (slot_at(member.index, key),)
        }
        scope.merged_reads[key] = [
            read for slot in taken if id(slot) in scanned and (read := origin_of(slot))
        ]
        scope.covered[key] = [member for member in scope.order if key in member.index]
        shown[key] = merge_key(left, right, side or "", (name, key), node)
    scope.merged = {**scope.merged, **shown}
    last = scope.steps[-1]
    scope.steps[-1] = (last[0], [key for _, key in keys], last[2])


def _key_slot(
    scope: Scope, members: list[Source], name: str, key: str, node: exp.Join, merged: Slot | None
) -> Slot:
    """The column that USING means on one side: the merged one, the only one, or one of several
    candidates.
    """
    found = [merged] if merged is not None else []
    for member in members:
        slot = slot_at(member.index, key)
        if slot is not None and (merged is None or member not in scope.covered.get(key, ())):
            if member.dataset is not None:
                scope.evaluation.read(origin_of(slot), scope.clause, node)
            found.append(slot)
    if not found:
        opens = [member for member in members if member.stars]
        found = [
            slot
            for member in opens
            if (slot := scope.from_stars(member, name, key, node)) is not None
        ]
    if found:
        return found[0] if len(found) == 1 else scope.ambiguous(name, found, node)
    scope.evaluation.unresolved += 1
    scope.evaluation.report(Code.UNRESOLVED_COLUMN, f"no source has the join column '{name}'", node)
    return Slot(name, key, NOTHING)


RELATIONS: dict[type, Callable[[Any, Scope, Lineage], Source]] = {
    exp.Table: table,
    exp.Subquery: derived,
    exp.Values: values,
    exp.Lateral: lateral,
    exp.Unnest: unnest,
    exp.Final: final,
    exp.TableFromRows: table_from_rows,
    exp.Stream: stream,
    exp.Pivot: unpivot_object,
    exp.TableAlias: piped,
    exp.AtIndex: indexed,
}
