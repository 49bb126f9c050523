"""The laws of the algebra: `compose` over ways, `union` over frames."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineal.algebra.expression import (
    aggregate_of,
    counting_way,
    masking_way,
    over,
    value,
    when,
    window_way,
)
from lineal.algebra.frame import Frame, Slot, star_slot
from lineal.algebra.frame import Star as OpenStar
from lineal.algebra.lineage import Lineage, absorb, unite_lineages
from lineal.algebra.relation import merge, union
from lineal.model.edge import Column, Dataset, Doubt
from lineal.model.way import IDENTITY, Clause, Confidence, How, Way, compose, way

FLAGS = (False, True)
DECIDING = (Clause.WHERE, Clause.JOIN_ON, Clause.GROUP_BY, Clause.ORDER_BY, Clause.SELECT)
WAYS = [
    way(how, clause, is_masked, is_windowed)
    for how in How
    for clause in (DECIDING if not how.direct else (Clause.SELECT,))  # a value stands in SELECT
    for is_masked in FLAGS
    for is_windowed in FLAGS
]
SIMPLE = [each for each in WAYS if each.direct or each.clause is Clause.WHERE]


def test_compose_is_associative() -> None:
    for outer, middle, inner in product(SIMPLE, repeat=3):
        assert compose(compose(outer, middle), inner) is compose(outer, compose(middle, inner))


@given(st.sampled_from(WAYS), st.sampled_from(WAYS), st.sampled_from(WAYS))
def test_compose_is_associative_whatever_the_clause(outer: Way, middle: Way, inner: Way) -> None:
    assert compose(compose(outer, middle), inner) is compose(outer, compose(middle, inner))


@pytest.mark.parametrize("each", WAYS, ids=repr)
def test_identity_is_neutral(each: Way) -> None:
    assert compose(IDENTITY, each) is each
    assert compose(each, IDENTITY) is each


@pytest.mark.parametrize("outer", WAYS, ids=repr)
def test_masking_stays_along_a_path(outer: Way) -> None:
    for inner in WAYS:
        assert compose(outer, inner).masked == (outer.masked or inner.masked)


@pytest.mark.parametrize(("outer", "inner"), [*product(How, How)])
def test_the_subtype_of_a_path(outer: How, inner: How) -> None:
    """Semantics §3, row by row."""
    found = compose(way(outer), way(inner)).how
    if not outer.direct:
        assert found is outer
    elif not inner.direct:
        assert found is inner
    else:
        stronger = (How.AGGREGATION, How.TRANSFORMATION, How.IDENTITY)
        assert found is min(outer, inner, key=stronger.index)


@pytest.mark.parametrize(
    "verb", [value, aggregate_of, when, over, window_way, masking_way, counting_way]
)
def test_an_expression_verb_is_a_step_inwards(verb) -> None:
    """f(outer) is outer ∘ f(IDENTITY): a verb says what happens inside, whatever happens around it."""
    for outer in WAYS:
        assert verb(outer) is compose(outer, verb(IDENTITY))


# -- frames ----------------------------------------------------------------------------------------

TABLES = [Dataset("", name) for name in ("a", "b")]
ORIGINS = [Column(table, name) for table in TABLES for name in ("x", "y")]
DOUBTS = [None, Doubt(Confidence.MEDIUM, False, ""), Doubt(Confidence.LOW, True, "")]

trails = st.sampled_from([None, *((None, None, None, doubt) for doubt in DOUBTS)])
lineages = st.dictionaries(
    st.tuples(st.sampled_from(ORIGINS), st.sampled_from(WAYS)), trails, max_size=4
)
stars = st.sampled_from([star_slot(OpenStar(table)) for table in TABLES])


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    slots = [
        Slot(name, name, draw(lineages))
        for name in draw(st.lists(st.sampled_from("pqrs"), unique=True))
    ]
    if draw(st.booleans()):
        slots.insert(draw(st.integers(0, len(slots))), draw(stars))
    return Frame(slots, draw(lineages))


def content(frame: Frame) -> tuple[list[tuple[str, str, object, Lineage]], Lineage]:
    return [(slot.name, slot.key, slot.star, slot.lineage) for slot in frame.slots], frame.rows


@given(frames())
def test_a_union_with_itself_changes_nothing(frame: Frame) -> None:
    assert content(union([frame, frame])) == content(frame)
    assert content(union([frame])) == content(frame)
    assert content(union([frame, frame, frame])) == content(frame)


@given(frames())
def test_a_merge_with_itself_changes_nothing(frame: Frame) -> None:
    assert content(merge(frame, frame)) == content(frame)


@given(lineages, lineages, lineages)
def test_influences_unite_in_any_grouping_and_order(
    one: Lineage, two: Lineage, three: Lineage
) -> None:
    def level(lineage: Lineage) -> dict[object, Confidence]:
        doubts = {key: trail[3] if trail is not None else None for key, trail in lineage.items()}
        return {key: doubt.level if doubt else Confidence.HIGH for key, doubt in doubts.items()}

    together = level(unite_lineages([one, two, three]))
    assert (
        together
        == level(unite_lineages([three, one, two]))
        == level(unite_lineages([unite_lineages([one, two]), three]))
    )
    for key, found in together.items():
        assert found == max(level(each)[key] for each in (one, two, three) if key in each)


@given(lineages)
def test_absorbed_influences_are_not_changed(lineage: Lineage) -> None:
    into: Lineage = {}
    absorb(lineage, into)
    assert into == lineage and into is not lineage
