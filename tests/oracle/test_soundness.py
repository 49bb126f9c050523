"""Lineage by experiment: a column that is not listed for an output can be drawn again, and the
output stays.

    LINEAL_SEED=7 LINEAL_STATEMENTS=20000 pytest tests/oracle      other statements, and more of
    them

A statement that fails is printed after it was made as small as it still fails; it belongs into
tests/cases then.
"""

from __future__ import annotations

import os
from random import Random

import pytest
from duck_data import Tables
from duck_queries import Statement
from shrink import shrunk
from soundness import Claims, Tally, Unsound, experiment, statement_of

SEED = int(os.environ.get("LINEAL_SEED", "0"))
STATEMENTS = int(os.environ.get("LINEAL_STATEMENTS", "1000"))
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_not_listed_changes_nothing(part: int) -> None:
    tables, tally = Tables(), Tally()
    print(f"LINEAL_SEED={SEED}")
    for number in range(part, STATEMENTS, PARTS):
        statement = statement_of(SEED + number)
        try:
            experiment(statement, Random(SEED + number), tables, tally)
        except Unsound as problem:
            pytest.fail(
                f"LINEAL_SEED={SEED + number} LINEAL_STATEMENTS=1\n{smallest(statement, problem, tables)}"
            )
    drawn = len(range(part, STATEMENTS, PARTS))
    assert tally.compared >= 0.8 * drawn, tally
    assert tally.draws > tally.compared, tally


def smallest(statement: Statement, problem: Unsound, tables: Tables) -> Unsound:
    """The failure of the smallest statement that fails in the same way."""

    def fails(text: str) -> bool:
        found = failure(Statement(text, statement.target), tables)
        return found is not None and found.kind == problem.kind

    small = shrunk(statement.text, fails)
    return failure(Statement(small, statement.target), tables) or problem


def failure(statement: Statement, tables: Tables) -> Unsound | None:
    for seed in range(6):
        try:
            experiment(statement, Random(seed), tables, Tally())
        except Unsound as problem:
            return problem
    return None


def test_a_claim_that_lacks_something_is_found_out() -> None:
    """The experiment itself can fail: lineage that forgets a filter, or a join's key, does not get
    through.
    """
    statement = Statement(
        "SELECT name FROM customers JOIN orders ON customers.id = orders.customer_id WHERE amount > 1"
    )
    whole = Claims(statement)
    for forgotten in list(whole.rows):
        lacking = Claims(statement)
        lacking.rows.discard(forgotten)
        tables = Tables()
        with pytest.raises(Unsound, match=str(forgotten)):
            for seed in range(40):
                experiment(statement, Random(seed), tables, Tally(), claims=lacking)
