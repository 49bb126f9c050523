"""YAML with places: mistakes are reported with their line, and never raised."""

from __future__ import annotations

from pathlib import Path

import pytest

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects import yaml
from lineal.projects.yaml import Value


def unasked(diagnostic: Diagnostic) -> None:
    pytest.fail(str(diagnostic))


def parse(text: str) -> tuple[Value | None, list[Diagnostic]]:
    found: list[Diagnostic] = []
    return yaml.parse(text, "a.yml", found.append), found


def good(text: str) -> Value:
    value, found = parse(text)
    assert value is not None
    assert found == []
    return value


def bad(text: str) -> Diagnostic:
    _, found = parse(text)
    assert len(found) == 1
    return found[0]


def test_values_are_plain_and_know_their_place() -> None:
    value = good("name: shop\ncolumns:\n  - name: id\n    type: int\n")
    assert value.plain() == {"name": "shop", "columns": [{"name": "id", "type": "int"}]}
    assert value.at("columns", 0, "type") == Place("a.yml", 4, 11)
    assert value.at("columns", 0, "nowhere") == Place("a.yml", 3, 5)
    assert value.at("columns", 7) == value.at("columns")


def test_an_empty_file_is_null() -> None:
    assert good("").data is None
    assert good("# nothing\n").data is None


@pytest.mark.parametrize("written", ["2024", "1.10", "yes", "2024-01-01", "0x10", "text", "1_000"])
def test_text_is_taken_verbatim(written: str) -> None:
    assert good(f"description: {written}").text(unasked, "description") == written


def test_null_is_not_text() -> None:
    assert good("description:\n").text(unasked, "description") == ""
    assert good("description: ~\n").get("description") is None


def test_keys_are_text() -> None:
    assert list(good("{no: int, on: int, 1: int}").data) == ["no", "on", "1"]


def test_an_invalid_date_stays_text() -> None:
    assert good("day: 2024-99-99").plain() == {"day": "2024-99-99"}


def test_a_number_with_too_many_digits_stays_text() -> None:
    assert good(f"n: {'9' * 5000}").plain() == {"n": "9" * 5000}


def test_a_duplicate_key_keeps_the_first_value() -> None:
    value, found = parse("a: 1\nb: 2\na: 3\n")
    assert value is not None
    assert value.plain() == {"a": 1, "b": 2}
    assert [(each.code, each.place) for each in found] == [
        (Code.DUPLICATE_KEY, Place("a.yml", 3, 1))
    ]
    assert "'a' is here and on line 1" in found[0].message


def test_a_syntax_error_has_its_line() -> None:
    value, found = parse("a: 1\nb: [1, 2\nc: 3\n")
    assert value is None
    assert found[0].code is Code.YAML_ERROR
    assert found[0].place is not None
    assert found[0].place.line == 3


def test_control_characters_have_their_line() -> None:
    found = bad("a: 1\nb: \x01\n")
    assert found.code is Code.YAML_ERROR
    assert found.place is not None
    assert found.place.line == 2


def test_of_several_documents_the_first_is_read() -> None:
    value, found = parse("a: 1\n---\na: 2\n")
    assert value is not None
    assert value.plain() == {"a": 1}
    assert [(each.code, each.place and each.place.line) for each in found] == [(Code.YAML_ERROR, 2)]


def test_anchors_and_merge_keys_are_followed() -> None:
    value = good("base: &b {x: 1, y: 2}\nnode:\n  <<: *b\n  y: 3\nagain: *b\n")
    assert value.plain() == {
        "base": {"x": 1, "y": 2},
        "node": {"x": 1, "y": 3},
        "again": {"x": 1, "y": 2},
    }


def test_an_alias_bomb_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert "expands to more than" in bad("\n".join(lines)).message


def test_an_alias_of_itself_is_refused() -> None:
    assert "*a is not defined" in bad("a: &a [*a]\n").message


@pytest.mark.parametrize("text", ["[" * 5000, "- " * 5000 + "x", "{a: " * 5000])
def test_deep_nesting_is_refused(text: str) -> None:
    assert bad(text).code is Code.YAML_ERROR


@pytest.mark.parametrize(
    "tag", ["!!python/object/apply:os.system ['true']", "!secret x", "!!python/name:os.system ''"]
)
def test_no_tag_makes_an_object(tag: str) -> None:
    found = bad(f"a: {tag}\n")
    assert found.code is Code.YAML_ERROR
    assert "is not read" in found.message


def test_a_wrong_type_is_named_with_the_expected_one() -> None:
    found: list[Diagnostic] = []
    value = good("columns:\n  - name: [a]\nvars: 7\n")
    item = value.items_of("columns")[0]
    assert item.text(found.append, "name") == ""
    assert value.mapping(found.append, "vars") == {}
    assert [str(each) for each in found] == [
        "a.yml:2:11: error[yaml-type]: columns[0].name: expected text, found a list",
        "a.yml:3:7: error[yaml-type]: vars: expected a mapping, found '7'",
    ]


def test_a_key_must_be_text() -> None:
    assert bad("? [a]\n: 1\n").code is Code.YAML_TYPE


def test_a_block_text_begins_on_the_next_line() -> None:
    value = good("hook: |\n  delete from t\nother: x\n")
    assert [each.text_line for each in value.data.values()] == [2, 3]


def test_a_byte_order_mark_is_tolerated(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    file.write_bytes(b"\xef\xbb\xbfname: x\n")
    value = yaml.read(file, unasked)
    assert value is not None
    assert value.plain() == {"name": "x"}


def test_bytes_that_are_not_utf8_have_their_place(tmp_path: Path) -> None:
    file, found = tmp_path / "a.yml", list[Diagnostic]()
    file.write_bytes(b"name: x\nnote: caf\xe9\n")
    value = yaml.read(file, found.append)
    assert value is not None and value.plain() == {"name": "x", "note": "café"}
    assert [(each.code, each.place) for each in found] == [(Code.NOT_UTF8, Place(str(file), 2, 10))]


def test_unreadable_yaml_is_reported(tmp_path: Path) -> None:
    found: list[Diagnostic] = []
    assert yaml.read(tmp_path / "none.yml", found.append) is None
    assert [each.code for each in found] == [Code.UNREADABLE]
