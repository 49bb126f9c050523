"""INSERT INTO … SELECT: by position, onto the column list or the target's schema."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from sqlglot import exp

from lineal.algebra.changes import assign_fields, upsert
from lineal.algebra.frame import Frame
from lineal.algebra.relation import one_row, project, reopen
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.dialects.table_functions import ELSEWHERE
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.nodes import is_call, list_arg
from lineal.extract.sql.placeholders import spread_rows
from lineal.extract.sql.relations import join_, relation
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import CTEs, Source
from lineal.extract.sql.statements.change import assigned_columns, delete
from lineal.extract.sql.statements.steps import Partition, Plan, Unsupported, listed_columns
from lineal.extract.sql.table_aliases import rename_columns
from lineal.extract.sql.table_functions import first_text, name_of, table_elsewhere
from lineal.extract.sql.tables import Named, is_named, spell_table, target_of
from lineal.model.grouping import group_pairs
from lineal.model.paths import path_name
from lineal.model.sequences import instances, only_or_none, present


def insert(node: exp.Insert, facts: Facts) -> Plan | type[Unsupported] | None:
    """Plan INSERT.

    INSERT INTO t (a, b) SELECT x, y FROM s      x → t.a, y → t.b
    """
    table, schema = target_of(node.this)
    query = node.args.get("expression") or node.args.get("source")  # INSERT INTO t TABLE s
    if node.args.get("default"):
        return None

    if not query:
        return Unsupported

    if not is_named(table):
        place = written_place(table)
        if place:
            return Plan(
                place,
                place,
                "file",
                query=query,
                with_=node.args.get("with_"),
                node=node,
                replaces=True,
            )

        return Unsupported

    name, key = spell_table(table, facts)
    columns = listed_columns(schema, facts) if schema is not None else []
    if isinstance(query, exp.Values):
        open_rows(query)
        spread_rows(query, len(columns))

    by_name = bool(node.args.get("by_name"))
    conflict = node.args.get("conflict")
    sets = conflict is not None and bool(conflict.expressions)
    paths = listed_fields(schema)

    def after(frame: Frame, evaluation: Evaluation, ctes: CTEs) -> Frame:
        """Put parts into their columns, and add what ON CONFLICT sets."""
        frame = assign_fields(frame, paths) if paths else frame
        return on_conflict(conflict, node, table, frame, evaluation, ctes) if sets else frame

    return Plan(
        name, key, "table", query=query, columns=columns, with_=node.args.get("with_"), node=node,
        defines=False, positional=not by_name, partition=partition_of(table, facts),
        overwrites=bool(node.args.get("overwrite")) and not table.args.get("partition"),
        after=after if sets or paths else None,
    )  # fmt: skip


def listed_fields(schema: Any) -> dict[int, str]:
    """t (a, s.f, s.g.h)      1: f, 2: g.h; the fields among the columns that are listed"""
    items = schema.expressions if schema is not None else ()
    return {
        number: ".".join(part.name for part in list(item.flatten())[1:])
        for number, item in enumerate(items)
        if isinstance(item, exp.Dot)
    }


def open_rows(values: exp.Values) -> None:
    """VALUES ROW(1, 2), ROW(3, 4) AS new      MySQL: VALUES (1, 2), (3, 4) AS new"""
    for row in values.expressions:
        inner = only_or_none(row.expressions)
        if isinstance(inner, exp.Alias):
            name, inner = inner.args["alias"], inner.this
            if is_call(inner, "ROW"):
                values.set("alias", exp.TableAlias(this=name))

        if is_call(inner, "ROW"):
            row.set("expressions", inner.expressions)


def written_place(node: exp.Expr) -> str | None:
    """Return the path that an INSERT writes.

    INSERT OVERWRITE DIRECTORY '/out' …, INSERT INTO FUNCTION s3('s3://lake/out.csv') …

    a place for files
    """
    if isinstance(node, exp.Directory):
        return path_name(node.name)

    if (
        isinstance(node, exp.Func)
        and name_of(node) in ELSEWHERE
        and (table := table_elsewhere(node))
    ):
        return table

    text = first_text(node) if isinstance(node, exp.Func) else None
    if text is not None:
        return path_name(text)

    return None


def partition_of(table: exp.Table, facts: Facts) -> Partition | None:
    """Return the partition of an INSERT.

    PARTITION (day, region = 'EU')
    """
    node = table.args.get("partition")
    if not node or not facts.partitions_are_columns:
        return None

    given: list[Named] = []
    last: list[Named] = []
    for item in node.expressions:
        column = item.this if isinstance(item, exp.EQ) else item
        quoted = column.this.args.get("quoted") if isinstance(column, exp.Column) else False
        if isinstance(column, exp.Func):  # a part of a column's value is no column
            continue

        (given if isinstance(item, exp.EQ) else last).append(
            (column.name, facts.fold(column.name, quoted))
        )

    return Partition(given, last)


def on_conflict(
    node: Any,
    insert: exp.Insert,
    table: exp.Table,
    frame: Frame,
    evaluation: Evaluation,
    ctes: CTEs,
) -> Frame:
    """Plan ON CONFLICT.

    … ON CONFLICT (id) DO UPDATE SET b = excluded.b + t.b

    excluded is the row that was to be inserted
    """
    scope = Scope(evaluation, evaluation.around, ctes)
    inserted = reopen(frame)
    relation(table, scope, inserted.rows)
    if node.args.get("duplicate"):
        on_duplicate(node, insert.expression, frame, scope)

    scope.sources["excluded"] = Source("excluded", "excluded", project(one_row(), frame.slots))
    return upsert(inserted, assigned_columns(node, scope, {}))


def on_duplicate(node: exp.Expr, query: exp.Expr, frame: Frame, scope: Scope) -> None:
    """Plan ON DUPLICATE KEY UPDATE.

    … ON DUPLICATE KEY UPDATE b = VALUES(b) + new.b + s.c

    MySQL's excluded.b; s is one of the query's
    """
    for call in list(node.find_all(exp.Anonymous)):
        if call.name.upper() == "VALUES" and len(call.expressions) == 1:
            call.replace(exp.column(call.expressions[0].copy(), table="excluded"))

    alias = query.args.get("alias")
    if isinstance(query, exp.Values) and alias is not None and alias.this is not None:
        key = scope.evaluation.fold_table(alias.this.name, alias.this.args.get("quoted"))
        scope.sources[key] = Source(
            key, key, rename_columns(project(one_row(), frame.slots), alias, scope.evaluation)
        )
    elif isinstance(query, exp.Select) and query.args.get("from_") is not None:
        inner = Scope(scope.evaluation, None, scope.ctes)
        relation(query.args["from_"].this, inner, {})
        for join in list_arg(query, "joins"):
            join_(join, inner, {})

        for key, source in inner.sources.items():
            scope.sources.setdefault(key, source)


# -- several targets -------------------------------------------------------------------------------


def multi_insert(node: exp.MultitableInserts, facts: Facts) -> list[Any] | type[Unsupported]:
    """Plan an INSERT into several tables.

    [WITH c AS (…)] FROM s INSERT INTO a SELECT x INSERT INTO b SELECT y; INSERT ALL WHEN … THEN
    INTO a … SELECT …
    """
    plans: list[Any] = []
    ctes = node.args.get("with_")
    branches = Branches(first=node.args.get("kind") == "FIRST")
    narrowed = NarrowedSource(node.args["source"])
    for branch in node.expressions:
        if isinstance(branch, exp.ConditionalInsert):
            into = branch.this
            tests = branches.tests_of(branch)
            into.set("expression", select_of_branch(into, narrowed, tests))
        elif branch.expression is None:
            return Unsupported
        else:
            into = branch
            into.expression.set("from_", exp.From(this=node.args["source"]))

        if ctes is not None:
            into.set("with_", ctes.copy())

        plans.append(insert(into, facts))

    return instances(plans, Plan)


class Branches:
    """WHEN a THEN INTO t … INTO u … WHEN b THEN INTO v … ELSE INTO w …

    The tests that decide each INTO: every one under a WHEN has its test. ELSE has all of them, and
    in INSERT FIRST a WHEN has those before it, too. Of tests that differ only in the literals they
    compare with, the first stands for all.
    """

    def __init__(self, first: bool) -> None:
        """Start the branches of INSERT ALL, or of INSERT FIRST where `first` is true."""
        self.first = first
        self.earlier: dict[tuple[Any, ...], Any] = {}
        self.here: list[Any] = []

    def tests_of(self, branch: exp.ConditionalInsert) -> list[Any]:
        """The tests of the next INTO."""
        test = branch.args.get("expression")
        if branch.args.get("else_"):
            self.here = list(self.earlier.values())
        elif test is not None:
            self.here = [*(self.earlier.values() if self.first else ()), test]
            self.earlier.setdefault(shape_of(test), test)

        return [each.copy() for each in self.here]


def shape_of(test: exp.Expr) -> tuple[Any, ...]:
    """n > 1, n > 2      equal: a test without the literals that it compares with"""
    return tuple(
        node.__class__
        if isinstance(node, exp.Literal) and isinstance(node.parent, exp.Predicate)
        else (node.__class__, *(each for each in node.args.values() if isinstance(each, str)))
        for node in test.walk()
    )


SIMPLE_CLAUSES = frozenset({"with_", "from_", "joins", "where", "expressions", "kind", "hint"})
"""The clauses of a query in which the items of its list cannot be meant by position."""


class NarrowedSource:
    """INSERT ALL INTO t VALUES (a) INTO u VALUES (b) SELECT a, b, … FROM s

    The query that feeds the branches. The first branch reads it as it is written, so that each of
    its columns is looked up. Any other one reads it with the columns that it names, so that n
    branches of n columns are not n² columns.
    """

    def __init__(self, source: Any) -> None:
        """Look which columns the query lists."""
        self.source = source
        self.is_first = True
        self.places: dict[str, list[int]] = {}
        self.always: set[str] = set()
        if not self.is_simple():
            return

        listed = enumerate(source.expressions)
        self.places = group_pairs((item.alias_or_name.lower(), place) for place, item in listed)
        self.always = names_in(present([source.args.get("where")]))

    def is_simple(self) -> bool:
        """Whether each column of the query has a name, and no clause counts columns."""
        if not isinstance(self.source, exp.Select):
            return False

        clauses = {clause for clause, value in self.source.args.items() if value}
        listed = self.source.expressions
        return clauses <= SIMPLE_CLAUSES and all(
            isinstance(item, (exp.Column, exp.Alias)) and not item.is_star for item in listed
        )

    def for_branch(self, items: list[Any]) -> Any:
        """Return the query with the columns that the items of a branch need."""
        is_whole = self.is_first or not self.places or any(item.is_star for item in items)
        self.is_first = False
        if is_whole:
            return self.source

        kept: set[int] = set()
        waiting = [*names_in(items), *self.always]
        while waiting:
            added = [place for place in self.places.get(waiting.pop(), ()) if place not in kept]
            kept.update(added)
            waiting += names_in(self.source.expressions[place] for place in added)

        listed = [self.source.expressions[place] for place in sorted(kept)]
        return exp.Select(**{**self.source.args, "expressions": listed or [exp.Null()]})


def names_in(nodes: Iterable[Any]) -> set[str]:
    """Return the parts of all column names in some expressions, in lower case."""
    columns = chain.from_iterable(node.find_all(exp.Column) for node in nodes)
    return {part.name.lower() for column in columns for part in column.parts}


def select_of_branch(into: exp.Insert, narrowed: NarrowedSource, tests: list[Any]) -> exp.Select:
    """WHEN n > 1 THEN INTO a (x) VALUES (p) … SELECT p, n FROM s

    SELECT p FROM (SELECT p, n FROM s) WHERE n > 1
    """
    values = into.args.get("expression")
    items = values.expressions[0].expressions if isinstance(values, exp.Values) else [exp.Star()]
    source = exp.Subquery(this=narrowed.for_branch([*items, *tests]))
    select = exp.Select(expressions=list(items), from_=exp.From(this=source))
    if tests:
        select.set("where", exp.Where(this=exp.and_(*tests, copy=False)))

    return select


def insert_replacing(node: exp.Insert, facts: Facts) -> Any:
    """INSERT INTO t REPLACE WHERE a > 1 SELECT …      DELETE FROM t WHERE a > 1, then INSERT"""
    plan = insert(node, facts)
    test = node.args.get("where")
    if test is None or not isinstance(plan, Plan):
        return plan

    table, _ = target_of(node.this)
    removal = exp.Delete(this=table.copy(), where=exp.Where(this=test.copy()))
    removed = delete(removal, facts)
    return [*(removed if isinstance(removed, list) else ()), plan]


PLANNERS = {exp.Insert: insert_replacing, exp.MultitableInserts: multi_insert}
