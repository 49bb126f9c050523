"""Descriptions written into YAML: only additions change the file, in every way that YAML may be
written.
"""

from __future__ import annotations

import difflib

import pytest

from lineal.model.diagnostic import Place
from lineal.projects import yaml
from lineal.projects.columns import read_columns
from lineal.projects.descriptions import Fill, FilledText, write_descriptions
from lineal.projects.scalars import scalar


def fill_in(text: str, texts: dict[str, str], dataset: str = "mart") -> FilledText:
    """Descriptions for the columns of the file's root mapping, or of the model of that name in a
    dbt file.
    """
    problems: list[object] = []
    about = yaml.parse(text, "m.yml", problems.append)
    assert about is not None and not problems
    models = about.get("models")
    if models is not None:
        about = next(model for model in models.data if model.data["name"].raw == dataset)
    known = {
        column.name: column.place for column in read_columns(about.get("columns"), problems.append)
    }
    fills = [
        Fill(dataset, name, said, about.place, known.get(name)) for name, said in texts.items()
    ]
    return write_descriptions(text, fills)


def added(before: str, after: str) -> list[str]:
    """The lines that are new; a line that is gone fails."""
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    assert [line for line in lines if line.startswith("- ")] == []
    return [line[2:] for line in lines if line.startswith("+ ")]


LINES = """\
# the orders
version: 2   # of the form
columns:
  # keys first
  - name: id     # the key
    tests: [unique]   # yes
  - name: 'amount'
    type: "DECIMAL(10,2)"\t# tabs	in comments
    # about the amount
    tests:
      - not_null

  - tests: [x]
    name: note
# the end
"""


def test_a_description_goes_below_the_type_or_the_name() -> None:
    made = fill_in(LINES, {"id": "Key", "amount": "Sum: in EUR", "note": "# what was said"})
    assert made.refused == []
    assert added(LINES, made.text) == [
        "    description: Key",
        '    description: "Sum: in EUR"',
        '    description: "# what was said"',
    ]
    lines = made.text.splitlines()
    assert lines.index("    description: Key") == lines.index("  - name: id     # the key") + 1
    assert (
        lines.index('    description: "Sum: in EUR"') == lines.index("    # about the amount") - 1
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("columns: [id, amount]", "columns: [{name: id, description: Key}, amount]"),
        ("columns: ['id' , amount]  # x", "columns: [{name: id, description: Key} , amount]  # x"),
        (
            "columns:\n- id # key\n- amount",
            "columns:\n- name: id # key\n  description: Key\n- amount",
        ),
        ("columns:\n  -   id\n  - b", "columns:\n  -   name: id\n      description: Key\n  - b"),
        ("columns: [{name: id}]", "columns: [{name: id, description: Key}]"),
        (
            "columns: [{name: id, type: int, }]",
            "columns: [{name: id, type: int, description: Key, }]",
        ),
        ("columns: [{name: id, description: ''}]", "columns: [{name: id, description: Key}]"),
        (
            "columns: [{name: id, description: , x: 1}]",
            "columns: [{name: id, description: Key, x: 1}]",
        ),
        ("columns: {id: int}", "columns: {id: {type: int, description: Key}}"),
        (
            "columns:\n  id: DECIMAL(10,2) # x",
            'columns:\n  id: {type: "DECIMAL(10,2)", description: Key} # x',
        ),
        ("columns:\n  id:\n  b: int", "columns:\n  id: {description: Key}\n  b: int"),
        ("columns:\n  id: {}", "columns:\n  id: {description: Key}"),
        (
            "columns:\n  id:\n    type: int\n    x: 1",
            "columns:\n  id:\n    type: int\n    description: Key\n    x: 1",
        ),
        (
            "columns:\n- name: id\n  description:  # todo",
            "columns:\n- name: id\n  description: Key  # todo",
        ),
        ("columns:\n- name: id\n  description: ''", "columns:\n- name: id\n  description: Key"),
        ("columns:\n- name: id\n  description: ~\n", "columns:\n- name: id\n  description: Key\n"),
        ("columns:\n- name: id", "columns:\n- name: id\n  description: Key"),
        (
            "columns:\r\n- name: id\r\nx: 1\r\n",
            "columns:\r\n- name: id\r\n  description: Key\r\nx: 1\r\n",
        ),
        (
            "columns:\n- name: >-\n    id\n  type: int\n",
            "columns:\n- name: >-\n    id\n  type: int\n  description: Key\n",
        ),
        ("columns:\n- &k\n  name: id\n", "columns:\n- &k\n  name: id\n  description: Key\n"),
        (
            "b: &b {type: int}\ncolumns:\n- <<: *b\n  name: id\n",
            "b: &b {type: int}\ncolumns:\n- <<: *b\n  name: id\n  description: Key\n",
        ),
        (
            "---\ncolumns:\n- name: id\n...\n",
            "---\ncolumns:\n- name: id\n  description: Key\n...\n",
        ),
        ("é: '𝄞' # ü\ncolumns: [é, id]", "é: '𝄞' # ü\ncolumns: [é, {name: id, description: Key}]"),
    ],
)
def test_however_a_column_is_listed(before: str, after: str) -> None:
    made = fill_in(before, {"id": "Key"})
    assert made.refused == []
    assert made.text == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("kind: sql", "kind: sql\ncolumns:\n  - name: id\n    description: Key"),
        (
            "kind: sql\ncolumns:   # none yet\nx: 1\n",
            "kind: sql\ncolumns:   # none yet\n  - name: id\n    description: Key\nx: 1\n",
        ),
        (
            "kind: sql\ntext: |\n  some\n  lines\n\n# end\n",
            "kind: sql\ntext: |\n  some\n  lines\ncolumns:\n  - name: id\n    description: Key\n\n# end\n",
        ),
        ("columns: []", "columns: [{name: id, description: Key}]"),
        ("columns: {}", "columns: {id: {description: Key}}"),
        ("columns: [a,]", "columns: [a, {name: id, description: Key},]"),
        ("columns: {a: int, b}", "columns: {a: int, b, id: {description: Key}}"),
        (
            "columns:\n- name: a\n  tests:\n  - x   # x\n# end\nkind: sql",
            "columns:\n- name: a\n  tests:\n  - x   # x\n- name: id\n  description: Key\n# end\nkind: sql",
        ),
        (
            "columns:\n  -   name: a\n",
            "columns:\n  -   name: a\n  -   name: id\n      description: Key\n",
        ),
        (
            "columns:\n  a: {type: int}\nx: 1",
            "columns:\n  a: {type: int}\n  id: {description: Key}\nx: 1",
        ),
        ("columns:\n  a:\nx: 1", "columns:\n  a:\n  id: {description: Key}\nx: 1"),
    ],
)
def test_a_column_that_is_not_listed_is_added(before: str, after: str) -> None:
    made = fill_in(before, {"id": "Key"})
    assert made.refused == []
    assert made.text == after


def test_new_columns_come_behind_a_description_of_the_last_one() -> None:
    made = fill_in("columns:\n- name: a\n", {"b": "B", "a": "A", "c": "C"})
    expected = (
        "- name: a\n  description: A\n- name: b\n  description: B\n- name: c\n  description: C\n"
    )
    assert made.text == f"columns:\n{expected}"


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("a: &k {name: id}\ncolumns: [*k]\n", "several places"),
        ("a: &k [b]\ncolumns: *k\n", "several places"),
        ("{kind: sql}\n", "separate lines"),
        ("kind: sql\ncolumns: null\n", "neither a list nor a mapping"),
        ("columns:\n- name: |-\n    id\n", "no simple line"),
        ("columns:\n- name: id\n  description: |-\n", "unusual"),
        ("columns:\n- name: id\n  description: Another\n", "it has a description"),
        ("kind: sql\ntext: |+\n  some\n\n", "without changing something else"),
    ],
)
def test_yaml_that_cannot_be_edited_safely_is_left_alone(before: str, reason: str) -> None:
    made = fill_in(before, {"id": "Key"})
    assert made.text == before
    assert [reason in why for _, why in made.refused] == [True]


def test_one_that_is_refused_does_not_cost_the_others() -> None:
    before = "x: &k {name: b}\ncolumns:\n- name: a\n- *k\n- name: c\n"
    made = fill_in(before, {"a": "A", "b": "B", "c": "C", "d": "D"})
    assert [str(fill) for fill, _ in made.refused] == ["mart.b"]
    assert added(before, made.text) == [
        "  description: A",
        "  description: C",
        "- name: d",
        "  description: D",
    ]


def test_of_several_models_in_a_file_the_right_one_is_edited() -> None:
    columns = "    columns:\n      - name: id\n"
    before = f"models:\n  - name: other\n{columns}  - name: mart\n{columns}"
    made = fill_in(before, {"id": "Key", "more": "More"})
    assert (
        made.text
        == before + "        description: Key\n      - name: more\n        description: More\n"
    )
    before = "models:\n  - name: mart\n    description: x\n  - name: other\n"
    made = fill_in(before, {"id": "Key"})
    assert added(before, made.text) == [
        "    columns:",
        "      - name: id",
        "        description: Key",
    ]


TEXTS = [
    "Key",
    "yes",
    "null",
    "~",
    "1.0",
    "2024-01-01",
    "0x1F",
    "a: b",
    "a:b",
    "a #b",
    "a#b",
    "- a",
    "? a",
    "{{ doc('x') }}",
    "it's",
    'say "hi"',
    'it\'s "so"',
    "back\\slash",
    "two\nlines\n",
    "tab\there",
    " spaces ",
    "",
    "é𝄞",
    "\u2028",
    "\x07",
    "\x85",
    "\ufeff",
    "a, b",
    "[x]",
    "%x",
    "@x",
    "`x`",
    "*x",
    "&x",
    "!x",
    "|",
    ">",
    "a:",
    "x" * 5000,
    "=",
    "<<",
    "on",
    "#",
    "'",
    '"',
]


@pytest.mark.parametrize("flow", [False, True])
@pytest.mark.parametrize("text", TEXTS)
def test_every_text_is_read_back_as_it_was(text: str, flow: bool) -> None:
    written = scalar(text, flow=flow)
    document = f"a: {{k: {written}, l: 1}}" if flow else f"a:\n  k: {written}\n  l: 1"
    problems: list[object] = []
    value = yaml.parse(document, "", problems.append)
    assert problems == [] and value is not None
    assert value.plain() == {"a": {"k": text, "l": 1}}
    assert "\n" not in written


def test_a_place_that_no_longer_exists() -> None:
    fill = Fill("mart", "id", "Key", Place("m.yml", 1, 1), Place("m.yml", 7, 7))
    assert [why for _, why in write_descriptions("kind: sql\n", [fill]).refused] == [
        "the file does not say so any more"
    ]
