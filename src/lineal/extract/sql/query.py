"""Queries: SELECT, set operations, CTEs and everything in FROM, as frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from lineal.algebra.expression import CONDITION, VALUE, decides
from lineal.algebra.frame import (
    NOTHING,
    Frame,
    Lineage,
    Slot,
    Struct,
    absorb,
    answer,
    pour,
    renamed,
    scan,
    slot_at,
    star_slot,
    union,
    union_by_name,
)  # fmt: skip
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.expressions import gather, struct_of, value_of, window_keys
from lineal.extract.sql.naming import output_name
from lineal.extract.sql.scope import Scalar, Scope, Source, field_of, origin_of, with_fields
from lineal.model.diagnostic import Code
from lineal.model.way import IDENTITY, Clause, How, Way

CTEs = dict[str, Frame]

ALIAS, COLUMN, STAR, STRUCT = exp.Alias, exp.Column, exp.Star, exp.Struct

FILTERS = decides(How.FILTER, Clause.WHERE)
HAVING = decides(How.FILTER, Clause.HAVING)
QUALIFY = decides(How.FILTER, Clause.QUALIFY)
JOINS = decides(How.JOIN, Clause.JOIN_ON)
USING = decides(How.JOIN, Clause.USING)
NATURAL = decides(How.JOIN, Clause.NATURAL)
LATERAL = decides(How.JOIN, Clause.LATERAL)
GROUPS = decides(How.GROUP_BY, Clause.GROUP_BY)
DISTINCT = decides(How.GROUP_BY, Clause.DISTINCT)
DISTINCT_ON = decides(How.GROUP_BY, Clause.DISTINCT_ON)
LIMITS = decides(How.FILTER, Clause.LIMIT)
LIMIT_BY = decides(How.GROUP_BY, Clause.LIMIT)
SORTS = decides(How.SORT, Clause.ORDER_BY)
UNION = decides(How.GROUP_BY, Clause.UNION)
COMPARED = {exp.Intersect: decides(How.FILTER, Clause.INTERSECT), exp.Except: decides(How.FILTER, Clause.EXCEPT)}


def query(node: Any, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    """The frame of any query."""
    handler = QUERIES.get(type(node))
    if handler is None:
        evaluation.report(Code.UNSUPPORTED_CONSTRUCT, f"{node.key} is not read as a query", node)
        return Frame([], NOTHING)
    return handler(node, parent, ctes, evaluation)


# -- SELECT ------------------------------------------------------------------------------------------------------


def select(node: exp.Select, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    """SELECT a, sum(b) AS total FROM t WHERE c GROUP BY a      a, total, and c decides the rows"""
    args = node.args
    if args.get("with_") is not None:
        ctes = with_(args["with_"], parent, ctes, evaluation)
    scope = Scope(evaluation, parent, ctes)
    rows: Lineage = {}
    if args.get("from_") is not None:
        relation(args["from_"].this, scope, rows)
    for lateral in args.get("laterals") or ():
        relation(lateral, scope, rows)
    for join in args.get("joins") or ():
        join_(join, scope, rows)
    if args.get("connect") is not None:
        connect(args["connect"], scope, rows)
    if args.get("windows"):
        named_windows(args["windows"], scope)
    slots, aliases = project(node, scope, rows)
    if args.get("where") is not None or args.get("prewhere") is not None:
        _where(args, scope, rows, aliases)
    if args.get("group") is not None:
        _group(node, scope, rows, slots, aliases)
    if args.get("having") is not None or args.get("qualify") is not None:
        _conditions(args, scope, rows, aliases)
    if args.get("distinct") is not None:
        _distinct(args["distinct"], scope, rows, slots, aliases)
    if args.get("order") is not None or args.get("sort") is not None or args.get("cluster") is not None:
        _order(args, scope, rows, slots, {slot.key: slot for slot in reversed(slots)})
    if args.get("limit") is not None or args.get("offset") is not None:
        _limit(args, scope, rows, aliases)
    return Frame(slots, rows)


def project(node: exp.Select, scope: Scope, rows: Lineage) -> tuple[list[Slot], dict[str, Slot]]:
    """SELECT a AS x, t.*, b + 1 AS y      one slot per output column, and those that are aliases of something"""
    evaluation = scope.evaluation
    scope.clause = Clause.SELECT
    slots: list[Slot] = []
    aliases: dict[str, Slot] = {}
    lateral = evaluation.facts.lateral_aliases
    several_anywhere = evaluation.facts.columns_in_expressions
    fold, keys, new_slot = evaluation.fold, evaluation.keys, tuple.__new__
    for position, item in enumerate(node.args["expressions"]):
        kind = item.__class__
        alias = None
        if kind is ALIAS:
            alias = item.args["alias"]
            item = item.args["this"]
            kind = item.__class__
        if kind is STAR or (kind is COLUMN and item.args["this"].__class__ is STAR):
            slots.extend(star_slots(item, scope))
            continue
        lineage: Lineage = {}
        if kind is COLUMN:
            found = scope.column(item).lineage
            for influence, trail in found.items():
                lineage[influence] = (item, None, trail, trail[3] if trail is not None else None)
            if found.__class__ is Struct:
                lineage = with_fields(lineage, found)
        elif kind not in SPECIAL and not several_anywhere:
            gather(item, IDENTITY, lineage, scope)
        elif (several := several_slots(item, scope)) is not None:
            slots.extend(several)
            continue
        elif kind is STRUCT:
            lineage = struct_of(item, scope)
        elif kind in GENERATORS:
            made = generated(item, alias, scope, rows)
            aliases.update((slot.key, slot) for slot in made)
            slots.extend(made)
            continue
        else:
            gather(item, IDENTITY, lineage, scope)
        if alias is not None:
            name = alias.args["this"]
            key = fold(name, True) if alias.args.get("quoted") else keys[name]
            slot = new_slot(Slot, (name, key, lineage, None, None))
            if kind is not COLUMN or item.args["this"].args["this"] != name:
                aliases.setdefault(slot.key, slot)
                if lateral:
                    scope.aliases = aliases
        else:
            name, quoted = output_name(item, position, evaluation)
            key = fold(name, True) if quoted else keys[name]
            slot = new_slot(Slot, (name, key, lineage, None, None))
        slots.append(slot)
    scope.aliases = {}
    return slots, aliases


def star_slots(node: Any, scope: Scope) -> list[Slot]:
    """*, t.*, * EXCEPT (a), * REPLACE (f(a) AS a), * RENAME (a AS b)      in schema order"""
    star = node.args["this"] if isinstance(node, exp.Column) else node
    if isinstance(node, exp.Column):
        source = _star_source(node, scope)
        if source is None:
            return struct_star(node, scope)
        slots = list(source.frame.slots)
        _read_all(source, slots, scope, node)
    else:
        slots = visible(scope)
        for source in scope.order:
            _read_all(source, source.frame.slots, scope, node)
    return edited(star, slots, scope) if any(star.args.values()) else slots


def edited(star: exp.Star, slots: list[Slot], scope: Scope) -> list[Slot]:
    """* EXCEPT (a) REPLACE (f(b) AS b) RENAME (c AS d) ILIKE 'x%'      what is left of the star's columns

    An open star stays open: what the text says of a column beside it becomes a column of its own.
    """
    left_out = {_key_of(item, scope): item for item in star.args.get("except_") or ()}
    replaced = {_key_of(a.args["alias"], scope): a for a in star.args.get("replace") or () if isinstance(a, exp.Alias)}
    renames = {_key_of(a.this, scope): a for a in star.args.get("rename") or () if isinstance(a, exp.Alias)}
    for key, item in {**left_out, **replaced, **renames}.items():
        if not any(slot.key == key for slot in slots):
            slots = beside_star(slots, key, item, scope)
    found = [slot for slot in slots if slot.key not in left_out or _of_another(slot, left_out[slot.key], scope)]
    for position, slot in enumerate(found):
        if slot.key in replaced:
            slot = Slot(slot.name, slot.key, value_of(replaced[slot.key].this, IDENTITY, scope))
        if slot.key in renames:
            name = renames[slot.key].args["alias"]
            slot = Slot(name.name, _key_of(name, scope), slot.lineage)
        found[position] = slot
    if star.args.get("ilike") is not None:
        matches = like(star.args["ilike"].name, re.IGNORECASE)
        found = [slot for slot in found if slot.star is not None or matches(slot.name)]
    return found


def _of_another(slot: Slot, item: Any, scope: Scope) -> bool:
    """* EXCLUDE (u.id)      t's id stays"""
    if not isinstance(item, exp.Column) or item.args.get("table") is None:
        return False
    source = _star_source(item, scope)
    return source is not None and slot_at(source.index, slot.key) is not slot


def _key_of(node: Any, scope: Scope) -> str:
    identifier = node.args["this"] if isinstance(node, exp.Column) else node
    return scope.evaluation.fold(identifier.name, identifier.args.get("quoted"))


def beside_star(slots: list[Slot], key: str, item: exp.Expr, scope: Scope) -> list[Slot]:
    """* EXCEPT (a), where the text tells that there is an a: it stands beside the open star, which has no a any more"""
    evaluation = scope.evaluation
    named = item.this if isinstance(item, exp.Alias) and not isinstance(item.this, exp.Func) else item
    name = named.name if isinstance(named, (exp.Column, exp.Identifier)) else item.alias_or_name
    answers = [a for slot in slots if slot.star is not None and (a := answer(slot.star, name, key)) is not None]
    evaluation.references += 1
    if not answers:
        evaluation.unresolved += 1
        evaluation.report(Code.UNRESOLVED_COLUMN, f"the star has no column '{name}'", item)
        return slots
    beside = answers[0] if len(answers) == 1 else scope.ambiguous(name, answers, item)
    for (origin, _), trail in beside.lineage.items():
        evaluation.read(origin, scope.clause, item, learn=trail is None)
    without = [slot if slot.star is None else star_slot(slot.star.without(key)) for slot in slots]
    return [*without, beside]


def _star_source(node: exp.Column, scope: Scope) -> Source | None:
    evaluation = scope.evaluation
    parts = [
        part for part in (node.args.get("catalog"), node.args.get("db"), node.args.get("table")) if part is not None
    ]
    keys = [evaluation.fold_table(part.name, part.args.get("quoted")) for part in parts]
    return scope.find_source(".".join(keys)) or (scope.find_source(keys[-1]) if len(keys) > 1 else None)


def struct_star(node: exp.Column, scope: Scope) -> list[Slot]:
    """address.*      the fields of a struct: known only with its type, so one open position"""
    table = node.args["table"]
    inner = exp.Column(this=table.copy(), table=node.args.get("db"))
    found = scope.column(inner)
    lineage: Lineage = {}
    if isinstance(found.lineage, Struct):
        return [Slot(n, n, field_of(found, [n], node).lineage) for n in found.lineage.fields]
    pour(found.lineage, VALUE, lineage, node)
    return [Slot(f"{table.name}.*", f"{table.name}.*", lineage)] if lineage else []


def generated(item: Any, alias: Any, scope: Scope, rows: Lineage) -> list[Slot]:
    """SELECT explode(xs) AS x, stack(2, a, b) AS (p)      rows are made of one value, columns of its parts"""
    evaluation = scope.evaluation
    identifiers = [alias] if alias is not None else []
    if isinstance(item, exp.Aliases):
        identifiers, item = item.expressions, item.this
    names = [(i.name, evaluation.fold(i.name, i.args.get("quoted"))) for i in identifiers]
    if isinstance(item, exp.Stack):
        return list(renamed(stacked(item, scope), names).slots)
    if not isinstance(item, GENERATOR_CALLS):  # f(a) AS (p, q)
        lineage = value_of(item, IDENTITY, scope)
        return [Slot(name, key, lineage) for name, key in names]
    names = names or [(name, name) for name in GENERATED.get(type(item), ("col",))]
    frame = exploded([item], [name for name, _ in names], scope, rows)
    scope.clause = Clause.SELECT
    return list(renamed(frame, names).slots)


def stacked(item: exp.Stack, scope: Scope) -> Frame:
    """stack(2, 'a', a, 'b', b)      two rows of two columns: 'a' and 'b', a and b"""
    count = int(item.this.name) if isinstance(item.this, exp.Literal) and item.this.name.isdigit() else 1
    width = max(1, -(-len(item.expressions) // max(1, count)))
    slots = [Slot(f"col{position}", f"col{position}", {}) for position in range(width)]
    for position, argument in enumerate(item.expressions):
        gather(argument, IDENTITY, slots[position % width].lineage, scope)
    return Frame(slots, NOTHING)


GENERATED: dict[type, tuple[str, ...]] = {
    exp.Posexplode: ("pos", "col"),
    exp.PosexplodeOuter: ("pos", "col"),
    exp.Unnest: ("unnest",),
}
GENERATOR_CALLS = (exp.Explode, exp.ExplodeOuter, exp.Posexplode, exp.PosexplodeOuter, exp.Inline, exp.Unnest)
GENERATORS = frozenset((*GENERATOR_CALLS, exp.Stack, exp.Aliases))
"""Functions that make rows of one value, and expressions with several aliases."""

SPECIAL = GENERATORS | {exp.Columns, exp.Like, exp.ILike, exp.Dot, exp.Struct}
"""What may be several columns in one item of SELECT, or a value with fields."""


def several_slots(item: Any, scope: Scope) -> list[Slot] | None:
    """COLUMNS('a.*'), * LIKE 'a%', (t).*, max(COLUMNS(*))      one output for each column; None for one output"""
    if isinstance(item, exp.Columns):
        return columns_slots(item, scope)
    if isinstance(item, exp.Dot) and isinstance(item.expression, exp.Star):
        row = scope.row(item.this.unnest())
        if row is not None:
            _read_all(row, row.frame.slots, scope, item)
            return list(row.frame.slots)
        return None
    if isinstance(item, (exp.Like, exp.ILike)) and isinstance(item.this, exp.Star):
        matches = like(item.expression.name, re.IGNORECASE if isinstance(item, exp.ILike) else re.NOFLAG)
        return [slot for slot in star_slots(item.this, scope) if slot.star is not None or matches(slot.name)]
    return each_column(item, scope) if scope.evaluation.facts.columns_in_expressions else None


def each_column(item: Any, scope: Scope) -> list[Slot] | None:
    """max(COLUMNS(*))      the expression over each of the columns, under that column's name"""
    columns = item.find(exp.Columns)
    if columns is None:
        return None
    slots: list[Slot] = []
    for column in columns_slots(columns, scope):
        scope.each = column
        lineage: Lineage = {}
        gather(item, IDENTITY, lineage, scope)
        slots.append(Slot(column.name, column.key, lineage, column.star))
    scope.each = None
    return slots


def columns_slots(node: exp.Columns, scope: Scope) -> list[Slot]:
    """COLUMNS('pattern'), COLUMNS(* EXCLUDE (a)), COLUMNS([a, b])      the columns that are meant"""
    wanted = node.this
    if isinstance(wanted, exp.Star):
        return star_slots(wanted, scope)
    slots = visible(scope)
    for source in scope.order:
        _read_all(source, source.frame.slots, scope, node)
    if isinstance(wanted, exp.Array):
        keys = {scope.evaluation.fold(item.name, False) for item in wanted.expressions}
        return [slot for slot in slots if slot.star is not None or slot.key in keys]
    if isinstance(wanted, exp.Literal) and wanted.is_string:
        try:
            matches = re.compile(wanted.name).search
        except re.error:
            scope.evaluation.report(Code.UNSUPPORTED_CONSTRUCT, f"not a pattern: {wanted.name}", node)
            return slots
        return [slot for slot in slots if slot.star is not None or matches(slot.name)]
    scope.evaluation.report(Code.UNSUPPORTED_CONSTRUCT, "COLUMNS of a condition: all columns are taken", node)
    return slots


def like(pattern: str, flags: re.RegexFlag) -> Callable[[str], Any]:
    """LIKE 'user\\_%'      as a test of names"""
    parts = ({"%": ".*", "_": "."}.get(char, re.escape(char)) for char in pattern)
    return re.compile("".join(parts), flags | re.DOTALL).fullmatch


def _read_all(source: Source, slots: Sequence[Slot], scope: Scope, node: Any) -> None:
    if source.dataset is not None:
        for slot in slots:
            scope.evaluation.read(origin_of(slot), scope.clause, node, learn=slot.star is None)


def visible(scope: Scope) -> list[Slot]:
    """FROM a JOIN b USING (id)      what * means: id once and first, then the rest of a, then the rest of b"""
    slots: list[Slot] = []
    for source, keys, hidden in scope.steps:
        if hidden:
            continue
        if keys:
            merged = [scope.merged[key] for key in keys if key in scope.merged]
            taken = set(keys)
            left = [slot for slot in slots if slot.key not in taken]
            right = [slot for slot in source.frame.slots if slot.key not in taken]
            slots = [*merged, *left, *right]
        else:
            slots.extend(source.frame.slots)
    return slots


def named_windows(windows: list[exp.Window], scope: Scope) -> None:
    """WINDOW w AS (PARTITION BY a)      a is read here, whether or not w is used"""
    for window in windows:
        scope.windows[scope.evaluation.fold(window.name, False)] = window
    scope.clause = Clause.WINDOW
    for window in windows:
        for key in window_keys(window):
            gather(key, IDENTITY, {}, scope)


# -- the clauses after FROM --------------------------------------------------------------------------------------


def _where(args: dict[str, Any], scope: Scope, rows: Lineage, outputs: dict[str, Slot]) -> None:
    where = args.get("where")
    if where is not None:
        scope.clause = Clause.WHERE
        if scope.evaluation.facts.aliases_in_where:
            scope.aliases = outputs
        gather(where.args["this"], FILTERS, rows, scope)
    prewhere = args.get("prewhere")
    if prewhere is not None:
        gather(prewhere.args["this"], FILTERS, rows, scope)
    scope.aliases = {}


def _group(node: exp.Select, scope: Scope, rows: Lineage, slots: list[Slot], outputs: dict[str, Slot]) -> None:
    """GROUP BY a, 2, alias, ROLLUP (b)      each key decides which rows there are"""
    group = node.args.get("group")
    if group is None:
        return
    scope.clause = Clause.GROUP_BY
    scope.aliases = outputs
    scope.alias_first = scope.evaluation.facts.alias_first_in_group_by
    if group.args.get("all"):
        for item, slot in zip(node.expressions, slots, strict=False):
            if not _aggregates(item):
                pour(slot.lineage, GROUPS, rows)
    keys = list(group.expressions)
    for form in ("rollup", "cube", "grouping_sets"):
        keys.extend(group.args.get(form) or ())
    for key in keys:
        position = _ordinal(key, slots)
        if position is not None:
            pour(slots[position].lineage, GROUPS, rows, key)
        else:
            gather(key, GROUPS, rows, scope)
    scope.aliases = {}
    scope.alias_first = False


def _aggregates(item: exp.Expr) -> bool:
    return any(not isinstance(found.parent, exp.Window) for found in item.find_all(exp.AggFunc))


def _ordinal(node: exp.Expr, slots: Sequence[Slot]) -> int | None:
    """GROUP BY 1, ORDER BY 2 DESC      the position in the SELECT list"""
    if node.__class__ is exp.Literal and not node.args.get("is_string") and node.name.isdigit():
        position = int(node.name) - 1
        if 0 <= position < len(slots):
            return position
    return None


def _conditions(args: dict[str, Any], scope: Scope, rows: Lineage, outputs: dict[str, Slot]) -> None:
    for name, clause, way in (("having", Clause.HAVING, HAVING), ("qualify", Clause.QUALIFY, QUALIFY)):
        condition = args.get(name)
        if condition is not None:
            scope.clause = clause
            scope.aliases = outputs
            gather(condition.args["this"], way, rows, scope)
            scope.aliases = {}


def _distinct(node: exp.Distinct, scope: Scope, rows: Lineage, slots: list[Slot], outputs: dict[str, Slot]) -> None:
    """SELECT DISTINCT a, b: both are compared; DISTINCT ON (a): only a"""
    on = node.args.get("on")
    if on is None:
        for slot in slots:
            pour(slot.lineage, DISTINCT, rows)
        return
    scope.clause = Clause.DISTINCT_ON
    scope.aliases = outputs
    for key in on.expressions:
        position = _ordinal(key, slots)
        if position is not None:
            pour(slots[position].lineage, DISTINCT_ON, rows, key)
        else:
            gather(key, DISTINCT_ON, rows, scope)
    scope.aliases = {}


def _order(args: dict[str, Any], scope: Scope, rows: Lineage, slots: Sequence[Slot], outputs: dict[str, Slot]) -> None:
    """ORDER BY total DESC      an output column first, then a source column"""
    for form in ("order", "sort", "cluster"):
        order = args.get(form)
        if order is None:
            continue
        scope.clause = Clause.ORDER_BY
        for item in order.expressions:
            key = item.args["this"] if isinstance(item, exp.Ordered) else item
            if isinstance(key, exp.Var) and key.name.upper() == "ALL":
                for slot in slots:
                    pour(slot.lineage, SORTS, rows)
                continue
            position = _ordinal(key, slots)
            if position is not None:
                pour(slots[position].lineage, SORTS, rows, key)
                continue
            scope.aliases = outputs
            scope.alias_first = key.__class__ is exp.Column or not scope.evaluation.facts.source_first_inside_order_by
            if not scope.alias_first:
                scope.aliases = {}
            gather(key, SORTS, rows, scope)
        scope.aliases = {}
        scope.alias_first = False


def _limit(args: dict[str, Any], scope: Scope, rows: Lineage, outputs: dict[str, Slot]) -> None:
    """LIMIT (SELECT max(n) FROM u): n decides how many rows; LIMIT 1 BY a: one row for each a"""
    scope.clause = Clause.LIMIT
    for node in (args.get("limit"), args.get("offset")):
        number = (node.args.get("expression") or node.args.get("count")) if node is not None else None
        if number is not None and number.__class__ is not exp.Literal:
            gather(number, LIMITS, rows, scope)
        if node is not None and node.args.get("expressions"):
            scope.aliases = outputs
            for key in node.expressions:
                gather(key, LIMIT_BY, rows, scope)
            scope.aliases = {}


def connect(node: exp.Connect, scope: Scope, rows: Lineage) -> None:
    """START WITH boss IS NULL CONNECT BY PRIOR id = boss      a filter, and a join of the table with itself"""
    start = node.args.get("start")
    if start is not None:
        scope.clause = Clause.WHERE
        gather(start, FILTERS, rows, scope)
    scope.clause = Clause.JOIN_ON
    gather(node.args["connect"], JOINS, rows, scope)


# -- FROM --------------------------------------------------------------------------------------------------------


def relation(node: Any, scope: Scope, rows: Lineage) -> Source:
    """One member of FROM, added to the scope; its row influences become the query's."""
    handler = RELATIONS.get(node.__class__, unknown_relation)
    source = handler(node, scope, rows)
    args = node.args
    if args.get("pivots") or args.get("match") is not None:
        form = "MATCH_RECOGNIZE" if args.get("match") is not None else "PIVOT"
        scope.evaluation.report(Code.UNSUPPORTED_CONSTRUCT, f"{form} is not traced", node)
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


def table(node: exp.Table, scope: Scope, rows: Lineage) -> Source:
    """FROM t, FROM db.t AS x(p, q), FROM f(1)      a CTE if one has that name, else a dataset"""
    args = node.args
    this = args.get("this")
    if this.__class__ is not exp.Identifier:
        return table_function(node, this, scope, rows) if this is not None else unknown_relation(node, scope, rows)
    evaluation = scope.evaluation
    spelling = this.args["this"]
    key = full = table_name(this, evaluation)
    dataset = None
    if args.get("db") is None and key in scope.ctes and scope.ctes[key].__class__ is not Scalar:
        frame = scope.ctes[key]
    else:
        if args.get("db") is not None:
            parts = [part for part in (args.get("catalog"), args.get("db"), this) if part is not None]
            spelling = ".".join(part.name if part else "" for part in parts)  # T-SQL's a..b
            full = ".".join(table_name(part, evaluation) if part else "" for part in parts)
        dataset, frame = evaluation.catalog.scan(full, spelling, evaluation, node)
        evaluation.datasets_read.setdefault(dataset, node)
    alias = args.get("alias")
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
    return evaluation.keys[spelled["this"]]


def listed(frame: Frame, alias: exp.TableAlias, evaluation: Evaluation) -> Frame:
    """AS d(p, q)      the columns get these names"""
    columns = alias.args.get("columns")
    if not columns:
        return frame
    if frame.complete and len(columns) > len(frame.slots):
        evaluation.report(Code.COLUMN_COUNT, f"{len(columns)} column names for {len(frame.slots)} columns", alias)
    names = [(c.name, evaluation.fold(c.name, getattr(c, "args", {}).get("quoted"))) for c in columns]
    return renamed(frame, names)


def table_function(node: exp.Expr, call: Any, scope: Scope, rows: Lineage) -> Source:
    """FROM order_volume(10) AS v      a dataset of its own, called like the function"""
    evaluation = scope.evaluation
    name = call.name if isinstance(call, exp.Anonymous) else getattr(call, "sql_name", lambda: call.key)().lower()
    spelling = str(name).removeprefix("exploding_")
    key = evaluation.fold_table(spelling, False)
    scope.clause = Clause.FROM
    for argument in call.iter_expressions() if hasattr(call, "iter_expressions") else ():
        if isinstance(argument, exp.EQ):  # read_parquet('x', union_by_name = true)
            argument = argument.expression
        gather(argument, LATERAL, rows, scope)
    dataset, frame = evaluation.catalog.scan(key, spelling, evaluation, node)
    evaluation.datasets_read.setdefault(dataset, node)
    alias = node.args.get("alias")
    if alias is not None:
        names = column_names(alias)
        if names and frame.stars and len(frame.slots) == 1:
            frame = scan(dataset, [(name, evaluation.fold(name, False)) for name in names], complete=True)
        frame = listed(frame, alias, evaluation)
        if alias.this is not None:
            key = evaluation.fold_table(alias.this.name, alias.this.args.get("quoted"))
    return Source(key, key, frame, dataset)


def table_from_rows(node: exp.TableFromRows, scope: Scope, rows: Lineage) -> Source:
    """FROM TABLE(f(a)) AS s      a call of f"""
    return table_function(node, node.this, scope, rows)


def derived(node: exp.Subquery, scope: Scope, rows: Lineage) -> Source:
    """FROM (SELECT …) AS d(p, q), FROM (a JOIN b ON …)      a frame under an alias"""
    evaluation = scope.evaluation
    alias = node.args.get("alias")
    inner = node.args["this"]
    if is_join(inner):
        return parenthesised(node, inner, scope, rows)
    frame = query(node, scope.parent, scope.ctes, evaluation)
    if alias is None:
        return Source("", "", frame)
    key = evaluation.fold_table(alias.this.name, alias.this.args.get("quoted")) if alias.this is not None else ""
    return Source(key, key, listed(frame, alias, evaluation))


def is_join(inner: Any) -> bool:
    """(a JOIN b …), ((SELECT …) AS s JOIN b …), ((a JOIN b))      in contrast to a query in parentheses"""
    while isinstance(inner, exp.Subquery):
        if inner.args.get("joins") or inner.args.get("laterals") or inner.args.get("alias") is not None:
            return True
        inner = inner.this
    return isinstance(inner, exp.Table)


def parenthesised(node: exp.Subquery, inner: exp.Expr, scope: Scope, rows: Lineage) -> Source:
    """FROM (a JOIN b ON …) AS j      with an alias only j is seen, without one a and b are"""
    alias = node.args.get("alias")
    nested = Scope(scope.evaluation, scope.parent, scope.ctes)
    relation(inner, nested, rows)
    whole = Frame(visible(nested), NOTHING)
    if alias is not None:
        key = scope.evaluation.fold_table(alias.this.name, alias.this.args.get("quoted"))
        return Source(key, key, listed(whole, alias, scope.evaluation))
    for source in nested.order:
        scope.add(source)
    scope.merged = {**nested.merged, **scope.merged}
    scope.merged_reads = {**nested.merged_reads, **scope.merged_reads}
    scope.covered = {**nested.covered, **scope.covered}
    return Source("", "", whole, transparent=True)


def values(node: exp.Values, scope: Scope, rows: Lineage) -> Source:
    """FROM (VALUES (1, a), (2, b)) AS v(p, q)      column j takes the j-th of every row"""
    evaluation = scope.evaluation
    frame = values_frame(node, scope, [], evaluation)
    alias = node.args.get("alias")
    if alias is None:
        return Source("", "", frame)
    key = evaluation.fold_table(alias.this.name, False) if alias.this is not None else ""
    return Source(key, key, listed(frame, alias, evaluation))


def values_frame(node: exp.Values, scope: Scope, names: Sequence[str], evaluation: Evaluation) -> Frame:
    scope.clause = Clause.VALUES
    first, prefix = evaluation.facts.values_names
    slots: list[Slot] = []
    for tuple_ in node.expressions:
        items = tuple_.expressions if isinstance(tuple_, exp.Tuple) else [tuple_]
        for position, item in enumerate(items):
            if position == len(slots):
                name = f"{prefix}{position + first}"
                slots.append(Slot(name, name, {}))
            gather(item, IDENTITY, slots[position].lineage, scope)
    return Frame(slots, NOTHING)


def lateral(node: exp.Lateral, scope: Scope, rows: Lineage) -> Source:
    """JOIN LATERAL (SELECT … WHERE t.id = o.id) AS l      sees what stands before it"""
    inner = node.this
    alias = node.args.get("alias")
    evaluation = scope.evaluation
    if isinstance(inner, exp.Subquery):
        frame = query(inner, scope, scope.ctes, evaluation)
    else:
        names = column_names(alias)
        offset = inner.args.get("offset") if isinstance(inner, exp.Unnest) else None
        if isinstance(offset, exp.Identifier):
            names = [*(names or ["col"]), offset.name]
        frame = exploded([inner], names, scope, rows)
    if alias is None or alias.this is None:
        return Source("", "", frame)
    key = evaluation.fold_table(alias.this.name, alias.this.args.get("quoted"))
    return Source(key, key, listed(frame, alias, evaluation))


def unnest(node: exp.Unnest, scope: Scope, rows: Lineage) -> Source:
    """CROSS JOIN UNNEST(xs) AS u(x)      x is made of xs, and xs decides how many rows there are"""
    evaluation = scope.evaluation
    alias = node.args.get("alias")
    names = column_names(alias)
    offset = node.args.get("offset")
    counted = ["offset" if offset is True else offset.name] if offset else []
    if alias is None or alias.this is None:
        return Source("", "", exploded(list(node.expressions), [*(names or ["col"]), *counted], scope, rows))
    key = evaluation.fold_table(alias.this.name, alias.this.args.get("quoted"))
    names = [*(names or [alias.this.name]), *counted]
    return Source(key, key, exploded(list(node.expressions), names, scope, rows))


def exploded(arguments: list[Any], names: list[str], scope: Scope, rows: Lineage) -> Frame:
    """LATERAL VIEW explode(xs) t AS x      x ← xs TRANSFORMATION, xs ⇒ JOIN"""
    if len(arguments) == 1 and isinstance(arguments[0], exp.Stack):
        return stacked(arguments[0], scope)
    scope.clause = Clause.LATERAL
    lineage: Lineage = {}
    for argument in arguments:
        gather(argument, VALUE, lineage, scope)
        if not fixed(argument):
            gather(argument, LATERAL, rows, scope)
    fold = scope.evaluation.fold
    return Frame([Slot(name, fold(name, False), lineage) for name in names or ["col"]], NOTHING)


def fixed(argument: Any) -> bool:
    """explode(array(a, b))      the text says how many rows there are"""
    while isinstance(argument, (exp.UDTF, exp.Explode, exp.Posexplode, exp.Inline, exp.Paren, exp.Cast)):
        inner = argument.this if argument.args.get("this") is not None else None
        if inner is None:
            inner = argument.expressions[0] if len(argument.expressions) == 1 else None
        argument = inner
    return isinstance(argument, (exp.Array, exp.Map, exp.VarMap, exp.Struct))


def column_names(alias: exp.TableAlias | None) -> list[str]:
    return [column.name for column in alias.args.get("columns") or ()] if alias is not None else []


def final(node: exp.Final, scope: Scope, rows: Lineage) -> Source:
    """FROM t FINAL      ClickHouse merges t's parts first"""
    return RELATIONS.get(node.this.__class__, unknown_relation)(node.this, scope, rows)


def unknown_relation(node: Any, scope: Scope, rows: Lineage) -> Source:
    scope.evaluation.report(Code.UNSUPPORTED_CONSTRUCT, f"{node.key} in FROM is not traced", node)
    alias = node.args.get("alias")
    name = alias.name if isinstance(alias, exp.TableAlias) else ""
    fold = scope.evaluation.fold
    slots = [Slot(n, fold(n, False), {}) for n in column_names(alias if name else None)]
    return Source(scope.evaluation.fold_table(name, False), name, Frame(slots, NOTHING))


# -- JOIN --------------------------------------------------------------------------------------------------------


def join_(node: exp.Join, scope: Scope, rows: Lineage) -> None:
    """a JOIN b ON a.id = b.id      both ids decide which rows meet"""
    args = node.args
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
        keys = [(k.name, evaluation.fold(k.name, k.args.get("quoted"))) for k in using]
        _merge_keys(keys, node, source, scope, rows, before, merged, USING)
    elif args.get("method") == "NATURAL":
        keys = _common(source, scope, before, node)
        _merge_keys(keys, node, source, scope, rows, before, merged, NATURAL)
    if args.get("kind") in ("SEMI", "ANTI"):
        scope.remove(source)
        scope.steps = [(s, k, h or s is source) for s, k, h in scope.steps]


def _common(source: Source, scope: Scope, before: int, node: exp.Join) -> list[tuple[str, str]]:
    """NATURAL JOIN      the names that both sides have"""
    left = scope.order[:before]
    if source.stars or any(member.stars for member in left):
        scope.evaluation.report(
            Code.UNSUPPORTED_CONSTRUCT, "NATURAL JOIN over an unknown schema: its keys are not known", node
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
    """USING (id)      both ids decide; the merged id is the left one's, the right one's, or either (FULL)"""
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
            id(slot) for member in scope.order if member.dataset is not None for slot in (slot_at(member.index, key),)
        }
        scope.merged_reads[key] = [origin_of(slot) for slot in taken if id(slot) in scanned]
        scope.covered[key] = [member for member in scope.order if key in member.index]
        if side == "FULL":
            lineage: Lineage = {}
            for slot in (left, right):
                pour(slot.lineage, VALUE, lineage, node)
                pour(slot.lineage, CONDITION, lineage, node)
            shown[key] = Slot(name, key, lineage)
        else:
            shown[key] = right if side == "RIGHT" else left
    scope.merged = {**scope.merged, **shown}
    last = scope.steps[-1]
    scope.steps[-1] = (last[0], [key for _, key in keys], last[2])


def _key_slot(scope: Scope, members: list[Source], name: str, key: str, node: exp.Join, merged: Slot | None) -> Slot:
    """The column that USING means on one side: the merged one, the only one, or one of several candidates."""
    found = [merged] if merged is not None else []
    for member in members:
        slot = slot_at(member.index, key)
        if slot is not None and (merged is None or member not in scope.covered.get(key, ())):
            if member.dataset is not None:
                scope.evaluation.read(origin_of(slot), scope.clause, node)
            found.append(slot)
    if not found:
        opens = [member for member in members if member.stars]
        found = [slot for member in opens if (slot := scope.from_stars(member, name, key, node)) is not None]
    if found:
        return found[0] if len(found) == 1 else scope.ambiguous(name, found, node)
    scope.evaluation.unresolved += 1
    scope.evaluation.report(Code.UNRESOLVED_COLUMN, f"no source has the join column '{name}'", node)
    return Slot(name, key, NOTHING)


# -- CTEs and subqueries -----------------------------------------------------------------------------------------


def with_(node: exp.With, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> CTEs:
    """WITH a AS (…), b AS (SELECT … FROM a)      each sees those before it"""
    known = dict(ctes)
    facts = evaluation.facts
    recursive = bool(node.args.get("recursive"))
    members = node.expressions
    if recursive and facts.recursive_list_in_any_order:
        members = in_order(members, evaluation)
    for cte in members:
        alias = cte.args["alias"]
        key = table_name(alias.this, evaluation)
        body = cte.args["this"]
        if cte.args.get("scalar"):
            known[key] = Scalar(body)
            continue
        if recursive or facts.recursion_without_keyword:
            whole = unwrapped(body)
            if isinstance(whole, exp.SetOperation) and key in _mentioned(whole, evaluation):
                known[key] = recursive_cte(whole, alias, key, parent, known, evaluation)
                continue
        known[key] = listed(query(body, parent, known, evaluation), alias, evaluation)
    return known


def unwrapped(node: Any) -> Any:
    """((a UNION ALL b))      what stands inside, where the parentheses hold nothing else"""
    while isinstance(node, exp.Subquery) and node.is_wrapper:
        node = node.this
    return node


def _mentioned(body: exp.Expr, evaluation: Evaluation) -> set[str]:
    """The names without a schema that a query reads from."""
    return {
        table_name(table.this, evaluation)
        for table in body.find_all(exp.Table)
        if table.args.get("db") is None and isinstance(table.this, exp.Identifier)
    }


def in_order(members: list[exp.CTE], evaluation: Evaluation) -> list[exp.CTE]:
    """WITH RECURSIVE a AS (… FROM b), b AS (…)      b first; a circle stays as it was written"""
    waiting = {table_name(cte.args["alias"].this, evaluation): cte for cte in members}
    needs = {key: _mentioned(cte.this, evaluation) & waiting.keys() - {key} for key, cte in waiting.items()}
    ordered: list[exp.CTE] = []
    while waiting:
        ready = next((key for key in waiting if not needs[key] & waiting.keys()), next(iter(waiting)))
        ordered.append(waiting.pop(ready))
    return ordered


MOST_ROUNDS = 64


def recursive_cte(
    body: exp.SetOperation, alias: exp.TableAlias, key: str, parent: Scope | None, ctes: CTEs, evaluation: Evaluation
) -> Frame:
    """WITH RECURSIVE c AS (anchor UNION ALL step FROM c)      repeat until nothing new is found"""
    inner = body.args.get("with_")
    visible_ctes = with_(inner, parent, ctes, evaluation) if inner is not None else ctes
    anchor = listed(query(body.this, parent, visible_ctes, evaluation), alias, evaluation)
    frame = Frame([Slot(s.name, s.key, dict(s.lineage), s.star) for s in anchor.slots], dict(anchor.rows))
    size = -1
    counted = (evaluation.references, evaluation.ambiguous, evaluation.unresolved)
    for _ in range(MOST_ROUNDS):
        found = sum(len(slot.lineage) for slot in frame.slots) + len(frame.rows)
        if found == size:
            break
        size = found
        evaluation.frames.clear()
        evaluation.references, evaluation.ambiguous, evaluation.unresolved = counted
        whole = listed(set_operation(body, parent, {**ctes, key: frame}, evaluation), alias, evaluation)
        frame = union([frame, whole])
    return frame


def subquery(node: exp.Subquery, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    """(SELECT … ) ORDER BY 1      what stands inside, with the clauses that follow"""
    if node.args.get("with_") is not None:
        ctes = with_(node.args["with_"], parent, ctes, evaluation)
    inner = node.args["this"]
    if is_join(inner):
        scope = Scope(evaluation, parent, ctes)
        rows: Lineage = {}
        relation(inner, scope, rows)
        return Frame(visible(scope), rows)
    frame = query(inner, parent, ctes, evaluation)
    return _ordered(node, frame, parent, ctes, evaluation)


def _ordered(node: Any, frame: Frame, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    args = node.args
    if all(args.get(clause) is None for clause in ("order", "sort", "cluster", "limit", "offset")):
        return frame
    scope = Scope(evaluation, parent, ctes)
    scope.add(Source("", "", frame))
    rows = dict(frame.rows)
    _order(args, scope, rows, frame.slots, {})
    _limit(args, scope, rows, {})
    return Frame(frame.slots, rows)


# -- set operations ----------------------------------------------------------------------------------------------


def set_operation(node: exp.SetOperation, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    if node.args.get("with_") is not None:
        ctes = with_(node.args["with_"], parent, ctes, evaluation)
    frame = _set_operation(node, parent, ctes, evaluation)
    return _ordered(node, frame, parent, ctes, evaluation)


def _set_operation(node: Any, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    """a UNION ALL b UNION ALL c …      runs of one operation are done at once, so that 1,000 branches stay linear"""
    chain: list[Any] = [node]
    while _continues(chain[-1].this):
        chain.append(chain[-1].this)
    chain.reverse()
    frame = query(chain[0].this, parent, ctes, evaluation)
    position = 0
    while position < len(chain):
        operation = chain[position]
        run = [frame]
        while position < len(chain) and _alike(chain[position], operation):
            run.append(query(chain[position].expression, parent, ctes, evaluation))
            position += 1
        frame = _combined(operation, run, evaluation)
    return frame


def _continues(node: Any) -> bool:
    return isinstance(node, exp.SetOperation) and not any(node.args.get(k) for k in ("with_", "order", "limit"))


def _alike(left: Any, right: Any) -> bool:
    return (
        type(left) is type(right)
        and all(bool(left.args.get(part)) == bool(right.args.get(part)) for part in ("distinct", "by_name", "on"))
        and all(left.args.get(part) == right.args.get(part) for part in ("side", "kind"))
    )


def _combined(node: Any, frames: list[Frame], evaluation: Evaluation) -> Frame:
    by_name = bool(node.args.get("by_name"))
    if not by_name:
        _check_widths(node, frames, evaluation)
    if isinstance(node, exp.Except):
        first = frames[0]
        rows: Lineage = {}
        for frame in frames:
            absorb(frame.rows, rows)
        combined = Frame(first.slots, rows)
    elif by_name:
        rows = {}
        for frame in frames:
            absorb(frame.rows, rows)
        combined = Frame(_kept(node, frames, union_by_name(frames), evaluation), rows)
    else:
        combined = union(frames)
    way = COMPARED.get(type(node), UNION if node.args.get("distinct") else None)
    if way is None:
        return combined
    compared = dict(combined.rows)
    for frame in frames:
        for slot in frame.slots:
            pour(slot.lineage, way, compared)
    return Frame(combined.slots, compared)


def _kept(node: Any, frames: list[Frame], slots: list[Slot], evaluation: Evaluation) -> list[Slot]:
    """INNER UNION ALL BY NAME: what all have; LEFT: what the first has; ON (a): what is listed; FULL: everything"""
    if node.args.get("on"):
        keys = {evaluation.fold(column.name, False) for column in node.args["on"]}
    elif node.args.get("side") == "LEFT":
        keys = set(frames[0].index)
    elif node.args.get("kind") == "INNER":
        keys = set.intersection(*(set(frame.index) for frame in frames))
    else:
        return slots
    return [slot for slot in slots if slot.star is not None or slot.key in keys]


def _check_widths(node: Any, frames: list[Frame], evaluation: Evaluation) -> None:
    widths = {len(frame.slots) for frame in frames if frame.complete}
    if len(widths) > 1:
        listed_widths = " and ".join(str(width) for width in sorted(widths))
        evaluation.report(Code.COLUMN_COUNT, f"branches of {node.key.upper()} have {listed_widths} columns", node)


def bare_values(node: exp.Values, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    return values_frame(node, Scope(evaluation, parent, ctes), [], evaluation)


def bare_table(node: exp.Table, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    """FROM t (DuckDB), TABLE t      all of t"""
    scope = Scope(evaluation, parent, ctes)
    rows: Lineage = {}
    relation(node, scope, rows)
    return Frame(star_slots(exp.Star(), scope), rows)


QUERIES: dict[type, Callable[[Any, Scope | None, CTEs, Evaluation], Frame]] = {
    exp.Select: select,
    exp.Subquery: subquery,
    exp.Union: set_operation,
    exp.Intersect: set_operation,
    exp.Except: set_operation,
    exp.Values: bare_values,
    exp.Table: bare_table,
}

RELATIONS: dict[type, Callable[[Any, Scope, Lineage], Source]] = {
    exp.Table: table,
    exp.Subquery: derived,
    exp.Values: values,
    exp.Lateral: lateral,
    exp.Unnest: unnest,
    exp.Final: final,
    exp.TableFromRows: table_from_rows,
}
