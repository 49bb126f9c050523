"""The word checker flags how we do not write, and leaves alone how we do."""

from __future__ import annotations

import pytest

from words import (
    Passage,
    check,
    introduction_of,
    prose_of_module,
    prose_of_page,
    prose_of_script,
    prose_of_tests,
    read_rules,
)

RULES = read_rules()


def flagged(text: str) -> set[str]:
    found = check(RULES, [Passage("page.md", 1, text)])
    return {name for name, hits in found.items() if hits}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (
            "One finding is one definition that was changed, with everything that is another one.",
            "another-one",
        ),
        ("lineal takes, of the time that sqlglot needs to parse the text, 1.48", "split-verb"),
        ("An entry that is damaged is not there; a folder without rights is no error.", "is-no"),
        ("Keep lineage in a store, and ask it what is and what was.", "headless-clause"),
        ("It marks a column that no value is made of, and that decides the rows.", "that-no"),
        ("Rewrites leave alone text that has another meaning.", "another-one"),
        ("The versions stand in a file.", "stands-for-is"),
        ("The catalogue is analysed in colour.", "american-spelling"),
        ("word " * 40 + ".", "long-sentence"),
        ("Each model runs in a process of its own.", "of-its-own"),
        ("The file is beside the model.", "beside"),
        ("It is built anew for whoever asks.", "archaic"),
        ("It writes the events, one a line.", "one-a-line"),
        ("It reads files outside of the folder.", "outside-of"),
        ("The statement is not carried out.", "carried-out"),
        ("It holds every change against the policy.", "hold-against"),
        ("Columns are described otherwise than their source.", "otherwise-than"),
        ("It reads 3.0 rows a statement.", "one-a-line"),
        ("The other statements go on.", "goes-on"),
        ("A time that is none is an error.", "is-none"),
        ("It names a column that is not there.", "that-is-not-there"),
        ("It is a name of which only a run knows parts.", "of-which-only-a-run-knows"),
    ],
)
def test_forbidden_patterns_are_flagged(text: str, rule: str) -> None:
    assert rule in flagged(text)


@pytest.mark.parametrize(
    "text",
    [
        "Each finding covers one changed definition.",
        "lineal resolves every column in 1.5× the time sqlglot needs to parse the text.",
        "Damaged cache entries are ignored. If the folder is read-only, lineal runs without a cache.",
        "Save lineage to a database and query its history.",
        "The column filters, joins or groups rows but does not feed any output value.",
        "Move tree disposal to its own module.",
        "There is no cache. It is no longer read. The name stands for a table.",
    ],
)
def test_plain_sentences_pass(text: str) -> None:
    assert flagged(text) == set()


@pytest.mark.parametrize("kind", ["message", "label", "test"])
def test_messages_and_titles_report(kind: str) -> None:
    passages = [Passage("m.py", 1, "a full disk is said", kind)]
    assert check(RULES, passages)["is-said"]


def test_code_tables_and_headings_are_not_prose() -> None:
    page = "# What is it\n\nA catalogue.\n\n```sh\nanalyse\n```\n\n| colour |\n\nSee `colour`.\n"
    passages = list(prose_of_page("p.md", page))
    assert [(each.line, each.text) for each in passages] == [(3, "A catalogue."), (11, "See x.")]


def test_docstrings_and_help_texts_are_prose() -> None:
    module = '"""First.\n\nexample\n"""\noption("--x", help="Colour.")\ndef f():\n    """Do."""\n'
    texts = sorted(each.text for each in prose_of_module("m.py", module))
    assert texts == ["Colour.", "Do.", "First."]


def test_messages_and_comments_are_prose() -> None:
    module = 'raise E(f"{path} is no file of ours")\n# A colour\n# of a line.\nQUERY = "SELECT a FROM b"\n'
    texts = [each.text for each in prose_of_module("m.py", module)]
    assert texts == [" is no file of ours", "A colour\nof a line."]


def test_titles_and_docstrings_of_tests_are_prose() -> None:
    module = 'def test_an_x_is_no_y():\n    """Say what is."""\n\ndef helper(): ...\n'
    texts = [(each.kind, each.text) for each in prose_of_tests("t.py", module) if each.text]
    assert texts == [("test", "Say what is."), ("test", "an x is no y")]


def test_sessions_and_indented_code_are_not_prose() -> None:
    page = "Text.\n\n    lineal colour\n\n>>> analyse()\ncolour\n\nMore text.\n"
    assert [each.text for each in prose_of_page("p.md", page)] == ["Text.", "More text."]


def test_a_rule_applies_to_its_kinds_only() -> None:
    text = "a process of its own"
    assert not any(check(RULES, [Passage("m.py", 1, text, "comment")]).values())


def test_the_title_of_a_case_is_prose() -> None:
    assert (
        introduction_of("# A colour\n\nOf t.\n\n```sql\nSELECT 1\n```\n")
        == "# A colour\n\nOf t.\n\n"
    )


def test_labels_of_the_page_are_prose() -> None:
    script = 'const label = "the list has no rows";\nconst key = "ctrl";\n'
    assert [each.text for each in prose_of_script("p.ts", script)] == ["the list has no rows"]


def test_the_repository_keeps_its_limits() -> None:
    from words import passages

    found = check(RULES, list(passages()))
    limits = {rule.name: rule.limit for rule in RULES.rules}
    assert {name: len(found[name]) for name in limits if len(found[name]) > limits[name]} == {}
    assert len(found["long-sentence"]) <= RULES.most_long_sentences
