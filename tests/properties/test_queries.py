"""The laws of queries: what may be written in another way without changing where columns come from."""

from __future__ import annotations

import re
from itertools import permutations
from random import Random

from facts import (
    Facts,
    columns,
    facts,
    kinds_of_problem,
    lineage_of,
    problems,
    renamed,
    rows,
    target,
    usages,
    ways,
)
from hypothesis import given, note
from hypothesis import strategies as st

from generators.queries import SHOP, Query
from generators.rounds import draw_examples
from generators.strategies import queries, randoms
from lineal.model.extraction import Extraction
from lineal.model.way import Clause, Confidence, How, Way, compose


@st.composite
def narrowed_queries(draw: st.DrawFn) -> tuple[Query, Query]:
    """A query, and the same with one more condition."""
    query = draw(queries())
    return query, query.with_condition(draw(randoms()))


@st.composite
def stacked_queries(draw: st.DrawFn) -> tuple[Query, Query]:
    """A query, and one that reads it as `seen`."""
    inner = draw(queries())
    return inner, draw(queries({"seen": inner.columns}, without=("scalar",)))


def test_a_number_gives_one_text() -> None:
    texts = [query.sql() for query in draw_examples(queries(), 7, 200)]
    assert texts[:20] == [query.sql() for query in draw_examples(queries(), 7, 200)[:20]]
    assert len(set(texts)) > 180


@given(queries())
def test_every_name_is_found(made: Query) -> None:
    note(made.sql())
    found = lineage_of(made.sql())
    assert problems(found) == []
    assert (found.coverage.columns.ambiguous, found.coverage.columns.unresolved) == (0, 0)
    (info,) = (info for info in found.datasets.values() if info.dataset.name == "result")
    assert [column.name for column in info.columns] == list(made.columns)
    assert info.complete
    assert {edge.level for edge in found.edges} <= {Confidence.HIGH}


# -- one statement written in another way ----------------------------------------------------------


@given(queries())
def test_a_query_in_a_subquery_or_a_cte_is_the_same_query(made: Query) -> None:
    note(made.sql())
    text, names = made.sql(), ", ".join(made.columns)
    plain = facts(lineage_of(text))
    for wrapped in (
        f"SELECT * FROM (\n{text}\n) AS wrapped",
        f"SELECT {names} FROM (\n{text}\n) AS wrapped",
        f"SELECT wrapped.* FROM (\n{text}\n) AS wrapped",
        f"WITH wrapped AS (\n{text}\n) SELECT * FROM wrapped",
        f"WITH inside AS (\n{text}\n), wrapped AS (SELECT * FROM inside) SELECT {names} FROM wrapped",
        f"(\n{text}\n)",
        f"WITH unused AS (SELECT id FROM customers WHERE score > 1) SELECT * FROM (\n{text}\n) AS wrapped",
    ):
        assert facts(lineage_of(wrapped)) == plain


@given(narrowed_queries())
def test_a_condition_changes_rows_and_never_columns(pair_of_queries: tuple[Query, Query]) -> None:
    made, narrowed = pair_of_queries
    note(made.sql())
    note(narrowed.sql())
    before, after = facts(lineage_of(made.sql())), facts(lineage_of(narrowed.sql()))
    assert columns(after) == columns(before)
    for pair, found in rows(before).items():
        assert ways({pair: found})[pair] <= ways(after)[pair]
    added = {
        (pair, way)
        for pair, found in ways(rows(after)).items()
        for way in found - ways(before).get(pair, frozenset())
    }
    assert {(way.how, way.clause) for _, way in added} <= {(How.FILTER, Clause.WHERE)}


@given(queries())
def test_other_inner_names_change_nothing(made: Query) -> None:
    def other(letter: str, number: int) -> str:
        return f"{letter.upper()}_renamed_{97 - number}"

    text = made.sql()
    note(text)
    found = {
        (source, renamed(target, other)): found
        for (source, target), found in facts(lineage_of(text)).items()
    }
    assert facts(lineage_of(renamed(text, other))) == found


@given(queries())
def test_letters_and_quotes_do_not_matter(made: Query) -> None:
    text = made.sql()
    note(text)
    loud = re.sub(
        r"'[^']*'|\b[a-z_]+\d*\b",
        lambda found: found[0] if "'" in found[0] else found[0].upper(),
        text,
    )
    quoted = re.sub(r"\b([twc]|out)\d+\b", r"`\g<0>`", text)
    assert facts(lineage_of(quoted)) == facts(lineage_of(text))
    assert lower(facts(lineage_of(loud))) == lower(facts(lineage_of(text)))


def lower(found: Facts) -> Facts:
    return {(source.lower(), target.lower()): usages for (source, target), usages in found.items()}


@given(queries())
def test_a_union_of_a_query_with_itself_is_the_query(made: Query) -> None:
    text = made.sql()
    note(text)
    inner = f"SELECT * FROM (\n{text}\n) AS one"
    found = facts(lineage_of(f"{inner}\nUNION ALL\n{inner.replace('AS one', 'AS two')}"))
    assert found == facts(lineage_of(text))


@given(queries())
def test_distinct_and_order_change_rows_and_never_columns(made: Query) -> None:
    note(made.sql())
    inner = f"SELECT * FROM (\n{made.sql()}\n) AS wrapped"
    plain = facts(lineage_of(made.sql()))
    single = f"SELECT DISTINCT * FROM (\n{made.sql()}\n) AS wrapped"
    ordered = f"{inner} ORDER BY {next(iter(made.columns))}"
    for text, how in ((single, How.GROUP_BY), (ordered, How.SORT)):
        found = facts(lineage_of(text))
        assert columns(found) == columns(plain)
        added = {
            way.how
            for pair, each in ways(rows(found)).items()
            for way in each - ways(plain).get(pair, frozenset())
        }
        assert added <= {how}


# -- several statements ----------------------------------------------------------------------------


def composed(found: Extraction, view: str, result: str) -> dict[tuple[str, str], frozenset[Way]]:
    """The edges into `result` with those into `view` composed away, hop by hop."""
    inner: dict[str, list[tuple[str, Way]]] = {}
    made: dict[tuple[str, str], set[Way]] = {}
    for edge in found.edges:
        if edge.into.name == view:
            inner.setdefault(target(edge), []).extend(
                (str(edge.source), usage.way) for usage in edge.usages
            )
    for edge in found.edges:
        if edge.into.name != result:
            continue
        for usage in edge.usages:
            if edge.source.dataset.name == view:
                for origin, way in inner.get(str(edge.source), ()):
                    made.setdefault((origin, target(edge)), set()).add(compose(usage.way, way))
            else:
                made.setdefault((str(edge.source), target(edge)), set()).add(usage.way)
    if any(read.dataset.name == view and read.target.name == result for read in found.reads):
        for origin, way in inner.get(f"=> {view}", ()):
            made.setdefault((origin, f"=> {result}"), set()).add(way)
    return {pair: frozenset(found) for pair, found in made.items()}


@given(stacked_queries())
def test_a_view_that_is_composed_away_is_a_subquery(stacked: tuple[Query, Query]) -> None:
    """Two hops composed by hand are the one hop of the query with the view's text in its place.

    Without scalar subqueries: the rows of a view in one of these decide a value, which two hops do
    not say.
    """
    inner, outer = stacked
    note(inner.sql())
    note(outer.sql())
    view = renamed(inner.sql(), lambda letter, number: f"{letter}_{number}_inside")
    hops = lineage_of(f"CREATE VIEW seen AS {view}", outer.sql())
    at_once = lineage_of(f"WITH seen AS (\n{view}\n) SELECT * FROM (\n{outer.sql()}\n) AS wrapped")
    straight = {
        (pair[0], pair[1].replace("result", "result1")): found
        for pair, found in ways(facts(at_once)).items()
    }
    by_hand = composed(hops, "seen", "result1")
    assert columns_of(by_hand) == columns_of(straight)
    assert by_hand == straight


def columns_of(
    found: dict[tuple[str, str], frozenset[Way]],
) -> dict[tuple[str, str], frozenset[Way]]:
    return {pair: each for pair, each in found.items() if not pair[1].startswith("=>")}


@st.composite
def scripts(draw: st.DrawFn) -> list[str]:
    """Statements that each define one view, over tables and earlier views."""
    schema: dict[str, dict[str, str]] = {table: dict(columns) for table, columns in SHOP.items()}
    statements = []
    for number in range(draw(st.integers(2, 4))):
        made = draw(queries(dict(schema), depth=1))
        statements.append(f"CREATE VIEW v{number} AS {made.sql()}")
        schema[f"v{number}"] = made.columns
    return statements


@given(scripts(), randoms(), st.sampled_from([tuple(SHOP), (), ("customers", "regions")]))
def test_definitions_come_in_any_order(
    statements: list[str], random: Random, known: tuple[str, ...]
) -> None:
    shuffled = random.sample(statements, len(statements))
    for text in shuffled:
        note(text)
    one, other = (lineage_of(";\n".join(each), only=known) for each in (statements, shuffled))
    assert facts(one) == facts(other)
    assert kinds_of_problem(one) == kinds_of_problem(other)
    apart = lineage_of(*shuffled, only=known)
    assert facts(apart) == facts(one)
    assert {(read.target, read.dataset, read.column, read.clause) for read in one.reads} == {
        (read.target, read.dataset, read.column, read.clause) for read in other.reads
    }


def test_definitions_that_need_each_other_come_in_any_order() -> None:
    statements = [
        "CREATE VIEW v0 AS SELECT * FROM orders",
        "CREATE VIEW v1 AS SELECT v0.*, name FROM v0 JOIN customers ON customer_id = customers.id",
        "CREATE VIEW v2 AS SELECT name, sum(amount) AS total FROM v1 GROUP BY name",
        "CREATE VIEW v3 AS SELECT * FROM v2 WHERE total > 1",
    ]
    first = facts(lineage_of(";".join(statements)))
    for order in permutations(statements):
        assert facts(lineage_of(";".join(order))) == first


# -- what is known ---------------------------------------------------------------------------------

GUESSES = ("star", "natural", "bare")
"""What only a schema can tell: the columns of a star, the keys of a NATURAL join, whose column a
bare name is.
"""


@given(
    queries(without=GUESSES),
    st.lists(st.sampled_from([*SHOP]), unique=True),
    st.lists(st.sampled_from([*SHOP]), unique=True),
)
def test_more_schema_never_lowers_confidence_nor_adds_origins(
    made: Query, some: list[str], more: list[str]
) -> None:
    text = made.sql()
    note(text)
    less, known = lineage_of(text, only=some), lineage_of(text, only={*some, *more})
    before = {(str(edge.source), target(edge)): edge for edge in less.edges}
    for edge in known.edges:
        pair = (str(edge.source), target(edge))
        assert pair in before, f"{edge} is new with {more} beside {some}"
        assert edge.level >= before[pair].level, f"{edge} is less sure with {more} beside {some}"
        assert {usage.way for usage in usages(edge)} <= {
            usage.way for usage in usages(before[pair])
        }
    assert known.coverage.columns.ambiguous <= less.coverage.columns.ambiguous


@given(queries(without=GUESSES), st.lists(st.sampled_from([*SHOP]), unique=True))
def test_answers_without_a_schema_are_right_or_in_doubt(made: Query, some: list[str]) -> None:
    """An edge that a full schema does not confirm was never sure."""
    text = made.sql()
    note(text)
    guessed, right = lineage_of(text, only=some), facts(lineage_of(text))
    for edge in guessed.edges:
        if (str(edge.source), target(edge)) not in right:
            assert edge.level < Confidence.HIGH, f"{edge} is wrong and sure with {some}"
