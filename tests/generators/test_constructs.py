"""Every construct that the writers of random SQL know occurs in what a fixed seed draws."""

from __future__ import annotations

import pytest

from generators.rounds import draw_examples, shrink_example
from generators.statement import Statement
from generators.strategies import query_pairs, statements

STATEMENTS = 500

SPARK = (
    "WITH ", "RECURSIVE", "UNION ALL", "UNION\n", "INTERSECT", "EXCEPT", "MINUS", "DISTINCT ", "ORDER BY",
    "SORT BY", "CLUSTER BY", "NULLS LAST", "LIMIT", "WHERE", "GROUP BY", "GROUP BY ALL", "HAVING", "ROLLUP (",
    "CUBE (", "GROUPING SETS (", "WITH ROLLUP", "grouping(", "grouping_id()", "\nWINDOW ", " OVER t",
    " OVER (", "PARTITION BY", "ROWS BETWEEN", "RANGE BETWEEN", "QUALIFY", "JOIN", "LEFT JOIN", "RIGHT JOIN",
    "FULL JOIN", "CROSS JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN", "NATURAL", "USING (", "LATERAL (",
    "LATERAL VIEW", "LATERAL VIEW OUTER", "LATERAL inline(", "LATERAL explode(", "explode(", "posexplode(",
    "inline(", "stack(", "json_tuple(", "explode_outer(", "PIVOT (", "UNPIVOT", "INCLUDE NULLS", "TABLESAMPLE",
    "VALUES", "traits AS", "range(3)", "|> WHERE", "|> EXTEND", "|> AGGREGATE", "|> SELECT", "|> SET",
    "|> DROP", "|> ORDER BY", "|> AS", "|> LEFT JOIN", "|> UNION", "window(to_timestamp", "session_window(",
    "collect_list(struct(", "from_json(", "named_struct(", "transform(", "EXISTS (", " IN (SELECT", "NOT IN (",
    "* EXCEPT (", ".*", "place.*", "/*+ BROADCAST", "FILTER (WHERE", "WITHIN GROUP", "CASE WHEN", "<=>",
    "IS DISTINCT FROM", "try_cast(", "aggregate(", "max_by(", "listagg(", "CREATE TABLE", "CREATE VIEW",
    "CREATE OR REPLACE TABLE", "CREATE TEMPORARY VIEW", "INSERT INTO", "INSERT OVERWRITE", "BY NAME",
    "MERGE INTO", "UPDATE SET *", "INSERT *", "WHEN NOT MATCHED BY SOURCE", "THEN DELETE",
    "UPDATE target_table", "DELETE FROM",
)  # fmt: skip

DUCK = (
    "WITH ", "RECURSIVE", "MATERIALIZED", "UNION ALL", "UNION ", "INTERSECT", "EXCEPT", "UNION ALL BY NAME",
    "UNION BY NAME", "DISTINCT ", "DISTINCT ON", "ORDER BY ALL", "NULLS FIRST", "LIMIT", "WHERE",
    "GROUP BY ALL", "HAVING", "ROLLUP (", "CUBE (", "GROUPING SETS (", "GROUPING(", "WINDOW ", "OVER w",
    "OVER (", "QUALIFY", "GROUPS BETWEEN", "ROWS BETWEEN", "EXCLUDE CURRENT ROW", "IGNORE NULLS", "LEFT JOIN",
    "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", "SEMI JOIN", "ANTI JOIN", "ASOF JOIN", "ASOF LEFT JOIN",
    "NATURAL", "USING (", "LATERAL (", "LEFT JOIN LATERAL", "UNNEST(", "unnest(", "generate_series(",
    "PIVOT (", "(PIVOT ", "UNPIVOT ", "(UNPIVOT ", "INTO NAME", "VALUES", "* EXCLUDE (", "REPLACE (",
    "RENAME (", "COLUMNS('", "COLUMNS(lambda", "COLUMNS([", "*COLUMNS(", "SELECT * FROM", "FROM orders",
    "EXISTS (", "NOT EXISTS (", " IN (SELECT", "= ANY", " ALL (", "FILTER (WHERE", "WITHIN GROUP",
    "list_transform(", "list_filter(", "list_reduce(", " FOR x IN ", "{'p'", "struct_extract(", "CASE WHEN",
    "TRY_CAST(", "arg_min(", "lag(", "nth_value(", "UPDATE ", "INSERT INTO", " BY NAME SELECT", "DELETE FROM",
    "MERGE INTO", "WHEN MATCHED", "WHEN NOT MATCHED", "BY SOURCE",
)  # fmt: skip

WRITERS = {"spark": (SPARK, 0), "duckdb": (DUCK, 1)}
"""The constructs that a dialect's strategy has to write, and the seed for that."""


@pytest.mark.parametrize("dialect", WRITERS)
def test_every_construct_is_drawn(dialect: str) -> None:
    constructs, seed = WRITERS[dialect]
    texts = [statement.text for statement in draw_examples(statements(dialect), seed, STATEMENTS)]
    assert len(set(texts)) > 0.7 * STATEMENTS
    missing = [each for each in constructs if not any(each in text for text in texts)]
    assert missing == []


@pytest.mark.parametrize("dialect", WRITERS)
def test_a_seed_draws_the_same_statements(dialect: str) -> None:
    strategy = statements(dialect)
    assert draw_examples(strategy, 7, 20) == draw_examples(strategy, 7, 20)
    assert draw_examples(strategy, 7, 20) != draw_examples(strategy, 8, 20)


def test_a_statement_that_fails_becomes_small() -> None:
    """Whatever else was drawn with it, a DISTINCT alone is left."""

    def fails(statement: Statement) -> bool:
        return statement.text.startswith("SELECT DISTINCT")

    small = shrink_example(statements("spark"), 7, 200, fails)
    assert small is not None
    assert len(small.text) < 60, small.text


PAIRS = (
    "WITH ", "DISTINCT ", "GROUP BY", "HAVING", "LEFT JOIN", "RIGHT JOIN", " JOIN ", "IN (SELECT", "NOT IN",
    "EXISTS (", "NOT EXISTS (", "IS NOT DISTINCT FROM", "BETWEEN", "COALESCE(", "NULLIF(", "CASE WHEN",
    "FILTER (WHERE", "COUNT(DISTINCT", "OVER (PARTITION BY", "WHERE 1 = 1",
)  # fmt: skip


def test_every_construct_of_a_pair_is_drawn() -> None:
    texts = [f"{one}; {other}" for one, other in draw_examples(query_pairs(), 1, STATEMENTS)]
    missing = [each for each in PAIRS if not any(each in text for text in texts)]
    assert missing == []


def test_a_pair_that_fails_becomes_small() -> None:
    """Two queries that differ shrink to two short ones."""
    small = shrink_example(query_pairs(), 7, 200, lambda pair: pair[0] != pair[1])
    assert small is not None
    assert len(small[0] + small[1]) < 200, small
