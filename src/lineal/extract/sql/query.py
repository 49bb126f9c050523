"""Queries: SELECT, CTEs and set operations, as frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import FILTERS
from lineal.algebra.expression import CONDITION, VALUE
from lineal.algebra.frame import Frame, Members, Piped, Slot, slot_at
from lineal.algebra.lineage import NOTHING, Expression, Lineage, absorb, as_expression, pour
from lineal.algebra.relation import (
    SetOperation,
    extend,
    narrow,
    one_row,
    pipe,
    project,
    recurse,
    reopen,
    set_operation,
    union_by_name,
)
from lineal.algebra.values import Part, Struct, keep_parts
from lineal.extract.sql.clauses import (
    conditions_,
    connect,
    distinct_,
    group_,
    limit_,
    named_windows,
    order_,
    time_windows,
    where_,
)
from lineal.extract.sql.columns import several_slots, star_slots, visible
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.expressions import CARRYING_AGGREGATES, carried, gather, item_of, struct_of
from lineal.extract.sql.generators import GENERATORS, generated, is_generator
from lineal.extract.sql.name_tests import under_alias
from lineal.extract.sql.naming import output_name
from lineal.extract.sql.paths import PATHS, leads_to_part, path_of, reaches, step_of
from lineal.extract.sql.pipes import is_step
from lineal.extract.sql.reading import offset_of
from lineal.extract.sql.relations import (
    is_join,
    join_,
    listed,
    match_recognize,
    pivoted,
    relation,
    table_name,
    values_frame,
)
from lineal.extract.sql.repairs import MARK
from lineal.extract.sql.scope import CTEs, Scalar, Scope, Source, field_of
from lineal.model.diagnostic import Code
from lineal.model.way import IDENTITY, Clause

ALIAS, COLUMN, EQ, STAR, STRUCT = exp.Alias, exp.Column, exp.EQ, exp.Star, exp.Struct


def query(node: Any, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    """The frame of any query."""
    handler = QUERIES.get(type(node))
    if handler is None:
        evaluation.report(Code.UNSUPPORTED_CONSTRUCT, f"{node.key} is not read as a query", node)
        return one_row()
    return handler(node, parent, ctes, evaluation)


# -- SELECT ----------------------------------------------------------------------------------------


def select(  # noqa: C901  every SELECT passes here
    node: exp.Select, parent: Scope | None, ctes: CTEs, evaluation: Evaluation
) -> Frame:
    """SELECT a, sum(b) AS total FROM t WHERE c GROUP BY a      a, total, and c decides the rows"""
    args = node.args
    if args.get("with_") is not None:
        ctes = with_(args["with_"], parent, ctes, evaluation)
    scope = Scope(evaluation, parent, ctes)
    source = one_row()
    rows = scope.rows = source.rows
    if args.get("from_") is not None:
        relation(args["from_"].this, scope, rows)
    match = args.get("match")
    if match is not None and not follows_join(args):
        match_recognize(match, scope, rows)
    laterals, joins = args.get("laterals"), args.get("joins")
    if laterals and joins:
        after_from([*laterals, *joins], scope, rows)
    else:
        for lateral in laterals or ():
            relation(lateral, scope, rows)
        for join in joins or ():
            join_(join, scope, rows)
    if match is not None and follows_join(args):
        match_recognize(match, scope, rows)
    if args.get("connect") is not None:
        connect(args["connect"], scope, rows)
    if args.get("windows"):
        named_windows(args["windows"], scope)
    if args.get("group") is not None and evaluation.facts.groups_by_time:
        time_windows(args["group"], scope)
    slots, aliases = select_columns(node, scope, rows)
    if args.get("kind") == "VALUE":
        slots = value_table(node, slots, evaluation)
    if args.get("where") is not None or args.get("prewhere") is not None:
        where_(args, scope, rows, aliases)
    if args.get("group") is not None:
        group_(node, scope, rows, slots, aliases)
    if args.get("having") is not None or args.get("qualify") is not None:
        conditions_(args, scope, rows, aliases)
    if args.get("distinct") is not None:
        distinct_(args["distinct"], scope, rows, slots, aliases)
    if (
        args.get("order") is not None
        or args.get("sort") is not None
        or args.get("cluster") is not None
    ):
        order_(args, scope, rows, slots, {slot.key: slot for slot in reversed(slots)})
    if args.get("limit") is not None or args.get("offset") is not None:
        limit_(args, scope, rows, aliases)
    if node.parent.__class__ is exp.CTE and is_step(node.parent.alias):
        return pipe(source, slots, members(scope, slots))
    return project(source, slots)


def members(scope: Scope, slots: list[Slot]) -> Members:
    """FROM a |> JOIN b ON … |> EXTEND a.x + b.x AS y

    the columns of a and of b, as far as the step keeps them
    """
    kept = {id(slot) for slot in slots}
    found: Members = {}
    for source in scope.order:
        inner = source.frame.members if isinstance(source.frame, Piped) else {}
        for name, columns in [
            *inner.items(),
            *((key, source.frame.slots) for key in (source.alias, source.name)),
        ]:
            own = [slot for slot in columns if id(slot) in kept]
            if own and not is_step(name):
                found.setdefault(name, own)
    return found


def after_from(members: list[exp.Expr], scope: Scope, rows: Lineage) -> None:
    """FROM a JOIN b LATERAL VIEW explode(b.xs) v AS x

    in the order of the text: each sees what stands before it
    """
    for member in sorted(members, key=place_of_member):
        if isinstance(member, exp.Join):
            join_(member, scope, rows)
        else:
            relation(member, scope, rows)


def place_of_member(member: exp.Expr) -> int:
    """The place of its alias, for a hint inside a subquery does not know where it stands."""
    named = member.this if isinstance(member, exp.Join) else member
    return offset_of(named.args.get("alias") or named) or 0


def value_table(node: exp.Select, slots: list[Slot], evaluation: Evaluation) -> list[Slot]:
    """SELECT AS VALUE STRUCT(a AS p, b AS q)      the struct's fields are the columns"""
    if len(slots) != 1 or not isinstance(slots[0].lineage, Struct):
        return slots
    fold = evaluation.fold
    return [
        Slot(name, fold(name, False), field_of(slots[0], [name], node).lineage)
        for name in slots[0].lineage.names
    ]


def follows_join(args: dict[str, Any]) -> bool:
    """FROM a, b MATCH_RECOGNIZE (…)      belongs to b; the parser keeps the order of the text"""
    names = list(args)
    return "joins" in names and names.index("joins") < names.index("match")


def select_columns(  # noqa: C901  every output column passes here
    node: exp.Select, scope: Scope, rows: Lineage
) -> tuple[list[Slot], dict[str, Slot]]:
    """SELECT a AS x, t.*, b + 1 AS y

    one slot per output column, and those that are aliases of something
    """
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
        elif kind is EQ and evaluation.facts.aliases_in_strings and item.args["this"].is_string:
            alias = exp.to_identifier(item.args["this"].name, quoted=True)
            item = item.args["expression"]
            kind = item.__class__
        if kind is STAR or (kind is COLUMN and item.args["this"].__class__ is STAR):
            slots.extend(star_slots(item, scope))
            continue
        lineage: Lineage = {}
        if kind is COLUMN:
            found = scope.column(item).lineage
            for influence, trail in found.items():
                lineage[influence] = (item, None, trail, trail[3] if trail is not None else None)
            if found.__class__ is not dict:
                lineage = keep_parts(lineage, found)
        elif kind not in SPECIAL and not several_anywhere:
            gather(item, IDENTITY, lineage, scope)
        elif (several := several_slots(item, scope)) is not None:
            slots.extend(
                several if alias is None else under_alias(several, alias, item, evaluation)
            )
            continue
        elif kind is STRUCT:
            lineage = struct_of(item, scope)
        elif is_generator(item):
            made = generated(item, alias, scope, rows)
            aliases.update((slot.key, slot) for slot in made)
            slots.extend(made)
            continue
        else:
            held = item_of(item, scope) if kind is exp.Array else carried(item, scope)
            if held is not None:
                lineage = held
            else:
                gather(item, IDENTITY, lineage, scope)
            if (
                step_of(item) is not None
                and leads_to_part(item)
                and reaches(path_of(item).names, lineage)
            ):
                lineage = Part(lineage)
        if alias is not None:
            name = alias.args.get("this") or "?"
            key = fold(name, True) if alias.args.get("quoted") else keys[name]
            slot = new_slot(Slot, (name, key, lineage, None, None))
            if kind is not COLUMN or item.args["this"].args["this"] != name:
                aliases.setdefault(slot.key, slot)
                if lateral:
                    scope.aliases = aliases
        else:
            name, quoted = output_name(item, position, evaluation, scope.sources)
            key = fold(name, True) if quoted else keys[name]
            slot = new_slot(Slot, (name, key, lineage, None, None))
        slots.append(slot)
    scope.aliases = {}
    return slots, aliases


SPECIAL = (
    GENERATORS
    | PATHS.keys()
    | {
        exp.Columns,
        exp.Like,
        exp.ILike,
        exp.Apply,
        exp.Struct,
        exp.Array,
        *CARRYING_AGGREGATES,
        exp.Window,
        exp.Filter,
        exp.FromJson,
        exp.Anonymous,
    }
)
"""What may be several columns in one item of SELECT, or a value with fields."""


# -- CTEs and subqueries ---------------------------------------------------------------------------


def with_(node: exp.With, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> CTEs:
    """WITH a AS (…), b AS (SELECT … FROM a)      each sees those before it"""
    known: dict[str, Frame | Scalar] = dict(ctes)
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
            if isinstance(whole, exp.Union) and recurs(whole, key, evaluation):
                known[key] = recursive_cte(whole, alias, key, parent, known, evaluation)
                continue
        known[key] = listed(query(body, parent, known, evaluation), alias, evaluation)
    marked = node.args.get("search") is not None or node.args.get("cycle") is not None
    if marked and (recursive or facts.recursion_without_keyword):
        key = table_name(node.expressions[-1].args["alias"].this, evaluation)
        last = known[key]
        if not isinstance(last, Scalar):
            known[key] = with_marks(node, last, evaluation)
    return known


def with_marks(node: exp.With, frame: Frame, evaluation: Evaluation) -> Frame:
    """SEARCH DEPTH FIRST BY a SET o, CYCLE a SET c USING p

    o and p are arrays of a; c: whether a stands in p

    Where it does the recursion ends, as if WHERE NOT c stood there.
    """
    slots: list[Slot] = []
    loops: list[Expression] = []
    for clause in (node.args.get("search"), node.args.get("cycle")):
        if clause is None:
            continue
        listed_: Lineage = {}
        for name in clause.this.name.split(MARK):
            slot = slot_at(frame.index, evaluation.fold(name, False))
            absorb(slot.lineage if slot is not None else NOTHING, listed_)
        cycle = clause.args.get("kind") == "CYCLE"
        made = [
            (clause.expression, CONDITION if cycle else VALUE),
            (clause.args.get("using"), VALUE),
        ]
        for identifier, way in made:
            if isinstance(identifier, exp.Identifier):
                lineage: Lineage = {}
                pour(listed_, way, lineage, clause)
                key = evaluation.fold(identifier.name, identifier.args.get("quoted"))
                slots.append(Slot(identifier.name, key, lineage))
        if cycle:
            loops.append(as_expression(listed_, clause))
    return extend(narrow(frame, FILTERS, loops), slots)


def unwrapped(node: Any) -> Any:
    """((a UNION ALL b))      what stands inside, where the parentheses hold nothing else"""
    while isinstance(node, exp.Subquery) and node.is_wrapper:
        node = node.this
    return node


def recurs(whole: exp.SetOperation, key: str, evaluation: Evaluation) -> bool:
    """anchor UNION ALL step

    whether a step reads the name; in the anchor it can only mean a table
    """
    branch: Any = whole
    while isinstance(branch, exp.SetOperation):
        if key in _mentioned(branch.expression, evaluation):
            return True
        branch = unwrapped(branch.this)
    return False


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
    needs = {
        key: _mentioned(cte.this, evaluation) & waiting.keys() - {key}
        for key, cte in waiting.items()
    }
    ordered: list[exp.CTE] = []
    while waiting:
        ready = next(
            (key for key in waiting if not needs[key] & waiting.keys()), next(iter(waiting))
        )
        ordered.append(waiting.pop(ready))
    return ordered


def recursive_cte(
    body: exp.SetOperation,
    alias: exp.TableAlias,
    key: str,
    parent: Scope | None,
    ctes: CTEs,
    evaluation: Evaluation,
) -> Frame:
    """WITH RECURSIVE c AS (anchor UNION ALL step FROM c)      repeat until nothing new is found"""
    inner = body.args.get("with_")
    visible_ctes = with_(inner, parent, ctes, evaluation) if inner is not None else ctes
    anchor = listed(query(body.this, parent, visible_ctes, evaluation), alias, evaluation)
    counted = (evaluation.references, evaluation.ambiguous, evaluation.unresolved)

    def step(frame: Frame) -> Frame:
        """What the definition gives, if c is what has been found so far; names are counted once."""
        evaluation.frames.clear()
        evaluation.references, evaluation.ambiguous, evaluation.unresolved = counted
        return listed(
            combined_query(body, parent, {**ctes, key: frame}, evaluation), alias, evaluation
        )

    return recurse(anchor, step)


def subquery(node: exp.Subquery, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    """(SELECT … ) ORDER BY 1      what stands inside, with the clauses that follow"""
    if node.args.get("with_") is not None:
        ctes = with_(node.args["with_"], parent, ctes, evaluation)
    inner = node.args["this"]
    if is_join(inner):
        scope = Scope(evaluation, parent, ctes)
        source = one_row()
        relation(inner, scope, source.rows)
        return project(source, visible(scope))
    frame = query(inner, parent, ctes, evaluation)
    return _ordered(node, frame, parent, ctes, evaluation)


def _ordered(
    node: Any, frame: Frame, parent: Scope | None, ctes: CTEs, evaluation: Evaluation
) -> Frame:
    args = node.args
    if all(args.get(clause) is None for clause in ("order", "sort", "cluster", "limit", "offset")):
        return frame
    scope = Scope(evaluation, parent, ctes)
    scope.add(Source("", "", frame))
    ordered = reopen(frame)
    order_(args, scope, ordered.rows, frame.slots, {})
    limit_(args, scope, ordered.rows, {})
    return ordered


# -- set operations --------------------------------------------------------------------------------


def combined_query(
    node: exp.SetOperation, parent: Scope | None, ctes: CTEs, evaluation: Evaluation
) -> Frame:
    if node.args.get("with_") is not None:
        ctes = with_(node.args["with_"], parent, ctes, evaluation)
    frame = _set_operation(node, parent, ctes, evaluation)
    return _ordered(node, frame, parent, ctes, evaluation)


def _set_operation(node: Any, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    """a UNION ALL b UNION ALL c …

    runs of one operation are done at once, so that 1,000 branches stay linear
    """
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
    return isinstance(node, exp.SetOperation) and not any(
        node.args.get(k) for k in ("with_", "order", "limit")
    )


def _alike(left: Any, right: Any) -> bool:
    return (
        type(left) is type(right)
        and all(
            bool(left.args.get(part)) == bool(right.args.get(part))
            for part in ("distinct", "by_name", "on")
        )
        and all(left.args.get(part) == right.args.get(part) for part in ("side", "kind"))
    )


def _combined(node: Any, frames: list[Frame], evaluation: Evaluation) -> Frame:
    operation = OPERATIONS.get(type(node), SetOperation.UNION_ALL)
    if operation is SetOperation.UNION_ALL and node.args.get("distinct"):
        operation = SetOperation.UNION
    if node.args.get("by_name"):
        return set_operation(operation, frames, partial(_united_by_name, node, evaluation))
    _check_widths(node, frames, evaluation)
    return set_operation(operation, frames)


OPERATIONS = {exp.Intersect: SetOperation.INTERSECT, exp.Except: SetOperation.EXCEPT}


def _united_by_name(node: Any, evaluation: Evaluation, frames: Sequence[Frame]) -> Frame:
    """a FULL UNION ALL BY NAME b, a LEFT UNION ALL BY NAME b, a UNION ALL BY NAME ON (x) b"""
    united = union_by_name(frames)
    return project(united, _kept(node, frames, united.slots, evaluation))


def _kept(
    node: Any, frames: Sequence[Frame], slots: Sequence[Slot], evaluation: Evaluation
) -> Iterable[Slot]:
    """INNER UNION ALL BY NAME: what all have; LEFT: what the first has; ON (a): what is listed;
    FULL: everything
    """
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
        evaluation.report(
            Code.COLUMN_COUNT, f"branches of {node.key.upper()} have {listed_widths} columns", node
        )


def bare_values(
    node: exp.Values, parent: Scope | None, ctes: CTEs, evaluation: Evaluation
) -> Frame:
    return values_frame(node, Scope(evaluation, parent, ctes), [], evaluation)


def bare_table(node: exp.Table, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    """FROM t (DuckDB), TABLE t      all of t"""
    scope = Scope(evaluation, parent, ctes)
    source = one_row()
    relation(node, scope, source.rows)
    return project(source, star_slots(exp.Star(), scope))


def pivot_statement(
    node: exp.Pivot, parent: Scope | None, ctes: CTEs, evaluation: Evaluation
) -> Frame:
    """PIVOT t ON kind USING sum(amount) GROUP BY region (DuckDB)      a query of its own"""
    if node.args.get("with_") is not None:
        ctes = with_(node.args["with_"], parent, ctes, evaluation)
    scope = Scope(evaluation, parent, ctes)
    read = one_row()
    source = relation(node.this, scope, read.rows)
    frame = pivoted(source, [node], scope).frame
    absorb(frame.rows, read.rows)
    return project(read, frame.slots)


QUERIES: dict[type, Callable[[Any, Scope | None, CTEs, Evaluation], Frame]] = {
    exp.Select: select,
    exp.Subquery: subquery,
    exp.Union: combined_query,
    exp.Intersect: combined_query,
    exp.Except: combined_query,
    exp.Values: bare_values,
    exp.Table: bare_table,
    exp.Pivot: pivot_statement,
}
