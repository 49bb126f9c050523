"""Files of SQLX: a config block, JavaScript, operations, and SQL with `${…}` in it.

    config { type: "table", schema: "mart" }
    js { const day = "2020-01-01"; }
    SELECT id FROM ${ref("orders")} WHERE day > "${day}"

Every character of the SQL keeps its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lineal.projects.dataform.javascript.trees import Node, parse_expression, parse_program
from lineal.projects.dataform.javascript.words import JavaScriptError, closing_brace
from lineal.projects.lines import blank, line_at

BLOCK = re.compile(
    r"^[ \t]*(config|js|pre_operations|post_operations|incremental_where|input\s+\"[^\"]*\")\s*\{",
    re.MULTILINE,
)
SQL_WORD = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.)*'|\$\{|[{}]", re.DOTALL)
SEPARATOR = re.compile(r"^[ \t]*---[ \t]*$", re.MULTILINE)
"""--- between the statements of an operation."""


@dataclass
class Problem:
    """A mistake in a file: its message and its line."""

    message: str
    line: int


@dataclass
class Sqlx:
    """A file of SQLX, taken apart."""

    config: Node | None = None
    config_line: int = 1
    scripts: list[Node] = field(default_factory=list)
    """The statements of its js blocks."""
    sql: str = ""
    """The file with everything but its SQL blanked; operations end with a semicolon."""
    problems: list[Problem] = field(default_factory=list)


def read_sqlx(text: str) -> Sqlx:
    """Take a file apart; a block that is broken costs only itself."""
    found = Sqlx()
    written: list[str] = []
    at = 0

    while True:
        opened = BLOCK.search(text, at)
        if opened is None:
            break

        word = opened[1].split()[0]
        written.append(text[at : opened.start()])
        end = block_end(text, opened.end() - 1, word, found)
        read_block(text, word, opened.end(), end, found)
        end = past_braces(text, end, word, found)
        whole = text[opened.start() : min(end + 1, len(text))]
        written.append(sql_of_block(whole, word, opened.end() - opened.start()))
        at = min(end + 1, len(text))

    written.append(text[at:])
    found.sql = SEPARATOR.sub(lambda line: ";".ljust(len(line[0])), "".join(written))
    return found


def block_end(text: str, opening: int, word: str, found: Sqlx) -> int:
    """Return the offset of the brace that closes a block; of a broken one a guess."""
    try:
        if word in ("config", "js"):
            return closing_brace(text, opening)

        return closing_sql(text, opening)
    except JavaScriptError as error:
        line = line_at(text, min(error.offset, len(text)))
        found.problems.append(Problem(f"the block {word} {{ is broken: {error}", line))
        guess = re.compile(r"^\}", re.MULTILINE).search(text, opening)
        if guess is not None:
            return guess.start()

        return len(text)


STRAY = re.compile(r"[ \t]*\}+(?=[ \t]*\n)")


def past_braces(text: str, end: int, word: str, found: Sqlx) -> int:
    """Return the end of a block with the braces behind it that are too many."""
    stray = STRAY.match(text, end + 1)
    if stray is None:
        return end

    problem = f"the block {word} {{ has a brace too many"
    found.problems.append(Problem(problem, line_at(text, end)))
    return stray.end() - 1


def closing_sql(text: str, opening: int) -> int:
    """Return the offset of the brace that closes a block of SQL."""
    depth = 0
    at = opening

    while True:
        word = SQL_WORD.search(text, at)
        if word is None:
            raise JavaScriptError("a brace is not closed", opening)

        at = word.end()
        if word[0] == "${":
            at = closing_brace(text, word.end() - 1) + 1
        elif word[0] == "{":
            depth += 1
        elif word[0] == "}":
            depth -= 1
            if depth == 0:
                return word.start()


def read_block(text: str, word: str, start: int, end: int, found: Sqlx) -> None:
    """Read a config or js block."""
    try:
        if word == "config":
            found.config_line = line_at(text, start)
            found.config = parse_expression(text, start - 1, end + 1)
        elif word == "js":
            found.scripts += parse_program(text, start, end)
    except JavaScriptError as error:
        line = line_at(text, min(error.offset, len(text)))
        found.problems.append(Problem(f"the block {word} {{ is broken: {error}", line))


def sql_of_block(whole: str, word: str, opening: int) -> str:
    """Return what stays of a block in the SQL: operations do, between semicolons."""
    if not word.endswith("_operations"):
        return blank(whole)

    head = blank(whole[:opening])
    return ";" + head[1:] + whole[opening:-1] + ";"


@dataclass(frozen=True)
class Hole:
    """${…} in SQL: where it is, and its expression."""

    start: int
    end: int
    node: Node


def holes_of(sql: str, problems: list[Problem]) -> list[Hole]:
    """Return the expressions in a text of SQL, those in comments left out."""
    found: list[Hole] = []
    at = 0
    marks = re.compile(r"--[^\n]*|/\*.*?\*/|\$\{", re.DOTALL)

    while (word := marks.search(sql, at)) is not None:
        at = word.end()
        if word[0] != "${":
            continue

        try:
            end = closing_brace(sql, word.end() - 1)
            found.append(Hole(word.start(), end + 1, parse_expression(sql, word.end(), end)))
            at = end + 1
        except JavaScriptError as error:
            line = line_at(sql, min(error.offset, len(sql)))
            problems.append(Problem(f"this expression is not read: {error}", line))

    return found
