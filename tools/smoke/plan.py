"""Decides what is done with each command that a page shows: where it is run, or why it is only
checked.

The extra that a command belongs to follows from rules; commands.toml has what no rule can tell.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from smoke.documents import Form, Shown, commands_of, options_in, overlooked_calls, pages

BASE = "base"
EXTRAS = (
    BASE,
    "spark",
    "postgres",
    "sqlalchemy",
    "openlineage",
    "jupyter",
    "mcp",
    "lsp",
    "datahub",
    "prove",
)
"""The environments: what `pip install lineal` gives, and each extra that the pages name."""

DEVELOPMENT = ("test", "lint", "dataframes", "web", "bench", "docs", "release")
"""The extras that only the tests and benchmarks of this repository use; no page names them."""

RULES = (
    ("postgres", re.compile(r"postgresql://")),
    ("prove", re.compile(r"--prove\b")),
    ("sqlalchemy", re.compile(r"--schema-from\b")),
    ("spark", re.compile(r"^(?:\w+=\S* +)*(?:lineal (?:run|capture|pipeline)|spark-submit)\b")),
    ("spark", re.compile(r"--engine (?:both|catalyst)\b")),
    ("spark", re.compile(r"\blineal\.spark\b")),
    ("mcp", re.compile(r"\blineal mcp\b")),
    ("lsp", re.compile(r"\blineal lsp\b")),
    ("datahub", re.compile(r"\blineal emit\b.* --to datahub --native\b")),
    ("openlineage", re.compile(r"\blineal emit\b.* --(?:url|transport)\b")),
)
"""The first pattern that a command has says its extra; a command without any needs none."""

NOTEBOOK = re.compile(r"\.show\(")
"""A program that shows something in a notebook: with the extra a widget, without it HTML."""

INSTALL = re.compile(r"pip install\b.*\blineal\[([\w,-]+)\]")
NAMED_EXTRA = re.compile(r"lineal\[([\w,-]+)\]|`\[([\w,-]+)\]`")
COMMAND_BLOCKS = (Form.SHELL, Form.CONSOLE, Form.EXAMPLE, Form.STEP, Form.INDENTED)
SIMPLE = re.compile(r"^(?:\w+=\S* +)*lineal [^|&;<>$`]*$")
"""A call of lineal that no shell is needed to read."""
PLACEHOLDER = re.compile(r"…|\[[A-Z]|(?<![\w-])[A-Z]{3,}(?![\w.-])")
"""A part of a command that the reader replaces: LOG, COLUMN, [HEAD], …"""


class Action(Enum):
    """What is done with a command."""

    RUN = "run"
    CHECK = "checked"
    MENTION = "mentioned"
    INSTALL = "installed"
    MAKE = "made"


class Step(NamedTuple):
    """A command and what is done with it."""

    shown: Shown
    action: Action
    extra: str = BASE
    text: str = ""
    """the command that is run: the one on the page, or the one that stands in for it"""
    reason: str = ""
    """why it is only checked, or why another command stands in for it"""
    code: int = 0
    """the exit code that it must have"""
    beside: str = ""
    """a server that has to run meanwhile"""


class Note(NamedTuple):
    """What commands.toml says of one command."""

    needs: str = ""
    run: str = ""
    extra: str = ""
    code: int = 0
    beside: str = ""
    mention: bool = False


class Setup(NamedTuple):
    """A command that makes what a page takes for granted."""

    page: str
    run: str
    extra: str = BASE


class Notes(NamedTuple):
    """The content of commands.toml."""

    commands: Mapping[str, Note]
    setup: Sequence[Setup]


class Uncovered(Exception):
    """Documents and smoke do not fit together; each line says where."""


def read_notes(file: Path) -> Notes:
    """Reads commands.toml; a key that means nothing is an error."""
    content: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    commands = {}
    for row in content.pop("command", []):
        text = row.pop("text")
        if text in commands:
            raise Uncovered(f"{file.name}: two entries for: {text}")
        check_keys(file, row, Note._fields)
        commands[text] = Note(**row)
    rows = content.pop("setup", [])
    for row in rows:
        check_keys(file, row, Setup._fields)
    check_keys(file, content, ())
    return Notes(commands, [Setup(**row) for row in rows])


def check_keys(file: Path, row: Mapping[str, Any], known: Sequence[str]) -> None:
    unknown = [key for key in row if key not in known]
    if unknown:
        raise Uncovered(f"{file.name}: unknown key: {', '.join(unknown)}")


class Parsed(NamedTuple):
    """What lineal's parser says of some arguments: complete, partial or wrong, and why."""

    status: str
    message: str


class Answer(NamedTuple):
    """What lineal's parser says of many, and all options that it knows."""

    found: Sequence[Parsed]
    options: set[str]


def make_plan(root: Path, notes: Notes, ask: Callable[[list[list[str]]], Answer]) -> list[Step]:
    """What is done with every command of the pages; Uncovered if one of them, or what it names, is
    not there.
    """
    shown = commands_of(root)
    mentions = [one for one in shown if one.form is Form.INLINE and one.text.startswith("lineal ")]
    blocks = [one for one in shown if one.form in COMMAND_BLOCKS and SIMPLE.match(one.text)]
    answer = ask(
        [
            *(one.text.split()[1:] for one in mentions),
            *(simple_arguments(one.text) for one in blocks),
        ]
    )
    parsed = {one.text: found for one, found in zip(mentions, answer.found, strict=False)}
    steps = plan(shown, notes, parsed)
    wrong = [
        *(
            f"{place}: looks like a command, and is not read as one"
            for place in all_overlooked(root)
        ),
        *wrong_mentions(mentions, parsed),
        *wrong_blocks(blocks, answer.found[len(mentions) :]),
        *(
            f"{place}: no command has the option {option}"
            for option, place in options_in(root).items()
            if option not in answer.options
        ),
        *problems(root, steps),
    ]
    if wrong:
        raise Uncovered("\n".join(wrong))
    return steps


def all_overlooked(root: Path) -> list[str]:
    return [
        place
        for page in pages(root)
        for place in overlooked_calls(str(page.relative_to(root)), page.read_text(encoding="utf-8"))
    ]


def simple_arguments(text: str) -> list[str]:
    """X=1 lineal lineage 'a b'      lineage, a b"""
    words = shlex.split(text)
    return words[words.index("lineal") + 1 :]


def wrong_blocks(blocks: Sequence[Shown], found: Sequence[Parsed]) -> list[str]:
    """Commands in code blocks that lineal does not know. Whether their values exist is known where
    they are run.
    """
    return [
        f"{one.place}: `{one.text}`: {parsed.message}"
        for one, parsed in zip(blocks, found, strict=True)
        if parsed.status == "wrong" and not parsed.message.startswith("Invalid value")
    ]


def wrong_mentions(mentions: Sequence[Shown], parsed: Mapping[str, Parsed]) -> list[str]:
    """Commands in the text that lineal does not know; a value may be a placeholder."""
    return [
        f"{one.place}: `{one.text}`: {parsed[one.text].message}"
        for one in mentions
        if parsed[one.text].status == "wrong"
        and not is_placeholder_value(one.text, parsed[one.text])
    ]


def is_placeholder_value(text: str, found: Parsed) -> bool:
    """lineal impact COLUMN --change …      what is wrong is the value, which the reader replaces"""
    return found.message.startswith("Invalid value") and bool(PLACEHOLDER.search(text))


def plan(shown: Sequence[Shown], notes: Notes, parsed: Mapping[str, Parsed]) -> list[Step]:
    """What is done with every command; `parsed` has what lineal's parser says of the commands in
    the text.
    """
    check_notes(shown, notes)
    extras = {one: extra_of(one, shown, notes) for one in shown}
    steps: list[Step] = []
    taken = {(one.text, extras[one]) for one in shown if one.form is not Form.INLINE}
    for one in shown:
        if one.form is Form.INLINE:
            steps.append(step_of_mention(one, extras[one], notes, parsed, taken))
        else:
            steps += steps_of_block(one, extras[one], notes)
    return steps


def check_notes(shown: Sequence[Shown], notes: Notes) -> None:
    texts = {one.text for one in shown}
    named = {one.page for one in shown}
    stale = [
        f"commands.toml: no page shows this any more: {text}"
        for text in notes.commands
        if text not in texts
    ]
    stale += [
        f"commands.toml: there is no page {setup.page}"
        for setup in notes.setup
        if setup.page not in named
    ]
    if stale:
        raise Uncovered("\n".join(stale))


def extra_of(one: Shown, shown: Sequence[Shown], notes: Notes) -> str:
    """By the note, else by a `pip install` in the same block, else by the rules."""
    note = notes.commands.get(one.text, Note())
    if note.extra:
        return note.extra
    if one.form is Form.SHELL:
        for other in shown:
            installed = INSTALL.search(other.text)
            if installed and (other.page, other.block, other.form) == (
                one.page,
                one.block,
                one.form,
            ):
                return installed[1]
    return next((extra for extra, pattern in RULES if pattern.search(one.text)), BASE)


def step_of_mention(
    one: Shown, extra: str, notes: Notes, parsed: Mapping[str, Parsed], taken: set[tuple[str, str]]
) -> Step:
    """A command in the text is run if it is a whole one that is run nowhere else."""
    apart = step_apart(one)
    if apart is not None:
        return apart
    whole = (
        one.text in parsed
        and parsed[one.text].status == "complete"
        and not PLACEHOLDER.search(one.text)
    )
    if not whole or (one.text, extra) in taken or notes.commands.get(one.text, Note()).mention:
        return Step(one, Action.MENTION, BASE, one.text)
    taken.add((one.text, extra))
    return step_by_note(one, extra, notes)


def steps_of_block(one: Shown, extra: str, notes: Notes) -> list[Step]:
    apart = step_apart(one)
    if apart is not None:
        return [apart]
    steps = [step_by_note(one, extra, notes)]
    if one.form.is_python and NOTEBOOK.search(one.text):
        steps.append(step_by_note(one, "jupyter", notes))
    return steps


def step_apart(one: Shown) -> Step | None:
    """pip and make do what this smoke does itself; a program's bare name does nothing."""
    words = one.text.split()
    if one.form.is_python:
        return None
    if words[0] == "pip":
        return Step(one, Action.INSTALL, BASE, one.text, "an environment")
    if words[0] == "make":
        return Step(one, Action.MAKE, BASE, one.text, "a target of the Makefile")
    if len(words) == 1:
        return Step(one, Action.MENTION, BASE, one.text)
    return None


def step_by_note(one: Shown, extra: str, notes: Notes) -> Step:
    note = notes.commands.get(one.text, Note())
    if note.needs and not note.run:
        return Step(one, Action.CHECK, BASE, one.text, f"needs {note.needs}")
    reason = f"needs {note.needs}" if note.needs else ""
    return Step(one, Action.RUN, extra, note.run or one.text, reason, note.code, note.beside)


def refusals(steps: Sequence[Step]) -> list[Step]:
    """One command of each kind that needs an extra: without it, the command must say which extra
    that is.
    """
    found: dict[tuple[str, ...], Step] = {}
    for step in steps:
        rule = next(
            (
                pattern
                for extra, pattern in RULES
                if extra == step.extra and pattern.search(step.text)
            ),
            None,
        )
        as_shown = step.text == step.shown.text and step.text.startswith("lineal ")
        if step.action is Action.RUN and rule is not None and as_shown:
            found.setdefault((step.extra, rule.pattern, step.text.split()[1]), step)
    return list(found.values())


def problems(root: Path, steps: Sequence[Step]) -> list[str]:
    """What a page names and is not there, extras and targets of make; and extras that nobody names
    or runs.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = set(project["optional-dependencies"])
    named = extras_on_pages(root)
    kept = set(EXTRAS) - {BASE}
    rest = declared - kept - set(DEVELOPMENT)
    return [
        *unknown_targets(root, steps),
        *(
            f"{step.shown.place}: no environment is made for lineal[{step.extra}]: {step.text}"
            for step in steps
            if step.extra not in EXTRAS
        ),
        *(
            f"{place}: the extra {name} has no environment"
            for name, place in named.items()
            if name not in kept
        ),
        *(f"pyproject.toml: no page names the extra {name}" for name in sorted(kept - set(named))),
        *(f"pyproject.toml: there is no extra {name}" for name in sorted(kept - declared)),
        *(f"pyproject.toml: the extra {name} has no environment" for name in sorted(rest)),
    ]


def unknown_targets(root: Path, steps: Sequence[Step]) -> Iterator[str]:
    """make tset      a target that the Makefile does not have"""
    targets = re.findall(
        r"^([a-z-]+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    for step in steps:
        words = step.text.split()
        if step.action is Action.MAKE and len(words) > 1 and words[1] not in targets:
            yield f"{step.shown.place}: the Makefile has no target {words[1]}"


def extras_on_pages(root: Path) -> dict[str, str]:
    """Every extra that README or a guide names, with a page that does."""
    found: dict[str, str] = {}
    for page in pages(root):
        for name in extras_named(page.read_text(encoding="utf-8")):
            found.setdefault(name, str(page.relative_to(root)))
    return found


def extras_named(text: str) -> list[str]:
    """pip install 'lineal[spark,postgres]'      spark, postgres"""
    return [
        name
        for groups in NAMED_EXTRA.findall(text)
        for group in groups
        for name in group.split(",")
        if name
    ]
