"""Triggers: which rows a trigger's function calls NEW and OLD."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.procedural.flow import Assignment, Body, Moment, Ref, TableTest
from lineal.extract.sql.procedural.pieces import Found, Routine, Trigger
from lineal.extract.sql.procedural.text import (
    OPEN,
    STRINGS,
    Tokens,
    closing_parenthesis,
    find_word,
    kind_at,
    unwrap,
    word_at,
)
from lineal.extract.sql.statements.families import plan_of
from lineal.extract.sql.statements.steps import Plan
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.names import Fold

ROWS = ("new", "old")
CIRCUMSTANCES = (
    "tg_name", "tg_when", "tg_level", "tg_op", "tg_relid", "tg_relname", "tg_table_name", "tg_table_schema",
    "tg_nargs", "tg_argv",
)  # fmt: skip
"""PL/pgSQL's variables about the call of a trigger's function; they have no lineage."""


def expect_rows(body: Body) -> None:
    """Let NEW and OLD hold a row from the start of a body; which tables' rows they are, triggers
    tell later.
    """
    body.trigger_row = Assignment(None, None, body.now(), frozenset())
    body.names.update(CIRCUMSTANCES)
    for name in ROWS:
        name_row(body, name, name)


def name_row(body: Body, name: str, row: str) -> None:
    """Let a name hold the row that a trigger calls NEW or OLD.

    REFERENCING NEW AS n
    """
    if body.trigger_row is None:
        return

    body.row_types[name] = ""
    body.start_with(name, Ref(body.trigger_row, None))
    if row == "new":
        body.new_rows.add(name)


def give_rows(
    routine: Routine, row: Assignment, tables: Iterable[str] = (), before: bool = False
) -> None:
    """Let NEW and OLD of a routine, and the transition tables of its trigger, stand for a query's
    rows; a trigger that runs before may set the fields of NEW.
    """
    body = routine.body
    if body.trigger_row is None:
        expect_rows(body)

    body.triggers.append(row)
    if before:
        body.set_rows.append(row)

    for name in tables:
        body.tables.setdefault(name, row)


def link_triggers(scripts: Sequence[Found]) -> None:
    """Give each trigger's rows to the function that it executes.

    The function of the trigger's own script is meant before those of the others.
    """
    if not any(script.triggers for script in scripts):
        return

    everywhere = by_bare_name(chain.from_iterable(script.functions for script in scripts))
    for script in scripts:
        own = by_bare_name(script.functions) if script.triggers else {}
        for trigger in script.triggers:
            for routine in functions_of(trigger, own) or functions_of(trigger, everywhere):
                give_rows(routine, trigger.row, trigger.tables, trigger.before)


def by_bare_name(routines: Iterable[Routine]) -> dict[str, list[Routine]]:
    """Return routines by their names without a schema."""
    found: dict[str, list[Routine]] = {}
    for routine in routines:
        found.setdefault(routine.key.rpartition(".")[2], []).append(routine)

    return found


def functions_of(trigger: Trigger, routines: dict[str, list[Routine]]) -> list[Routine]:
    """The functions of the name that a trigger executes; a schema counts where both name one."""
    wanted = trigger.function
    same = routines.get(wanted.rpartition(".")[2], [])
    return [each for each in same if each.key == wanted or not ("." in each.key and "." in wanted)]


def aim_at_tables(plan: Plan, facts: Facts) -> list[Any]:
    """Return what an assignment to a field of NEW writes: a plan for each table of its triggers.

    NEW.a := b      INSERT INTO t (a) SELECT b
    """
    plans = []
    for row in triggers_at(plan.moment, facts.fold_dataset, plan.moment.body.set_rows):
        tree = plan.node.copy()
        tree.find(exp.Table).replace(table_in(row).copy())
        found = plan_of(tree, facts)
        assert isinstance(found, Plan)
        found.moment, found.trigger = plan.moment, row
        plans.append(found)

    return plans


def unknown_row(body: Body) -> Diagnostic:
    """Describe a use of NEW or OLD in a function that no trigger of the input executes."""
    name, place = body.trigger_function or ("", None)
    message = f"no trigger executes '{name}': the table of NEW and OLD is not known"
    return Diagnostic(Code.UNKNOWN_TRIGGER, message, place)


NO_TRIGGER = Assignment(None, None, Body().now(), frozenset())
"""The call of a statement that tests TG_TABLE_NAME, if its table has no trigger in the input."""
TABLE_NAME = frozenset(("TG_TABLE_NAME", "TG_RELNAME"))


def triggers_at(
    moment: Moment, fold: Fold, rows: Sequence[Assignment] | None = None
) -> list[Assignment]:
    """The triggers for whose tables a statement runs: all of its function's, or some of them, but
    for tests of TG_TABLE_NAME.
    """
    body = moment.body
    rows = body.triggers if rows is None else rows
    return [row for row in rows if body.runs_for(table_of(row, fold), moment.arms)]


def table_of(row: Assignment, fold: Fold) -> str:
    """Return the table of a trigger's query.

    SELECT * FROM public.t      t
    """
    name = table_in(row).this
    return fold(name.name, name.args.get("quoted"))


def table_in(row: Assignment) -> exp.Table:
    """SELECT * FROM public.t      public.t"""
    table = row.query.find(exp.Table)
    assert table is not None
    return table


def test_of_table(condition: Tokens) -> TableTest | None:
    """Return the tables that a condition holds for.

    TG_TABLE_NAME = 't' AND …, TG_TABLE_NAME IN ('t', 'u')

    the tables that a condition holds for; None: any
    """
    condition = unwrap(condition)
    at = find_word(condition, TABLE_NAME)
    if at < 0 or find_word(condition, ("OR", "NOT")) >= 0:
        return None

    names = names_compared(condition, at)
    if names is None:
        return None

    return TableTest(names, alone=find_word(condition, ("AND",)) < 0)


def names_compared(condition: Tokens, at: int) -> frozenset[str] | None:
    """Return the tables that a comparison names.

    TG_TABLE_NAME = 't', 't' = TG_TABLE_NAME, TG_TABLE_NAME IN ('t', 'u')
    """
    before, after = condition[max(at - 2, 0) : at], condition[at + 1 :]
    if kind_at(after, 0) is TokenType.EQ and kind_at(after, 1) in STRINGS:
        return frozenset((after[1].text,))

    if kind_at(before, 1) is TokenType.EQ and kind_at(before, 0) in STRINGS:
        return frozenset((before[0].text,))

    if word_at(after, 0) != "IN" or kind_at(after, 1) is not OPEN or len(after) < 3:
        return None

    end = closing_parenthesis(after, 1, len(after))
    return frozenset(token.text for token in after[2:end] if token.token_type in STRINGS)
