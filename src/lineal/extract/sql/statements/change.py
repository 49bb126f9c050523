"""UPDATE, DELETE and MERGE: what they set, and what decides it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from sqlglot import exp

from lineal.algebra.changes import changed_row, merge_into
from lineal.algebra.changes import delete as remove_rows
from lineal.algebra.changes import update as set_columns
from lineal.algebra.clauses import FILTERS, JOINS, SORTS
from lineal.algebra.expression import VALUE
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import NOTHING, Lineage, absorb, pour, unite_lineages
from lineal.algebra.relation import project
from lineal.algebra.values import AssignedFields, assigned_lineages
from lineal.extract.sql.dialects import SETS_FIELDS, Facts
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.expressions import gather, value_of
from lineal.extract.sql.naming import output_name
from lineal.extract.sql.nodes import holds, is_call, items_in, list_arg
from lineal.extract.sql.paths import path_of
from lineal.extract.sql.relations import join_, relation
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import CTEs, Source
from lineal.extract.sql.statements.steps import Plan, Unsupported
from lineal.extract.sql.table_aliases import table_name
from lineal.extract.sql.tables import is_named, spell_table
from lineal.model.diagnostic import Code
from lineal.model.sequences import any_is
from lineal.model.way import IDENTITY, Clause

Columns = dict[str, Slot]


def changing(table: Any, node: exp.Expr, facts: Facts, made: Callable[[Any, Any], Frame]) -> Plan:
    """A plan that changes a table without defining it."""
    name, key = spell_table(table, facts)
    return Plan(
        name, key, "table", made=made, with_=node.args.get("with_"), node=node, defines=False
    )


# -- UPDATE ----------------------------------------------------------------------------------------


def update(node: exp.Update, facts: Facts) -> Plan | list[Any] | type[Unsupported]:
    """Plan UPDATE.

    UPDATE t SET a = s.b FROM s WHERE t.id = s.id      s.b → t.a; t.id, s.id decide t.a
    """
    if isinstance(node.this, exp.Subquery):
        return update_view(node, facts)

    table = table_of_alias(node.this, node.args.get("from_"), facts)
    if table is None or not node.expressions:
        return Unsupported

    if node.this.args.get("joins"):
        return update_joined(node, facts)

    base, names = table_behind_cte(table, node.args.get("with_"), facts)
    return changing(base, node, facts, lambda e, c: named_as(names, update_frame(node, e, c)))


def update_joined(node: exp.Update, facts: Facts) -> list[Any] | type[Unsupported]:
    """Plan an UPDATE of joined tables.

    UPDATE t JOIN s ON … SET t.a = s.b, s.c = 1      MySQL: each table that a column is set of
    """
    members = [node.this, *(join.this for join in node.this.args["joins"])]
    tables = {
        facts.fold_table(member.alias_or_name, False): member
        for member in members
        if isinstance(member, exp.Table)
    }
    first = facts.fold_table(node.this.alias_or_name, False)
    owners = dict.fromkeys(owner(each, facts) or first for each in node.expressions)
    plans = [
        changing(tables[key], node, facts, partial(update_frame, node, only=key))
        for key in owners
        if key in tables and is_named(tables[key])
    ]
    return plans or Unsupported


def update_view(node: exp.Update, facts: Facts) -> list[Any] | type[Unsupported]:
    """Plan an UPDATE of a query.

    UPDATE (SELECT t.a AS x, s.b AS y FROM t JOIN s ON …) SET x = y

    Oracle: what changes is t, and its a
    """
    plans = []
    for table, names, only in tables_in_view(node.this, facts):
        assignments = [each for each in node.expressions if target_key(each, facts) in only]
        if assignments:
            part = partial(updated_through_view, node, names, assignments)
            plans.append(changing(table, node, facts, part))

    return plans or Unsupported


def target_key(assignment: Any, facts: Facts) -> str:
    """Return the key of an assigned column.

    SET a = b      the key of a
    """
    return facts.fold(assignment.this.name, False)


def tables_in_view(
    view: exp.Subquery, facts: Facts
) -> Iterator[tuple[Any, dict[str, exp.Column], set[str]]]:
    """The tables of a view's FROM, each with the view's columns that are its own; the first has the
    unqualified.
    """
    body = view.this
    if not isinstance(body, exp.Select) or body.args.get("from_") is None:
        return

    members = [body.args["from_"].this, *(join.this for join in list_arg(body, "joins"))]
    columns = {facts.fold(item.alias_or_name, False): item.unalias() for item in body.expressions}
    names = {key: column for key, column in columns.items() if isinstance(column, exp.Column)}
    for position, member in enumerate(each for each in members if is_named(each)):
        alias = facts.fold_table(member.alias_or_name, False)
        own = {
            key
            for key, c in names.items()
            if (facts.fold_table(c.table, False) if c.table else "") == alias
        }
        unqualified = {key for key, c in names.items() if not c.table} if position == 0 else set()
        yield member, names, own | unqualified


def updated_through_view(
    node: exp.Update,
    names: dict[str, exp.Column],
    assignments: list[Any],
    evaluation: Evaluation,
    ctes: CTEs,
) -> Frame:
    """Return the assigned columns of an UPDATE of a view; the columns that decide the view's rows
    decide them, too.
    """
    scope = Scope(evaluation, evaluation.around, ctes)
    decided: Lineage = {}
    relation(node.this, scope, decided)
    if node.args.get("where") is not None:
        scope.clause = Clause.WHERE
        gather(node.args["where"].this, FILTERS, decided, scope)

    columns: Columns = {}
    assign_all(assignments, scope, columns)
    return named_as(names, set_columns(list(columns.values()), decided))


def table_behind_cte(table: Any, with_: Any, facts: Facts) -> tuple[Any, dict[str, exp.Column]]:
    """Return the table that a CTE changes.

    WITH c AS (SELECT a AS x FROM t) UPDATE c SET x = 1

    T-SQL: what changes is t, and its a
    """
    names: dict[str, exp.Column] = {}
    for cte in reversed(with_.expressions if with_ is not None else ()):
        if table.args.get("db") is not None or facts.fold_table(
            cte.alias, False
        ) != facts.fold_table(table.name, False):
            continue

        body = cte.this
        if (
            not isinstance(body, exp.Select)
            or body.args.get("from_") is None
            or not is_named(body.args["from_"].this)
        ):
            break

        columns = {
            facts.fold(item.alias_or_name, False): item.unalias() for item in body.expressions
        }
        inner = {key: column for key, column in columns.items() if isinstance(column, exp.Column)}
        names = {
            key: inner.get(facts.fold(column.name, False), column) for key, column in names.items()
        } or inner
        table = body.args["from_"].this

    return table, names


def named_as(names: dict[str, exp.Column], frame: Frame) -> Frame:
    """Give the columns of a frame the names that a change knows them by."""

    def rename_slot(slot: Slot) -> Slot:
        """Return a column under the name that the statement's list gives it."""
        if slot.key not in names:
            return slot

        name = names[slot.key].name
        return Slot(name, name.lower(), slot.lineage)

    return project(frame, list(map(rename_slot, frame.slots)))


def update_frame(
    node: exp.Update, evaluation: Evaluation, ctes: CTEs, only: str | None = None
) -> Frame:
    """Return the frame of an UPDATE.

    UPDATE t SET a = b WHERE c      a is b, and c decides the rows
    """
    columns, decided = update_parts(node, evaluation, ctes, only)
    return set_columns(list(columns.values()), decided)


def update_parts(
    node: exp.Update, evaluation: Evaluation, ctes: CTEs, only: str | None = None
) -> tuple[Columns, Lineage]:
    """Return the assigned columns of an UPDATE.

    SET a = … FROM s WHERE c

    the columns that are set, and what decides it; `only` those of one table
    """
    scope = Scope(evaluation, evaluation.around, ctes)
    decided: Lineage = {}
    source = node.args.get("from_")
    if source is not None:
        relation(source.this, scope, decided)

    for join in list_arg(node, "joins"):
        join_(join, scope, decided)

    target = node.this
    alias = target.alias or target.name
    if evaluation.fold_table(alias, False) not in scope.sources:
        joined: Lineage = {}
        # what decides the target's rows decides nothing that is set; of a CTE it decides which are
        own = relation(target, scope, joined).frame.rows
        if target.args.get("db") is None and evaluation.fold_table(target.name, False) in ctes:
            own = NOTHING

        absorb({key: trail for key, trail in joined.items() if key not in own}, decided)

    if node.args.get("where") is not None:
        scope.clause = Clause.WHERE
        gather(node.args["where"].this, FILTERS, decided, scope)

    gather_order(node, scope, decided)
    columns: Columns = {}
    assignments = [
        each
        for each in node.expressions
        if only is None or owner(each, evaluation.facts) in ("", only)
    ]
    assign_all(assignments, scope, columns)
    return columns, decided


def gather_order(node: exp.Update | exp.Delete, scope: Scope, decided: Lineage) -> None:
    """UPDATE t SET a = 1 ORDER BY b LIMIT 5      MySQL: b decides which rows are changed"""
    order = node.args.get("order")
    scope.clause = Clause.ORDER_BY
    for key in order.expressions if order is not None else ():
        gather(key, SORTS, decided, scope)


def owner(assignment: Any, facts: Facts) -> str:
    """Return the table of an assigned column.

    SET t.a = 1      t; '' where none is named
    """
    target = assignment.this
    table = target.args.get("table") if isinstance(target, exp.Column) else None
    if table is not None:
        return facts.fold_table(table.name, table.args.get("quoted"))

    return ""


def assigned_columns(node: exp.Expr, scope: Scope, decided: Lineage) -> Columns:
    """Return the assigned columns and the rows that decide them.

    SET a = …, b = … WHERE c

    the columns that are set, each decided by c and by what is decided already
    """
    if node.args.get("where") is not None:
        scope.clause = Clause.WHERE
        gather(node.args["where"].this, FILTERS, decided, scope)

    columns: Columns = {}
    assign_all(node.expressions, scope, columns)
    for slot in columns.values():
        for lineage in assigned_lineages(slot.lineage):
            absorb(decided, lineage)

    return columns


def table_of_alias(table: Any, source: Any, facts: Facts) -> Any:
    """Return the table that an alias means.

    UPDATE x SET … FROM t AS x      x is t; None if the target is no table
    """
    if not is_named(table):
        return None

    if source is None or table.args.get("db") is not None:
        return table

    wanted = facts.fold_table(table.name, table.this.args.get("quoted"))
    for member in source.find_all(exp.Table):
        if member.alias and facts.fold_table(member.alias, False) == wanted and is_named(member):
            return member

    return table


def assign_all(assignments: list[Any], scope: Scope, columns: Columns) -> None:
    """Assign every column of a SET.

    SET a = b, (c, d) = (SELECT …)      each target takes its value
    """
    scope.clause = Clause.SET
    for assignment in filter(None, map(column_assignment, assignments)):
        if not isinstance(assignment, exp.EQ):
            scope.evaluation.report(
                Code.UNSUPPORTED_CONSTRUCT, "this assignment is not traced", assignment
            )
        elif isinstance(assignment.this, exp.Tuple):
            assign_several(assignment, scope, columns)
        else:
            put(assignment.this, assigned_value(assignment.expression, scope), scope, columns)


def column_assignment(assignment: Any) -> Any:
    """SET @v = a = b + 1, @v = b, doc.WRITE(x, 0, 1)

    T-SQL: a = b + 1; None, since no column is set; doc = doc and x
    """
    if isinstance(assignment, exp.Dot) and isinstance(assignment.expression, exp.Anonymous):
        call, name = assignment.expression, assignment.this
        if call.name.upper() in ("WRITE", "MODIFY") and isinstance(name, exp.Identifier):
            column = exp.Column(this=name.copy())
            arguments = [column.copy(), *(each.copy() for each in call.expressions)]
            written = exp.Anonymous(this=call.name, expressions=arguments)
            return exp.EQ(this=column, expression=written)

    if holds(assignment, exp.EQ, exp.Paren):
        # SET (a) = (b + 1): a list of one column
        return exp.EQ(this=assignment.this.this, expression=assignment.expression)

    if holds(assignment, exp.EQ, exp.Parameter):
        return assignment.expression if isinstance(assignment.expression, exp.EQ) else None

    return assignment


def assigned_value(node: exp.Expr, scope: Scope) -> Lineage:
    """Return the value of an assignment.

    SET a = b, SET a = DEFAULT      DEFAULT is no column
    """
    is_default = (
        isinstance(node, exp.Column)
        and not node.args.get("table")
        and node.name.upper() == "DEFAULT"
    )
    if is_default and not node.this.args.get("quoted"):
        return {}

    return value_of(node, IDENTITY, scope)


def assign_several(assignment: exp.EQ, scope: Scope, columns: Columns) -> None:
    """Assign several columns at once.

    SET (a, b) = (SELECT x, y FROM s), SET (a, b) = (x, y)      by position
    """
    value = assignment.expression
    if isinstance(value, (exp.Subquery, exp.Query)):
        frame = scope.evaluation.frame_of(value, scope)
        lineages = [unite_lineages([slot.lineage, frame.rows]) for slot in frame.slots]
    else:
        items = items_in(value)
        lineages = [value_of(item, IDENTITY, scope) for item in items]

    for target, lineage in zip(assignment.this.expressions, lineages, strict=False):
        put(target, dict(lineage), scope, columns)


def put(target: Any, lineage: Lineage, scope: Scope, columns: Columns) -> None:
    """Add an assignment to the slots.

    Several assignments of one column unite; SET s.f = … sets a part of s, if s is a column and
    no table
    """
    fold = scope.evaluation.fold
    if isinstance(target, exp.Bracket):
        put_item(target, lineage, scope, columns)
        return

    parts = field_in(target, scope)
    if parts:
        struct, *path = parts
        key = fold(struct.name, struct.args.get("quoted"))
        put_field(struct.name, key, ".".join(each.name for each in path), lineage, columns)
        return

    name = target.name
    key = fold(name, target.this.args.get("quoted") if isinstance(target, exp.Column) else False)
    put_named(name, key, lineage, columns)


def put_item(target: exp.Bracket, lineage: Lineage, scope: Scope, columns: Columns) -> None:
    """SET xs[1] = a, m['k'] = a      xs is made of a; of m, only the part k is set"""
    base, names, _ = path_of(target)
    key = scope.evaluation.fold(base.name, base.this.args.get("quoted"))
    if names:
        put_field(base.name, key, ".".join(names), lineage, columns)
        return

    made: Lineage = {}
    pour(lineage, VALUE, made)
    put_named(base.name, key, made, columns)


def field_in(target: Any, scope: Scope) -> list[Any]:
    """UPDATE t SET s.f = 1, t.s.f = 1

    s and f, where s is a column, follows its table or cannot be one; nothing in t.a and db.t.a
    """
    parts = target.parts if isinstance(target, (exp.Column, exp.Dot)) else []
    keys = [scope.evaluation.fold_table(part.name, part.args.get("quoted")) for part in parts]
    table = next((number for number, key in enumerate(keys[:-1]) if key in scope.sources), -1)
    if len(parts) - table < 3:
        return []

    if table >= 0:
        return list(parts[table + 1 :])

    first = parts[0]
    key = scope.evaluation.fold(first.name, first.args.get("quoted"))
    is_column = any(key in source.frame.index for source in scope.sources.values())
    facts = scope.evaluation.facts
    if is_column or facts.fields_by_dot or facts.name in SETS_FIELDS:
        return list(parts)

    return []


def put_field(name: str, key: str, path: str, lineage: Lineage, columns: Columns) -> None:
    """SET s.f = a, s.g = b      the fields that are set; what s is set to as a whole takes them in"""
    held = columns.get(key)
    if held is None:
        held = columns[key] = Slot(name, key, AssignedFields({}, {}, []))

    fields = held.lineage
    if isinstance(fields, AssignedFields):
        fields.fields = {
            **fields.fields,
            path: unite_lineages([fields.fields.get(path, {}), lineage]),
        }
        fields.names = list(fields.fields)
    else:
        pour(lineage, VALUE, fields)


def put_named(name: str, key: str, lineage: Lineage, columns: Columns) -> None:
    """Add a lineage to a column; what it has already stays."""
    held = columns.get(key)
    if held is None or isinstance(held.lineage, AssignedFields):
        columns[key] = Slot(name, key, dict(lineage))
    else:
        absorb(lineage, held.lineage)


# -- DELETE ----------------------------------------------------------------------------------------


def delete(node: exp.Delete, facts: Facts) -> list[Any] | type[Unsupported]:
    """Plan DELETE.

    DELETE FROM t USING s WHERE t.id = s.id

    both ids decide which rows t has; DELETE t, s FROM …: of both
    """
    named, source = node.args.get("tables"), node.args.get("this") or None
    if not named and node.args.get("using"):
        named = listed_targets(source)

    if isinstance(source, exp.Subquery) and (
        bases := [table for table, _, _ in tables_in_view(source, facts)]
    ):
        return [changing(bases[0], node, facts, lambda e, c: delete_frame(node, e, c))]

    tables = [table_of_alias(each, source if named else None, facts) for each in named or [source]]
    if None in tables:
        return Unsupported

    bases = [table_behind_cte(table, node.args.get("with_"), facts)[0] for table in tables]
    return [changing(base, node, facts, lambda e, c: delete_frame(node, e, c)) for base in bases]


def listed_targets(source: Any) -> list[Any]:
    """DELETE FROM a, b USING a JOIN b ON …      MySQL: rows of both go"""
    joins = source.args.get("joins") if isinstance(source, exp.Table) else None
    if not joins:
        return []

    return [source, *(join.this for join in joins)]


def delete_frame(node: exp.Delete, evaluation: Evaluation, ctes: CTEs) -> Frame:
    """DELETE FROM t USING s WHERE c      c decides the rows"""
    scope = Scope(evaluation, evaluation.around, ctes)
    rows: Lineage = {}
    for member in list_arg(node, "using"):  # the joins in it do not see the target
        relation(member, scope, rows)

    named = (node.args.get("tables") or [None])[0]
    relation(node.args.get("this") or named, scope, rows)
    if named is not None and table_name(named.this, evaluation) not in scope.sources:
        relation(named, scope, rows)  # Teradata's DELETE t FROM s

    if node.args.get("where") is not None:
        scope.clause = Clause.WHERE
        gather(node.args["where"].this, FILTERS, rows, scope)

    gather_order(node, scope, rows)
    return remove_rows(rows)


# -- MERGE -----------------------------------------------------------------------------------------


def merge(node: exp.Merge, facts: Facts) -> Plan | type[Unsupported]:
    """Plan MERGE.

    MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET a = s.b

    s.b → t.a; the ids decide rows
    """
    if not is_named(node.this):
        return Unsupported

    return changing(node.this, node, facts, lambda e, c: merge_frame(node, e, c))


def merge_frame(node: exp.Merge, evaluation: Evaluation, ctes: CTEs) -> Frame:
    """Return the frame of a MERGE.

    MERGE INTO t USING s ON … WHEN MATCHED THEN UPDATE SET …      all its branches as one
    """
    rows: Lineage = {}
    both = Scope(evaluation, evaluation.around, ctes)
    target = relation(node.this, both, rows)
    source = relation(node.args["using"], both, rows)
    both.clause = Clause.JOIN_ON
    if node.args.get("on"):
        gather(node.args["on"], JOINS, rows, both)

    for key in list_arg(node, "using_cond"):
        for member in (target, source):
            gather(exp.column(key.copy(), table=member.alias), JOINS, rows, both)

    columns: Columns = {}
    for when in node.args["whens"].expressions:
        scope = seen_by(when, both, target, source)
        if evaluation.facts.deletes_changed_rows and is_removal(when):
            scope = after_update(scope, target, source, columns)

        if when.args.get("condition") is not None:
            scope.clause = Clause.WHERE
            gather(when.args["condition"], FILTERS, rows, scope)

        then = when.args["then"]
        # Oracle's UPDATE SET … WHERE
        if isinstance(then, exp.Expr) and then.args.get("where") is not None:
            scope.clause = Clause.WHERE
            gather(then.args["where"].this, FILTERS, rows, scope)

        if isinstance(then, exp.Update):
            matched_update(then, scope, source, target, columns)
        elif isinstance(then, exp.Insert):
            unmatched_insert(then, scope, source, target, columns)

    return merge_into(list(columns.values()), rows)


def is_removal(when: exp.When) -> bool:
    """WHEN MATCHED AND c THEN DELETE"""
    then = when.args["then"]
    return isinstance(then, exp.Var) and then.name.upper() == "DELETE"


def after_update(scope: Scope, target: Source, source: Source, columns: Columns) -> Scope:
    """UPDATE SET a = s.b DELETE WHERE a > 1      Oracle: a has its new value already"""
    after = Scope(scope.evaluation, scope.parent, scope.ctes)
    frame = changed_row(target.frame, columns.values())
    after.add(Source(target.alias, target.name, frame, target.dataset))
    after.add(source)
    return after


def seen_by(when: exp.When, both: Scope, target: Source, source: Source) -> Scope:
    """Return the sources that a WHEN clause sees.

    NOT MATCHED sees the source only, NOT MATCHED BY SOURCE the target only
    """
    if when.args.get("matched"):
        return both

    alone = Scope(both.evaluation, both.parent, both.ctes)
    alone.add(target if when.args.get("source") else source)
    return alone


def matched_update(
    then: exp.Update, scope: Scope, source: Source, target: Source, columns: Columns
) -> None:
    """Assign the columns of a matched UPDATE.

    UPDATE SET a = s.b, UPDATE SET *, UPDATE
    """
    items = then.args.get("expressions")
    if isinstance(items, list) and not any_is(items, exp.Star):
        assign_all(items, scope, columns)
    else:
        by_name(source, target, scope, columns, then)


def unmatched_insert(
    then: exp.Insert, scope: Scope, source: Source, target: Source, columns: Columns
) -> None:
    """Assign the columns of an unmatched INSERT.

    INSERT (a, b) VALUES (s.x, s.y), INSERT VALUES (s.x, s.y), INSERT *; Teradata: INSERT (s.x, s.y)
    """
    values = then.args.get("expression") or None
    listed = then.args.get("this")
    if values is None and says_by_name(listed):
        by_name(source, target, scope, columns, then)
        return

    if not values and isinstance(listed, exp.Tuple) and listed.expressions:
        values = called_values(listed)
        then = exp.Insert(expression=values)

    if isinstance(then.args.get("this"), exp.Var) and then.name.upper() == "ROW":
        by_position(source, target, scope, columns, then)
        return

    if values is None and isinstance(then.args.get("this"), exp.Tuple):  # INSERT DEFAULT VALUES
        return

    if (
        isinstance(then.args.get("this"), exp.Star)
        or isinstance(values, exp.Star)
        or values is None
    ):
        by_name(source, target, scope, columns, then)
        return

    scope.clause = Clause.VALUES
    items = items_in(values)
    lineages = [assigned_value(item, scope) for item in items]
    if isinstance(then.args.get("this"), exp.Tuple):
        for named, lineage in zip(then.this.expressions, lineages, strict=False):
            put(named, lineage, scope, columns)
    elif target.stars:
        for position, (item, lineage) in enumerate(zip(items, lineages, strict=True)):
            name, quoted = output_name(item, position, scope.evaluation)
            put_named(name, scope.evaluation.fold(name, quoted), lineage, columns)
    else:
        for slot, lineage in zip(target.frame.slots, lineages, strict=False):
            put_named(slot.name, slot.key, lineage, columns)


def called_values(listed: exp.Tuple) -> exp.Tuple:
    """INSERT VALUES (s.x, s.y)      Redshift: the parser takes VALUES for a function"""
    only = listed.expressions[0]
    if is_call(only, "VALUES"):
        return exp.Tuple(expressions=only.expressions)

    return listed


def says_by_name(listed: Any) -> bool:
    """INSERT BY NAME      DuckDB: the parser takes it for a column BY with the alias NAME"""
    items = listed.expressions if isinstance(listed, exp.Tuple) else []
    if len(items) != 1 or not isinstance(items[0], exp.Alias):
        return False

    return items[0].this.name.upper() == "BY" and items[0].alias.upper() == "NAME"


def by_position(
    source: Source, target: Source, scope: Scope, columns: Columns, node: exp.Expr
) -> None:
    """Assign the columns of a source by position.

    INSERT ROW      the whole row of the source, column for column; of an unknown target, by name
    """
    goals = source.frame.slots if target.stars else target.frame.slots
    for goal, slot in zip(goals, source.frame.slots, strict=False):
        if slot.scanned is not None and source.dataset is not None:
            scope.evaluation.read(slot.scanned, Clause.VALUES, node)

        put_named(goal.name, goal.key, slot.lineage, columns)


def by_name(source: Source, target: Source, scope: Scope, columns: Columns, node: exp.Expr) -> None:
    """Assign the columns of a source by name.

    UPDATE SET *, INSERT *

    each column of the source goes to the target's column of that name
    """
    scope.clause = Clause.SET
    known = None if target.stars or evolves(node) else target.index
    for slot in source.frame.slots:
        if slot.scanned is not None and source.dataset is not None:
            scope.evaluation.read(slot.scanned, scope.clause, node)

        if slot.star is not None:
            columns["*"] = slot
        elif known is None or slot.key in known:
            put_named(slot.name, slot.key, slot.lineage, columns)


def evolves(node: exp.Expr) -> bool:
    """Tell whether a MERGE adds columns.

    MERGE WITH SCHEMA EVOLUTION INTO t …

    columns that t has not are added; repairs write it as a hint
    """
    statement = node.find_ancestor(exp.Merge)
    hints = list_arg(statement.this, "hints") if statement is not None else ()
    return any(word.name.upper() == "EVOLUTION" for hint in hints for word in hint.expressions)


PLANNERS = {exp.Update: update, exp.Delete: delete, exp.Merge: merge}
