"""Reads the commands and programs that Markdown pages show.

A page shows commands in these forms:

    ```sh            every line is a command
    ```console       lines that begin with `$ ` are commands, followed by their output
    ```text          likewise; the output is an example
    ```yaml          the command of a `run:` step
    ```python        a program, or a console session if it has `>>> `
    an indented      a line that begins with a program's name is a command, which ends at two
                     spaces: an explanation
    block            may follow; a block that begins with an import is a Python program
    `lineal …`       code in the text or in a table
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from enum import Enum
from pathlib import Path
from typing import NamedTuple

CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""A console block, and what is in it."""

COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
"""A command of a console block, and its output."""

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>```+|~~~+) *(?P<language>[\w+-]*).*$")
SPAN = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)")
INDENTED = re.compile(r"^ {4,}\S")
PROGRAM = re.compile(r"^(?:\w+=\S* +)*(?:lineal|pip|make|spark-submit)(?: |$)")
"""A line that calls a program, perhaps with variables set for it: PYSPARK_PYTHON=python3 lineal run
"""
IMPORT = re.compile(r"^\s*(?:import|from) lineal\b", re.MULTILINE)
COMMENT = re.compile(r"(?<!\S)#")
EXPLANATION = re.compile(r"  ")
STEP = re.compile(r"^\s*-? *run: +(.*)$")
CALL = re.compile(r"\blineal\.(?:lineage|spark\.\w+)\(")
CALLS_LINEAL = re.compile(r"\s*(?:\$ +|- run: +)?(?:\w+=\S* +)*lineal ")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")

SHELL_LANGUAGES = ("sh", "bash", "shell", "zsh")
PROMPT_LANGUAGES = ("text", "")
PYTHON_LANGUAGES = ("python", "py")
YAML_LANGUAGES = ("yaml", "yml")


class Form(Enum):
    """How a page shows a command."""

    SHELL = "sh"
    CONSOLE = "console"
    EXAMPLE = "text"
    STEP = "yaml"
    INDENTED = "indented"
    INLINE = "inline"
    PYTHON = "python"
    SESSION = ">>>"

    @property
    def is_python(self) -> bool:
        """Whether it is a program of Python, not a command of the shell."""
        return self in (Form.PYTHON, Form.SESSION)


class Shown(NamedTuple):
    """A command or program on a page."""

    page: str
    line: int
    form: Form
    text: str
    block: int
    """the line at which the block begins, or the line itself where it stands in the text"""
    output: str | None = None
    """what a console block shows below the command"""

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


class Block(NamedTuple):
    """A code block: its language, or None where it is only indented."""

    language: str | None
    line: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


class Prose(NamedTuple):
    """A paragraph, list item or row of a table."""

    line: int
    text: str


class Unreadable(Exception):
    """A page has a code block that does not end."""


FOLDERS = ("start", "how-to", "concepts", "comparisons")
"""The folders of docs/ whose commands are run."""


def pages(root: Path) -> list[Path]:
    """README, the first steps, the guides and the concepts."""
    folders = [root / "docs" / name for name in FOLDERS]
    guides = [page for folder in folders for page in sorted(folder.glob("*.md"))]
    return [root / "README.md", *guides]


def commands_of(root: Path) -> list[Shown]:
    """All commands and programs of README and the guides, in the order of the pages."""
    return [
        shown
        for page in pages(root)
        for shown in shown_in(str(page.relative_to(root)), page.read_text(encoding="utf-8"))
    ]


def shown_in(page: str, text: str) -> list[Shown]:
    """All commands and programs of one page, in their order."""
    found: list[Shown] = []
    for part in parts_of(text, page):
        if isinstance(part, Prose):
            found += inline(page, part)
        else:
            found += in_block(page, part)
    return found


def parts_of(text: str, page: str = "page") -> Iterator[Block | Prose]:
    """A page's code blocks and its text, in their order."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        opening = FENCE.match(lines[at])
        if opening:
            end = fence_end(lines, at, opening, page)
            width = len(opening["indent"])
            inside = tuple(
                line[width:] if not line[:width].strip() else line for line in lines[at + 1 : end]
            )
            yield Block(opening["language"], at + 1, inside)
            at = end + 1
        elif INDENTED.match(lines[at]) and (at == 0 or not lines[at - 1].strip()):
            end = indented_end(lines, at)
            yield Block(None, at + 1, remove_indent(lines[at:end]))
            at = end
        elif lines[at].strip():
            end = prose_end(lines, at)
            yield Prose(at + 1, "\n".join(lines[at:end]))
            at = end
        else:
            at += 1


def fence_end(lines: list[str], start: int, opening: re.Match[str], page: str) -> int:
    """The line that closes a fenced block."""
    for at in range(start + 1, len(lines)):
        closing = lines[at].strip()
        if closing.startswith(opening["fence"]) and not closing.strip(opening["fence"][0]):
            return at
    raise Unreadable(f"{page}:{start + 1}: this code block has no end")


def indented_end(lines: list[str], start: int) -> int:
    """The line after an indented block; empty lines inside belong to it."""
    end = start
    for at in range(start, len(lines)):
        if lines[at].startswith("    "):
            end = at + 1
        elif lines[at].strip():
            break
    return end


def prose_end(lines: list[str], start: int) -> int:
    """The line after a paragraph; each row of a table is one of its own."""
    if lines[start].lstrip().startswith("|"):
        return start + 1
    at = start + 1
    while at < len(lines) and lines[at].strip() and not FENCE.match(lines[at]):
        at += 1
    return at


def remove_indent(lines: list[str]) -> tuple[str, ...]:
    width = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return tuple(line[width:] for line in lines)


def inline(page: str, part: Prose) -> Iterator[Shown]:
    """Code in the text that is a command of lineal or a call of its API."""
    for span in SPAN.finditer(part.text.replace("\n", " ")):
        code = re.sub(r"\s+", " ", span["code"]).strip()
        line = part.line + part.text.count("\n", 0, span.start())
        if PROGRAM.match(code):
            yield Shown(page, line, Form.INLINE, code, line)
        elif CALL.match(code) and "…" not in code:
            yield Shown(page, line, Form.PYTHON, f"import lineal\n{code}\n", line)


def in_block(page: str, block: Block) -> Iterator[Shown]:
    """The commands of a code block."""
    if block.language == "console":
        yield from with_prompt(page, block, Form.CONSOLE)
    elif block.language in SHELL_LANGUAGES:
        for line, text in logical_lines(block):
            command = cut_outside_quotes(text, COMMENT).strip()
            if command:
                yield Shown(page, line, Form.SHELL, command, block.line)
    elif block.language in PYTHON_LANGUAGES:
        yield from python(page, block)
    elif block.language in YAML_LANGUAGES:
        for at, text in enumerate(block.lines, block.line + 1):
            step = STEP.match(text)
            if step and PROGRAM.match(step[1]):
                yield Shown(page, at, Form.STEP, step[1].strip(), block.line)
    elif block.language in PROMPT_LANGUAGES:
        yield from with_prompt(page, block, Form.EXAMPLE)
    elif block.language is None:
        yield from indented_commands(page, block)


def with_prompt(page: str, block: Block, form: Form) -> Iterator[Shown]:
    for command in COMMAND.finditer(block.text):
        line = block.line + 1 + block.text.count("\n", 0, command.start())
        output = command[2] if form is Form.CONSOLE else None
        yield Shown(page, line, form, command[1], block.line, output)


def python(page: str, block: Block) -> Iterator[Shown]:
    """A console session, or a program that imports lineal; other programs are examples of what
    lineal reads.
    """
    if ">>> " in block.text:
        yield Shown(page, block.line, Form.SESSION, block.text, block.line)
    elif IMPORT.search(block.text):
        yield Shown(page, block.line, Form.PYTHON, block.text, block.line)


def indented_commands(page: str, block: Block) -> Iterator[Shown]:
    if IMPORT.match(block.text):
        yield Shown(page, block.line, Form.PYTHON, block.text, block.line)
        return
    for line, text in logical_lines(block):
        if PROGRAM.match(text):
            yield Shown(
                page, line, Form.INDENTED, cut_outside_quotes(text, EXPLANATION), block.line
            )


def logical_lines(block: Block) -> Iterator[tuple[int, str]]:
    r"""Lines with their numbers; one that ends with \ goes on in the next."""
    first = block.line + (0 if block.language is None else 1)
    kept, begun = "", first
    for at, text in enumerate(block.lines, first):
        if not kept:
            begun = at
        joined = f"{kept} {text.strip()}" if kept else text
        if joined.endswith("\\"):
            kept = joined[:-1].rstrip()
        else:
            kept = ""
            yield begun, joined
    if kept:
        yield begun, kept


def cut_outside_quotes(text: str, ending: re.Pattern[str]) -> str:
    """The text up to the first match of `ending` that is not in quotes."""
    quote = ""
    for at, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif ending.match(text, at):
            return text[:at]
    return text.rstrip()


def overlooked_calls(page: str, text: str) -> list[str]:
    """What looks like a call of lineal and is not read here: in a block of an unknown language, or
    misspelt.
    """
    found = []
    for part in parts_of(text, page):
        if isinstance(part, Prose):
            calls = [
                (part.line, span["code"]) for span in SPAN.finditer(part.text.replace("\n", " "))
            ]
            found += [f"{page}:{line}: `{code}`" for line, code in calls if is_misspelt(code)]
            continue
        read = {shown.line for shown in in_block(page, part)}
        first = part.line + (0 if part.language is None else 1)
        for at, line in enumerate(part.lines, first):
            if at in read or is_continuation(part, at - first):
                continue
            if is_misspelt(line) or (part.language != "console" and CALLS_LINEAL.match(line)):
                found.append(f"{page}:{at}: {line.strip()}")
    return found


def is_misspelt(line: str) -> bool:
    """lineol lineage models/      a word that is nearly lineal, and words behind it"""
    words = line.strip().removeprefix("$ ").split()
    if len(words) < 2 or words[0] == "lineal" or not words[0].isalpha():
        return False
    return (
        SequenceMatcher(None, words[0].lower(), "lineal").ratio() > 0.75 and words[0] != "lineage"
    )


def is_continuation(block: Block, at: int) -> bool:
    """Whether the line before this one goes on in it."""
    return at > 0 and block.lines[at - 1].rstrip().endswith("\\")


def options_in(root: Path) -> dict[str, str]:
    """Every option that the text of a page names, such as `--engine both`, with a place where it
    does.
    """
    found: dict[str, str] = {}
    for page in pages(root):
        name = str(page.relative_to(root))
        for part in parts_of(page.read_text(encoding="utf-8"), name):
            if isinstance(part, Prose):
                for span in SPAN.finditer(part.text.replace("\n", " ")):
                    if span["code"].startswith("-"):
                        for option in OPTION.findall(span["code"]):
                            found.setdefault(option, f"{name}:{part.line}")
    return found
