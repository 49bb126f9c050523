"""The relation verbs, by the three questions of their docstrings: which columns survive, where
their values come
from, and which columns decide the rows."""

from __future__ import annotations

from collections.abc import Iterator

from lineal.algebra.changes import changed_row, delete, merge_into, update, upsert, with_all_columns
from lineal.algebra.clauses import FILTERS, SORTS
from lineal.algebra.edges import name
from lineal.algebra.expression import AGGREGATED, VALUE
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Expression, Lineage, as_expression, pour
from lineal.algebra.relation import (
    SetOperation,
    decided_rows,
    distinct,
    doubt_columns,
    everything_in,
    explode,
    extend,
    group,
    join,
    merge_key,
    narrow,
    one_row,
    pivot,
    pivot_cell,
    project,
    put_side_by_side,
    recurse,
    refer_to,
    rename,
    reopen,
    repeat,
    row_struct,
    scan,
    scan_on_demand,
    scan_together,
    set_operation,
    take_existence,
    take_row,
    take_value,
    union_by_name,
    unpivot,
    values,
)
from lineal.algebra.values import Part, Struct
from lineal.model.diagnostic import Place
from lineal.model.edge import Calls, Dataset, Doubt
from lineal.model.way import IDENTITY, Confidence, Way

T, U = Dataset("", "t"), Dataset("", "u")


def table(dataset: Dataset, *columns: str) -> Frame:
    return scan(dataset, [(column, column) for column in columns], True)


def column(frame: Frame, key: str) -> Lineage:
    return frame.index[key].lineage


def says(lineage: Lineage) -> list[str]:
    """t.a FILTER      the influences in words, sorted"""
    return sorted(f"{origin} {way.how.name}" for origin, way in lineage)


def told(frame: Frame) -> tuple[dict[str, list[str]], list[str]]:
    return {slot.name: says(slot.lineage) for slot in frame.slots}, says(frame.rows)


def made_with(way: Way, *lineages: Lineage) -> Lineage:
    found: Lineage = {}
    for lineage in lineages:
        pour(lineage, way, found)
    return found


# -- where rows come from --------------------------------------------------------------------------


def test_a_scan_has_its_own_columns() -> None:
    frame = scan(T, [("a", "a"), ("_file", "_file")], False, {"_file"})
    assert told(frame) == ({"a": ["t.a IDENTITY"], "_file": [], "*": ["t.* IDENTITY"]}, [])
    assert [slot.scanned is not None for slot in frame.slots] == [True, False, False]
    assert told(scan_on_demand(T, [("a", "a")], True)) == ({"a": ["t.a IDENTITY"]}, [])


def test_files_that_are_read_together_are_united_and_read_of_the_first() -> None:
    frame = scan_together([T, U], [("a", "a")])
    assert told(frame) == ({"a": ["t.a IDENTITY", "u.a IDENTITY"]}, [])
    assert [str(slot.scanned) for slot in frame.slots] == ["t.a"]


def test_values_take_their_place_in_every_row() -> None:
    t = table(T, "a", "b")
    frame = values(
        [("p", "p"), ("q", "q")], [[{}, column(t, "a")], [{}, column(t, "b")], [column(t, "a")]]
    )
    assert told(frame) == ({"p": ["t.a IDENTITY"], "q": ["t.a IDENTITY", "t.b IDENTITY"]}, [])
    assert told(values([("id", "id")])) == ({"id": []}, [])


def test_a_reference_has_the_columns_of_the_definition_by_position() -> None:
    t = narrow(table(T, "a", "b"), FILTERS, [as_expression(column(table(T, "b"), "b"))])
    frame = refer_to(t, [("x", "#1"), ("y", "#2"), ("z", "#3")])
    assert told(frame) == ({"x": ["t.a IDENTITY"], "y": ["t.b IDENTITY"], "z": []}, ["t.b FILTER"])
    assert [slot.scanned for slot in frame.slots] == [None, None, None]


def test_a_recursion_ends_when_nothing_new_is_found() -> None:
    rounds: list[int] = []

    def step(frame: Frame) -> Frame:
        rounds.append(len(rounds))
        return narrow(frame, FILTERS, [as_expression(column(table(U, "b"), "b"))])

    assert told(recurse(table(T, "a"), step)) == ({"a": ["t.a IDENTITY"]}, ["u.b FILTER"])
    assert len(rounds) == 2


# -- which columns there are -----------------------------------------------------------------------


def test_a_list_of_columns_leaves_out_no_row() -> None:
    t = narrow(table(T, "a", "b"), FILTERS, [as_expression(column(table(T, "c"), "c"))])
    assert told(project(t, [t.slots[1]])) == ({"b": ["t.b IDENTITY"]}, ["t.c FILTER"])
    assert told(project(t, iter([t.slots[1]]))) == ({"b": ["t.b IDENTITY"]}, ["t.c FILTER"])
    assert told(extend(t, [Slot("n", "n", {})])) == (
        {"a": ["t.a IDENTITY"], "b": ["t.b IDENTITY"], "n": []},
        ["t.c FILTER"],
    )


def test_the_first_columns_get_new_names() -> None:
    assert told(rename(table(T, "a", "b"), [("x", "x")])) == (
        {"x": ["t.a IDENTITY"], "b": ["t.b IDENTITY"]},
        [],
    )


# -- which rows there are --------------------------------------------------------------------------


def test_a_condition_decides_rows_and_leaves_columns_alone() -> None:
    t = table(T, "a", "b")
    kept = narrow(
        narrow(t, FILTERS, [as_expression(column(t, "a"))]), SORTS, [as_expression(column(t, "b"))]
    )
    assert kept.slots is t.slots
    assert says(kept.rows) == ["t.a FILTER", "t.b SORT"]
    assert narrow(t, FILTERS, []) is t
    assert t.rows == {}


def test_clauses_that_follow_do_not_change_the_query_inside() -> None:
    t = table(T, "a")
    again = reopen(t)
    pour(column(t, "a"), SORTS, again.rows)
    assert (says(again.rows), says(t.rows)) == (["t.a SORT"], [])
    assert one_row().rows is not one_row().rows


def test_keys_decide_rows_whether_or_not_they_are_listed() -> None:
    t = table(T, "a", "b")
    total = Slot("total", "total", made_with(AGGREGATED, column(t, "b")))
    frame = group(t, [as_expression(column(t, "a"))], [total])
    assert told(frame) == ({"total": ["t.b AGGREGATION"]}, ["t.a GROUP_BY"])


def test_keys_are_read_before_the_columns() -> None:
    order: list[str] = []

    def key(way: Way, into: Lineage) -> None:
        order.append("key")

    def columns() -> Iterator[Slot]:
        order.append("column")
        yield Slot("x", "x", {})

    group(table(T, "a"), [key], columns())
    assert order == ["key", "column"]


def test_compared_columns_decide_rows() -> None:
    t = table(T, "a", "b")
    assert told(distinct(t))[1] == ["t.a GROUP_BY", "t.b GROUP_BY"]
    assert told(distinct(t, [as_expression(column(t, "a"))]))[1] == ["t.a GROUP_BY"]
    assert {way.clause.value for _, way in distinct(t).rows} == {"DISTINCT"}


def test_an_array_decides_how_often_a_row_occurs() -> None:
    t = table(T, "a", "xs")
    item = Slot("x", "x", made_with(VALUE, column(t, "xs")))
    frame = explode(t, [item], [as_expression(column(t, "xs"))])
    assert told(frame) == (
        {"a": ["t.a IDENTITY"], "xs": ["t.xs IDENTITY"], "x": ["t.xs TRANSFORMATION"]},
        ["t.xs JOIN"],
    )
    assert told(explode(t, [item], []))[1] == []


def test_rows_that_the_text_repeats_are_decided_by_no_column() -> None:
    t = table(T, "a", "b")
    frame = repeat(t, [(("p", "p"), [column(t, "a"), column(t, "b")]), (("q", "q"), [])])
    assert told(frame) == ({"p": ["t.a IDENTITY", "t.b IDENTITY"], "q": []}, [])


# -- two relations and more ------------------------------------------------------------------------


def test_a_join_has_both_sides_and_a_semi_join_the_first() -> None:
    t, u = table(T, "a"), table(U, "b")
    seen: list[list[str]] = []

    def on(both: Frame) -> list[Expression]:
        seen.append([slot.name for slot in both.slots])
        return [as_expression(column(both, "a")), as_expression(column(both, "b"))]

    assert told(join([t, u], on)) == (
        {"a": ["t.a IDENTITY"], "b": ["u.b IDENTITY"]},
        ["t.a JOIN", "u.b JOIN"],
    )
    assert told(join([t, u], on, only_first=True)) == (
        {"a": ["t.a IDENTITY"]},
        ["t.a JOIN", "u.b JOIN"],
    )
    assert seen == [["a", "b"], ["a", "b"]]
    assert told(put_side_by_side([t, u]))[1] == []


def test_one_key_comes_of_two() -> None:
    left, right = table(T, "id").slots[0], table(U, "id").slots[0]
    assert merge_key(left, right, "", ("id", "id")) is left
    assert merge_key(left, right, "LEFT", ("id", "id")) is left
    assert merge_key(left, right, "RIGHT", ("id", "id")) is right
    assert says(merge_key(left, right, "FULL", ("id", "id")).lineage) == [
        "t.id CONDITIONAL",
        "t.id TRANSFORMATION",
        "u.id CONDITIONAL",
        "u.id TRANSFORMATION",
    ]


def test_set_operations() -> None:
    sides = [table(T, "a"), table(U, "b")]
    both = {"a": ["t.a IDENTITY", "u.b IDENTITY"]}
    assert told(set_operation(SetOperation.UNION_ALL, sides)) == (both, [])
    assert told(set_operation(SetOperation.UNION, sides)) == (
        both,
        ["t.a GROUP_BY", "u.b GROUP_BY"],
    )
    assert told(set_operation(SetOperation.INTERSECT, sides)) == (
        both,
        ["t.a FILTER", "u.b FILTER"],
    )
    assert told(set_operation(SetOperation.EXCEPT, sides)) == (
        {"a": ["t.a IDENTITY"]},
        ["t.a FILTER", "u.b FILTER"],
    )
    by_name = set_operation(SetOperation.UNION, sides, union_by_name)
    assert told(by_name) == (
        {"a": ["t.a IDENTITY"], "b": ["u.b IDENTITY"]},
        ["t.a GROUP_BY", "u.b GROUP_BY"],
    )


# -- columns from values, and values from columns --------------------------------------------------


def test_a_pivot_groups_by_what_it_does_not_name() -> None:
    t = table(T, "region", "kind", "amount")
    deciding = made_with(FILTERS, column(t, "kind"))
    cell = Slot("x", "x", pivot_cell(made_with(AGGREGATED, column(t, "amount")), deciding))
    assert told(pivot(t, [t.slots[0]], [cell])) == (
        {"region": ["t.region IDENTITY"], "x": ["t.amount AGGREGATION", "t.kind FILTER"]},
        ["t.region GROUP_BY"],
    )


def test_an_unpivot_drops_nulls_unless_they_are_included() -> None:
    t = table(T, "id", "q1", "q2")
    members = [[column(t, "q1")], [column(t, "q2")]]
    frame = unpivot(t, [t.slots[0]], [("sales", "sales")], members, ("quarter", "quarter"))
    assert told(frame) == (
        {"id": ["t.id IDENTITY"], "sales": ["t.q1 IDENTITY", "t.q2 IDENTITY"], "quarter": []},
        ["t.q1 FILTER", "t.q2 FILTER"],
    )
    kept = unpivot(t, [], [("v", "v")], members, ("n", "n"), label_first=True, drops_nulls=False)
    assert ([slot.name for slot in kept.slots], says(kept.rows)) == (["n", "v"], [])


# -- a relation as a value, and what is not read ---------------------------------------------------


def test_the_value_of_a_subquery_composes_and_its_rows_do_not() -> None:
    u = narrow(table(U, "a"), FILTERS, [as_expression(column(table(U, "b"), "b"))])
    value: Lineage = {}
    take_value(u, AGGREGATED, value, value)
    assert says(value) == ["u.a AGGREGATION", "u.b FILTER"]
    rows: Lineage = {}
    take_existence(u, rows)
    assert says(rows) == ["u.b FILTER"]


def test_row_usages_decide_the_fields_of_a_row() -> None:
    u = narrow(table(U, "a"), FILTERS, [as_expression(column(table(U, "b"), "b"))])
    assert told(take_row(u)) == ({"a": ["u.a IDENTITY", "u.b FILTER"]}, [])


def test_a_whole_row_is_a_struct_of_its_columns() -> None:
    whole = row_struct(table(T, "A", "b").slots, complete=True)
    assert says(whole) == ["t.A TRANSFORMATION", "t.b TRANSFORMATION"]
    assert isinstance(whole, Struct)
    assert (whole.names, says(whole.fields["a"])) == (["A", "b"], ["t.A IDENTITY"])
    assert type(row_struct(table(T, "a").slots, complete=False)) is dict


def test_code_that_is_not_read_may_use_every_column() -> None:
    doubt = Doubt(Confidence.LOW, False, "not read")
    lineage = everything_in(table(T, "a", "b").slots, doubt)
    assert says(lineage) == ["t.a TRANSFORMATION", "t.b TRANSFORMATION"]
    assert {trail[3] for trail in lineage.values() if trail is not None} == {doubt}
    unsure = doubt_columns(table(T, "a"), doubt)
    assert [trail[3] for slot in unsure.slots for trail in slot.lineage.values() if trail] == [
        doubt
    ]


# -- changes of a table ----------------------------------------------------------------------------


def test_an_update_changes_the_columns_that_are_set_and_no_row() -> None:
    deciding = made_with(FILTERS, column(table(T, "c"), "c"))
    frame = update([Slot("a", "a", dict(column(table(U, "b"), "b")))], deciding)
    assert told(frame) == ({"a": ["t.c FILTER", "u.b IDENTITY"]}, [])
    everything = with_all_columns(frame, [("id", "id"), ("a", "a")])
    assert told(everything) == ({"id": [], "a": ["t.c FILTER", "u.b IDENTITY"]}, [])


def test_a_delete_and_a_merge_decide_rows() -> None:
    deciding = made_with(FILTERS, column(table(T, "c"), "c"))
    assert told(delete(deciding)) == ({}, ["t.c FILTER"])
    merged = merge_into([Slot("a", "a", dict(column(table(U, "b"), "b")))], deciding)
    assert told(merged) == ({"a": ["u.b IDENTITY"]}, ["t.c FILTER"])


def test_an_upsert_may_insert_or_set() -> None:
    inserted = project(
        decided_rows(made_with(FILTERS, column(table(U, "c"), "c"))), table(U, "a", "b").slots
    )
    frame = upsert(inserted, {"b": Slot("b", "b", dict(column(table(T, "b"), "b")))})
    assert told(frame) == (
        {"b": ["t.b IDENTITY", "u.b IDENTITY"], "a": ["u.a IDENTITY"]},
        ["u.c FILTER"],
    )


def test_a_row_after_a_change_has_the_new_values() -> None:
    frame = changed_row(table(T, "id", "a"), table(U, "a").slots)
    assert told(frame) == ({"id": ["t.id IDENTITY"], "a": ["u.a IDENTITY"]}, [])


# -- name ------------------------------------------------------------------------------------------


class Silent:
    """A reader that has no text to point into."""

    level = Confidence.HIGH

    def place(self, trail: object) -> Place | None:
        return None

    def expression(self, trail: object) -> str:
        return ""

    def calls(self, trail: object) -> Calls:
        return ()

    def failed(self, error: Exception, trail: object) -> None:
        raise error


def test_a_name_ends_lineage_in_edges() -> None:
    t = narrow(table(T, "a"), FILTERS, [as_expression(column(table(T, "b"), "b"))])
    found = name(rename(t, [("x", "x")]), Dataset("", "v"), Silent())
    assert [f"{edge.source} > {edge.target} {edge.usages[0].way.how.name}" for edge in found] == [
        "t.a > v.x IDENTITY",
        "t.b > v FILTER",
    ]


def test_parts_survive_a_projection() -> None:
    part = Part(column(table(T, "s"), "s"))
    assert isinstance(project(one_row(), [Slot("s", "s", part)]).slots[0].lineage, Part)
    assert says(made_with(IDENTITY, part)) == ["t.s IDENTITY"]
