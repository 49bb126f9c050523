"""Rows that a change gives back: RETURNING in a CTE, OUTPUT … INTO."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.algebra.changes import changed_row
from lineal.algebra.frame import Frame, Slot, slot_at
from lineal.algebra.lineage import NOTHING, Lineage, absorb, unite_lineages
from lineal.algebra.relation import extend, one_row, project, rename
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.query import QUERIES, query, with_
from lineal.extract.sql.relations import relation
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.select_list import select_columns
from lineal.extract.sql.sources import CTEs, Source
from lineal.extract.sql.statements.change import (
    delete_frame,
    merge_frame,
    table_of_alias,
    update_parts,
)
from lineal.extract.sql.statements.planning import plan_of
from lineal.extract.sql.statements.steps import Plan, Steps, Unsupported, listed_columns
from lineal.extract.sql.tables import is_named, spell_table
from lineal.model.sequences import as_list, instances, present

CHANGES = (exp.Insert, exp.Update, exp.Delete, exp.Merge)


def gives_rows(node: exp.Expr) -> bool:
    """Whether a change is in WITH, or the rows of this one are written somewhere else."""
    args = node.args
    returning = args.get("returning")
    if returning is not None and returning.args.get("into") is not None:
        return True

    if change_in_from(node) is not None:
        return True

    return args.get("with_") is not None and any(
        isinstance(cte.this, CHANGES) for cte in args["with_"].expressions
    )


def change_in_from(node: exp.Expr) -> exp.Subquery | None:
    """INSERT INTO u SELECT … FROM (MERGE INTO t … OUTPUT …) AS m      T-SQL: writes t, too"""
    query_ = node.args.get("expression")
    from_ = query_.args.get("from_") if isinstance(query_, exp.Select) else None
    if from_ is None or not isinstance(from_.this, exp.Subquery):
        return None

    return from_.this if isinstance(from_.this.this, CHANGES) else None


def with_others(
    node: exp.Expr, found: Steps | type[Unsupported], facts: Facts
) -> Steps | type[Unsupported]:
    """Return the plan of a statement together with its other writes.

    WITH c AS (INSERT …) SELECT …, UPDATE … OUTPUT … INTO u

    several writes in one statement
    """
    if not gives_rows(node):
        return found

    steps: list[Any] = []
    if node.args.get("with_") is not None:
        steps.extend(changes_in(node.args["with_"], facts))

    nested = change_in_from(node)
    if nested is not None:
        steps.extend(changes_in(exp.With(expressions=[nested.copy()]), facts))

    if isinstance(found, list):
        steps.extend(found)
    elif found is not None and found is not Unsupported:
        steps.append(found)

    if (
        facts.output_into
        and node.args.get("returning") is not None
        and node.args["returning"].args.get("into")
    ):
        steps.append(output_plan(node, facts))

    return present(steps)


def changes_in(node: exp.With, facts: Facts) -> Iterator[Any]:
    """Return the plans of the CTEs that write.

    WITH c AS (INSERT INTO t … RETURNING a) SELECT …

    the INSERT is a statement that sees the CTEs before it
    """
    before: dict[str, NamedWords] = {}
    for position, cte in enumerate(node.expressions):
        named = NamedWords(position, cte, words_in(cte))
        if isinstance(cte.this, CHANGES):
            for step in as_list(plan_of(cte.this, facts)):
                if isinstance(step, Plan):
                    see_before(step, node, reached_from(named, before))
                    yield step

        before[cte.alias.lower()] = named


class NamedWords(NamedTuple):
    """A CTE, where it is in its list, and the words in it: among them the CTEs that it reads."""

    position: int
    cte: exp.CTE
    words: frozenset[str]


def words_in(node: exp.Expr) -> frozenset[str]:
    """Return the names and words of a tree, in lower case."""
    return frozenset(word.name.lower() for word in node.find_all(exp.Identifier, exp.Var))


def reached_from(start: NamedWords, before: dict[str, NamedWords]) -> list[exp.CTE]:
    """Return the CTEs that one reads, and those that they read, as they are listed.

    WITH a AS (…), b AS (…), c AS (INSERT INTO t SELECT … FROM a) SELECT …      c reads a alone
    """
    found: dict[int, exp.CTE] = {}
    open_ = [start]
    while open_:
        for word in open_.pop().words & before.keys():
            named = before[word]
            if named.position not in found:
                found[named.position] = named.cte
                open_.append(named)

    return [found[position] for position in sorted(found)]


def see_before(step: Plan, node: exp.With, earlier: list[exp.CTE]) -> None:
    """Put CTEs before those of a plan of its own."""
    own = step.with_.expressions if step.with_ is not None else []
    visible = [*earlier, *own]
    recursive = node.recursive or (step.with_ is not None and step.with_.recursive)
    step.with_ = exp.With(expressions=visible, recursive=recursive) if visible else None


def output_plan(node: exp.Expr, facts: Facts) -> Plan | None:
    """Return the plan of an OUTPUT INTO.

    UPDATE t SET … OUTPUT inserted.a, deleted.a INTO u (n, o)      what goes into u
    """
    into = node.args["returning"].args["into"]
    columns: list[Any] = []
    if isinstance(into, exp.Func):  # u (n, o) looks like a call
        called = into.name if isinstance(into, exp.Anonymous) else into.sql_name().lower()
        listed = [each for each in into.find_all(exp.Identifier) if each.parent is not into]
        columns = sorted(listed, key=lambda each: each.meta.get("start", 0))
        into = exp.Table(this=exp.to_identifier(called))
    elif isinstance(into, exp.Schema):
        columns, into = into.expressions, into.this
    elif isinstance(into, exp.Identifier):
        into = exp.Table(this=into)

    if not is_named(into):
        return None

    name, key = spell_table(into, facts)
    named = listed_columns(exp.Schema(expressions=columns), facts)
    return Plan(
        name, key, "table", query=node, columns=named, with_=node.args.get("with_"), node=node, defines=False,
        positional=True,
    )  # fmt: skip


def returning_frame(
    node: exp.Expr, parent: Scope | None, ctes: CTEs, evaluation: Evaluation
) -> Frame:
    """Return the frame of a RETURNING.

    INSERT INTO t (a) SELECT b FROM s RETURNING a AS x

    x is s.b: the row as it is after the change
    """
    returning = node.args.get("returning")
    if returning is None:
        return one_row()

    if node.args.get("with_") is not None:
        ctes = with_(node.args["with_"], parent, ctes, evaluation)

    source = one_row()
    rows = source.rows
    target = table_of_alias(table_of(node), node.args.get("from_"), evaluation.facts)
    old = relation(target, Scope(evaluation, parent, ctes), {})
    scope = Scope(evaluation, parent, ctes)
    new = row_after_change(node, old, rows, scope)
    seen = old.frame if isinstance(node, exp.Delete) else new
    scope.add(Source(old.alias, old.name, seen))
    scope.steps.append((scope.order[0], None, False))
    for name, frame in (
        ("inserted", new),
        ("new", new),
        ("deleted", old.frame),
        ("old", old.frame),
    ):
        scope.sources.setdefault(name, Source(name, name, frame))

    for member in other_tables(node):
        relation(member, scope, {})

    slots, _ = select_columns(returning, scope, rows)
    return project(source, slots)


def table_of(node: exp.Expr) -> Any:
    """Return the table that a statement writes."""
    table = node.this.this if isinstance(node.this, exp.Schema) else node.this
    return table or node.args["tables"][0]


def other_tables(node: exp.Expr) -> list[Any]:
    """Return the other tables of a statement.

    The tables that stand next to the target: FROM, USING
    """
    source, using = node.args.get("from_"), node.args.get("using")
    tables = [source.this] if source is not None else []
    if isinstance(using, list):
        tables.extend(using)
    elif using:
        tables.append(using)

    return tables


def row_after_change(node: Any, old: Source, rows: Lineage, scope: Scope) -> Frame:
    """Return the changed row of a statement.

    The row after the change: what is set, and what stays
    """
    evaluation, ctes = scope.evaluation, scope.ctes
    if isinstance(node, exp.Delete):
        absorb(delete_frame(node, evaluation, ctes).rows, rows)
        return old.frame

    if isinstance(node, exp.Insert):
        return inserted_row(node, old, rows, scope)

    if isinstance(node, exp.Update):
        columns, decided = update_parts(node, evaluation, ctes)
        absorb(decided, rows)
        return changed_row(old.frame, columns.values())

    made = merge_frame(node, evaluation, ctes)
    absorb(made.rows, rows)
    kept = kept_by_updates(node, evaluation.facts)
    slots = [with_former(slot, old.frame) if kept(slot.key) else slot for slot in made.slots]
    return changed_row(old.frame, slots)


def kept_by_updates(node: exp.Merge, facts: Facts) -> Callable[[str], bool]:
    """WHEN MATCHED THEN UPDATE SET a = … WHEN NOT MATCHED THEN INSERT (id, a) …

    id stays as it is in the rows that are updated
    """
    whens = node.args["whens"].expressions
    updates = [each.args.get("then") for each in whens]
    updates = instances(updates, exp.Update)
    assigned = [item.this for update in updates for item in update.expressions]
    keys = {facts.fold(item.name, False) for item in assigned if isinstance(item, exp.Column)}
    listed = bool(updates) and all(update.expressions for update in updates)
    return lambda key: listed and key not in keys


def with_former(slot: Slot, table: Frame) -> Slot:
    """A column that some rows get a new value of, and others keep."""
    former = table.index.get(slot.key)
    if former is None:
        return slot

    return Slot(
        slot.name, slot.key, unite_lineages([slot.lineage, slot_at(table.index, slot.key).lineage])
    )


def inserted_row(node: exp.Insert, old: Source, rows: Lineage, scope: Scope) -> Frame:
    """Return the row that an INSERT writes."""
    evaluation = scope.evaluation
    written = node.args.get("expression") or node.args.get("source")
    frame = query(written, scope.parent, scope.ctes, evaluation)
    absorb(frame.rows, rows)
    if isinstance(node.this, exp.Schema):
        listed = listed_columns(node.this, evaluation.facts)
    else:
        listed = []

    known = [(slot.name, slot.key) for slot in old.frame.slots if slot.star is None]
    frame = rename(frame, listed or (known if old.frame.complete else []))
    there = {slot.key for slot in frame.slots}
    unset = [Slot(name, key, NOTHING) for name, key in known if key not in there]
    return extend(frame, unset)


QUERIES.update(dict.fromkeys(CHANGES, returning_frame))
