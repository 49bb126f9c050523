"""Queries: SELECT, CTEs and set operations, as frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Frame, Members, Piped, Slot
from lineal.algebra.lineage import Lineage, absorb
from lineal.algebra.relation import (
    one_row,
    pipe,
    project,
    recurse,
    reopen,
    row_struct,
)
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
from lineal.extract.sql.columns import star_slots, visible_columns
from lineal.extract.sql.ctes import is_recursive, order_ctes, with_marks, without_parentheses
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.pipes import is_step
from lineal.extract.sql.reading import offset_of
from lineal.extract.sql.relations import (
    is_join,
    join_,
    match_recognize,
    pivoted_source,
    relation,
)
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.select_list import select_columns, value_table
from lineal.extract.sql.set_operations import combine, continues_chain, is_same_operation
from lineal.extract.sql.sources import CTEs, Scalar, Source
from lineal.extract.sql.table_aliases import rename_columns, table_name
from lineal.extract.sql.value_rows import values_frame
from lineal.model.diagnostic import Code
from lineal.model.limits import check as check_limits


def query(node: Any, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    """The frame of any query."""
    check_limits()
    handler = QUERIES.get(type(node))
    if handler is None:
        evaluation.report(Code.UNSUPPORTED_CONSTRUCT, f"{node.key} is not read as a query", node)
        return one_row()

    if node.args.get("with_") is None:
        return handler(node, parent, ctes, evaluation)

    symbols_around = evaluation.symbol_count
    return evaluation.spell_out(handler(node, parent, ctes, evaluation), symbols_around)


def select(  # noqa: C901  every SELECT passes here
    node: exp.Select, parent: Scope | None, ctes: CTEs, evaluation: Evaluation
) -> Frame:
    """Return the frame of a SELECT.

    SELECT a, sum(b) AS total FROM t WHERE c GROUP BY a      a, total, and c decides the rows
    """
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
    if evaluation.notes is not None:
        evaluation.notes.selects.append((node, scope, slots))

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

    if args.get("for_") is not None and node.parent.__class__ in (exp.Subquery, exp.CTE):
        slots = [Slot("", "", row_struct(slots, complete=False))]  # FOR JSON: one text of all

    if node.parent.__class__ is exp.CTE and is_step(node.parent.alias):
        return pipe(source, slots, members(scope, slots))

    return project(source, slots)


def members(scope: Scope, slots: list[Slot]) -> Members:
    """Return the columns that steps of a pipe keep of their sources.

    FROM a |> JOIN b ON … |> EXTEND a.x + b.x AS y

    the columns of a and of b, as far as the step keeps them
    """
    kept = set(map(id, slots))
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
    """Read what follows the first member of FROM.

    FROM a JOIN b LATERAL VIEW explode(b.xs) v AS x

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


def follows_join(args: dict[str, Any]) -> bool:
    """Tell whether MATCH_RECOGNIZE follows a join.

    FROM a, b MATCH_RECOGNIZE (…)      belongs to b; the parser keeps the order of the text
    """
    names = list(args)
    return "joins" in names and names.index("joins") < names.index("match")


def with_(node: exp.With, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> CTEs:
    """Return the CTEs that a query sees.

    WITH a AS (…), b AS (SELECT … FROM a)      each sees those before it
    """
    known: dict[str, Frame | Scalar] = dict(ctes)
    facts = evaluation.facts
    recursive = bool(node.args.get("recursive"))
    members = node.expressions
    if facts.list_in_any_order or (recursive and facts.recursive_list_in_any_order):
        members = order_ctes(members, evaluation)

    for cte in members:
        alias = cte.args["alias"]
        key = table_name(alias.this, evaluation)
        body = cte.args["this"]
        if cte.args.get("scalar"):
            known[key] = Scalar(body)
            continue

        if recursive or facts.recursion_without_keyword:
            whole = without_parentheses(body)
            if isinstance(whole, exp.Union) and is_recursive(whole, key, evaluation):
                known[key] = recursive_cte(whole, alias, key, parent, known, evaluation)
                continue

        made = rename_columns(query(body, parent, known, evaluation), alias, evaluation)
        known[key] = evaluation.share(made)

    marked = node.args.get("search") is not None or node.args.get("cycle") is not None
    if marked and (recursive or facts.recursion_without_keyword):
        key = table_name(node.expressions[-1].args["alias"].this, evaluation)
        last = known[key]
        if not isinstance(last, Scalar):
            known[key] = with_marks(node, last, evaluation)

    return known


def recursive_cte(
    body: exp.SetOperation,
    alias: exp.TableAlias,
    key: str,
    parent: Scope | None,
    ctes: CTEs,
    evaluation: Evaluation,
) -> Frame:
    """Return the frame of a recursive CTE.

    WITH RECURSIVE c AS (anchor UNION ALL step FROM c)      repeat until nothing new is found
    """
    inner = body.args.get("with_")
    visible_ctes = with_(inner, parent, ctes, evaluation) if inner is not None else ctes
    anchor = rename_columns(query(body.this, parent, visible_ctes, evaluation), alias, evaluation)
    counted = (evaluation.references, evaluation.ambiguous, evaluation.unresolved)

    def step(frame: Frame) -> Frame:
        """Evaluate the definition with c as the frame found so far; names are counted once."""
        evaluation.frames.clear()
        evaluation.references, evaluation.ambiguous, evaluation.unresolved = counted
        return rename_columns(
            combined_query(body, parent, {**ctes, key: frame}, evaluation), alias, evaluation
        )

    return recurse(anchor, step)


def subquery(node: exp.Subquery, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    """Return the frame of a query in parentheses.

    (SELECT … ) ORDER BY 1      what stands inside, with the clauses that follow
    """
    if node.args.get("with_") is not None:
        ctes = with_(node.args["with_"], parent, ctes, evaluation)

    inner = node.args["this"]
    if is_join(inner):
        scope = Scope(evaluation, parent, ctes)
        source = one_row()
        relation(inner, scope, source.rows)
        return project(source, visible_columns(scope))

    frame = query(inner, parent, ctes, evaluation)
    return order_frame(node, frame, parent, ctes, evaluation)


def order_frame(
    node: exp.Expr, frame: Frame, parent: Scope | None, ctes: CTEs, evaluation: Evaluation
) -> Frame:
    """Return a frame after ORDER BY and LIMIT.

    (SELECT …) ORDER BY a LIMIT n      a and n decide the rows
    """
    args = node.args
    if all(args.get(clause) is None for clause in ("order", "sort", "cluster", "limit", "offset")):
        return frame

    scope = Scope(evaluation, parent, ctes)
    scope.add(Source("", "", frame))
    ordered = reopen(frame)
    order_(args, scope, ordered.rows, frame.slots, {})
    limit_(args, scope, ordered.rows, {})
    return ordered


def combined_query(
    node: exp.SetOperation, parent: Scope | None, ctes: CTEs, evaluation: Evaluation
) -> Frame:
    """Return the frame of a set operation with its clauses.

    WITH … a UNION b ORDER BY 1      a set operation, with the clauses around it
    """
    if node.args.get("with_") is not None:
        ctes = with_(node.args["with_"], parent, ctes, evaluation)

    frame = evaluate_chain(node, parent, ctes, evaluation)
    return order_frame(node, frame, parent, ctes, evaluation)


def evaluate_chain(
    node: exp.Expr, parent: Scope | None, ctes: CTEs, evaluation: Evaluation
) -> Frame:
    """Return the frame of a chain of set operations.

    a UNION ALL b UNION ALL c …

    runs of one operation are done at once, so that 1,000 branches stay linear
    """
    chain: list[Any] = [node]
    while continues_chain(chain[-1].this):
        chain.append(chain[-1].this)

    chain.reverse()
    frame = query(chain[0].this, parent, ctes, evaluation)
    position = 0
    while position < len(chain):
        operation = chain[position]
        run = [frame]
        while position < len(chain) and is_same_operation(chain[position], operation):
            run.append(query(chain[position].expression, parent, ctes, evaluation))
            position += 1

        frame = combine(operation, run, evaluation)

    return frame


def bare_values(
    node: exp.Values, parent: Scope | None, ctes: CTEs, evaluation: Evaluation
) -> Frame:
    """Return the frame of a VALUES query.

    VALUES (1, a), (2, b)      a query of its own
    """
    return values_frame(node, Scope(evaluation, parent, ctes), [], evaluation)


def bare_table(node: exp.Table, parent: Scope | None, ctes: CTEs, evaluation: Evaluation) -> Frame:
    """Return the frame of a query without SELECT.

    FROM t (DuckDB), TABLE t      all of t
    """
    scope = Scope(evaluation, parent, ctes)
    source = one_row()
    relation(node, scope, source.rows)
    return project(source, star_slots(exp.Star(), scope))


def pivot_statement(
    node: exp.Pivot, parent: Scope | None, ctes: CTEs, evaluation: Evaluation
) -> Frame:
    """Return the frame of a PIVOT statement.

    PIVOT t ON kind USING sum(amount) GROUP BY region (DuckDB)      a query of its own
    """
    if node.args.get("with_") is not None:
        ctes = with_(node.args["with_"], parent, ctes, evaluation)

    scope = Scope(evaluation, parent, ctes)
    read = one_row()
    source = relation(node.this, scope, read.rows)
    frame = pivoted_source(source, [node], scope).frame
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
