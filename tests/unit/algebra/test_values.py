"""Values with parts: reads of structs, arrays and the columns that hold them."""

from __future__ import annotations

from lineal.algebra.expression import (
    AGGREGATED,
    KEY,
    VALUE,
    chosen_by_first,
    chosen_by_operand,
    chosen_in_turns,
    first_that_is_there,
    first_unless_equal,
)
from lineal.algebra.lineage import Lineage, as_expression, pour, pour_and_decide, unite_lineages
from lineal.algebra.values import (
    Items,
    Part,
    Struct,
    build_items,
    build_struct,
    carry,
    drop_fields,
    keep_parts,
    part_at,
    put_field,
    read_item,
    read_part,
    time_window,
)
from lineal.model.edge import Column, Dataset
from lineal.model.way import IDENTITY, Way

T = Dataset("", "t")


def column(name: str) -> Lineage:
    return {(Column(T, name), IDENTITY): None}


def says(lineage: Lineage) -> list[str]:
    return sorted(
        f"{'.'.join([origin.name, *origin.path])} {way.how.name}" for origin, way in lineage
    )


def struct(**fields: Lineage) -> Struct:
    return build_struct(unite_lineages(fields.values()), fields.items())


def test_of_a_struct_that_was_built_only_the_field_is_read() -> None:
    built = struct(Lat=column("a"), lon=column("b"))
    assert built.names == ["Lat", "lon"]
    assert says(built) == ["a IDENTITY", "b IDENTITY"]
    assert says(read_part(built, ["lat"])) == ["a TRANSFORMATION"]
    assert part_at(built, ["LAT"]) == column("a")


def test_of_a_column_the_path_stays_on_the_origin() -> None:
    found = read_part(column("s"), ["geo", "lat"])
    assert says(found) == ["s.geo.lat TRANSFORMATION"]
    assert isinstance(found, Part)
    assert says(read_part(found, ["deg"])) == ["s.geo.lat.deg TRANSFORMATION"]


def test_a_struct_inside_keeps_its_fields() -> None:
    built = struct(home=struct(city=column("a"), zip=column("b")))
    home = read_part(built, ["home"])
    assert says(home) == ["a TRANSFORMATION", "b TRANSFORMATION"]
    assert says(read_part(home, ["city"])) == ["a TRANSFORMATION"]
    assert says(read_part(built, ["home", "zip"])) == ["b TRANSFORMATION"]


def test_a_field_of_a_computed_value_is_not_part_of_a_column() -> None:
    computed: Lineage = {}
    pour(column("doc"), VALUE, computed)
    found = read_part(computed, ["x"])
    assert says(found) == ["doc TRANSFORMATION"]
    assert not isinstance(found, Part)


def test_an_item_is_a_part_of_a_column_only() -> None:
    assert isinstance(read_item(column("xs"), own=True), Part)
    assert type(read_item(column("xs"), own=False)) is dict
    assert says(read_item(column("xs"), own=True)) == ["xs TRANSFORMATION"]


def test_items_that_the_text_lists_are_matched_by_position() -> None:
    items = build_items({}, ["p", "q"], [[column("a"), {}], [column("b")]])
    assert isinstance(items, Items)
    assert {name: says(lineage) for name, lineage in items.fields.items()} == {
        "p": ["a IDENTITY", "b IDENTITY"],
        "q": [],
    }


def test_a_struct_that_is_passed_on_keeps_its_parts() -> None:
    built = struct(p=column("a"))
    assert isinstance(keep_parts({}, built), Struct)
    assert isinstance(keep_parts({}, Part()), Part)
    assert type(keep_parts({}, column("a"))) is dict


def test_a_change_of_a_struct_changes_its_fields() -> None:
    """max_by(STRUCT(a AS p, b AS q), c) OVER (PARTITION BY d)"""
    built = struct(p=column("a"), q=column("b"))
    whole: Lineage = {}
    pour(built, AGGREGATED, whole)
    pour(column("d"), KEY, whole)
    found = carry(built, AGGREGATED, whole, [(as_expression(column("c")), AGGREGATED)])
    assert says(found) == ["a AGGREGATION", "b AGGREGATION", "d WINDOW"]
    assert says(found.fields["p"]) == ["a AGGREGATION", "c AGGREGATION", "d WINDOW"]


def test_a_field_is_put_into_a_struct_and_the_others_stay() -> None:
    """s.withField('home.city', a).dropFields('zip')"""
    whole: Lineage = {}
    found = put_field(column("s"), ["home", "city"], column("a"), whole)
    assert says(read_part(found, ["home", "city"])) == ["a TRANSFORMATION"]
    assert says(read_part(found, ["home", "zip"])) == ["s.home.zip TRANSFORMATION"]
    assert says(read_part(found, ["age"])) == ["s.age TRANSFORMATION"]
    less = drop_fields(found, ["age"], whole)
    assert says(read_part(less, ["age"])) == []
    assert says(read_part(less, ["name"])) == ["s.name TRANSFORMATION"]


def test_a_time_window_has_a_start_and_an_end() -> None:
    window = time_window(column("at"))
    assert [says(window.fields[name]) for name in ("start", "end")] == [
        ["at IDENTITY"],
        ["at IDENTITY"],
    ]


# -- argument laws ---------------------------------------------------------------------------------


def told(arguments: list[tuple[str, Way]]) -> list[str]:
    return [f"{argument} {way.how.name}" for argument, way in arguments]


def test_argument_laws() -> None:
    """Semantics §5: CASE, DECODE, IF, COALESCE, NULLIF."""
    c, t = "CONDITIONAL", "TRANSFORMATION"
    assert told(chosen_in_turns("abcde", IDENTITY)) == [
        f"a {c}",
        f"b {t}",
        f"c {c}",
        f"d {t}",
        f"e {t}",
    ]
    assert told(chosen_in_turns("abcd", IDENTITY)) == [f"a {c}", f"b {t}", f"c {c}", f"d {t}"]
    assert told(chosen_by_operand("a1b2cd", IDENTITY)) == [
        f"a {c}", f"1 {c}", f"b {t}", f"2 {c}", f"c {t}", f"d {t}",
    ]  # fmt: skip
    assert told(chosen_by_first("abc", IDENTITY)) == [f"a {c}", f"b {t}", f"c {t}"]
    assert told(first_that_is_there("ab", IDENTITY)) == [f"a {t}", f"b {t}", f"a {c}", f"b {c}"]
    assert told(first_unless_equal("ab", IDENTITY)) == [f"a {t}", f"a {c}", f"b {c}"]


def test_a_value_that_is_taken_if_it_exists_decides() -> None:
    found: Lineage = {}
    pour_and_decide(column("a"), AGGREGATED, found)
    assert says(found) == ["a AGGREGATION", "a CONDITIONAL"]
