"""Lineage by experiment: a column that is not listed for an output can be drawn again, and the
output stays.

    LINEAL_SEED=7 LINEAL_STATEMENTS=20000 pytest tests/oracle      other statements, and more

Hypothesis draws the statements, and makes one that fails as small as it still fails. It belongs
into tests/cases then.
"""

from __future__ import annotations

import os
from random import Random

import pytest
from hypothesis import Phase
from soundness import Claims, Tally, Unsound, experiment
from tables import Tables

from generators.rounds import shrink_example, visit_examples
from generators.statement import Statement
from generators.strategies import statements

SEED = int(os.environ.get("LINEAL_SEED") or 0)
STATEMENTS = int(os.environ.get("LINEAL_STATEMENTS") or 1000)
PARTS = 8
DATA_SEEDS = 6
"""How often the tables are filled again to make a smaller statement fail."""


@pytest.mark.parametrize("part", range(PARTS))
def test_unlisted_columns_change_nothing(part: int) -> None:
    tables, tally = Tables(), Tally()
    number, count = SEED * PARTS + part, STATEMENTS // PARTS
    data = Random(number)
    found: list[Unsound] = []
    print(f"LINEAL_SEED={SEED}")

    def run(statement: Statement) -> None:
        if not found:
            problem = failure(statement, data, tables, tally)
            found.extend([problem] if problem else [])

    visit_examples(statements("duckdb"), number, count, (Phase.generate,), run)
    if found:
        pytest.fail(f"LINEAL_SEED={SEED}\n{smallest(found[0], number, count, tables)}")
    assert tally.compared >= 0.8 * count, tally
    assert tally.draws > tally.compared, tally


def smallest(problem: Unsound, number: int, count: int, tables: Tables) -> Unsound:
    """Return the failure of the smallest statement that fails in the same way."""

    def fails(statement: Statement) -> bool:
        if statement == problem.statement:
            return True
        found = failure_with_any_data(statement, tables)
        return found is not None and found.kind == problem.kind

    small = shrink_example(statements("duckdb"), number, count, fails) or problem.statement
    return failure_with_any_data(small, tables) or problem


def failure_with_any_data(statement: Statement, tables: Tables) -> Unsound | None:
    """Return how the statement fails with one of some fillings of the tables."""
    for seed in range(DATA_SEEDS):
        found = failure(statement, Random(seed), tables, Tally())
        if found is not None:
            return found
    return None


def failure(statement: Statement, data: Random, tables: Tables, tally: Tally) -> Unsound | None:
    """Return how the statement fails, if it does."""
    try:
        experiment(statement, data, tables, tally)
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
