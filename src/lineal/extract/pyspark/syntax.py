"""Python that the running interpreter does not parse: Python 2, newer syntax, and mistakes.

Statements of Python 2 and of newer versions are rewritten where nothing is lost by it. Any other
statement with a mistake is left out, and the rest of the file is read.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import warnings
from collections.abc import Callable
from typing import NamedTuple

from lineal.model.diagnostic import Code

MOST_MISTAKES = 25
"""Mistakes of one file that are worked around."""

MOST_CHARACTERS = 20_000_000
"""Characters that are parsed again for the mistakes of one file, in all."""

RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"


class Problem(NamedTuple):
    """A place that the interpreter does not parse."""

    code: Code
    message: str
    line: int
    column: int
    hint: str


class Parsed(NamedTuple):
    """The syntax tree of what can be parsed, and the places that cannot."""

    tree: ast.Module
    problems: list[Problem]


def parse_python(text: str) -> Parsed:
    """Parse a file, statement by statement around its mistakes."""
    problems: list[Problem] = []
    spent = 0
    for _ in range(MOST_MISTAKES):
        try:
            return Parsed(parse_quietly(text), problems)
        except SyntaxError as error:
            spent += len(text)
            after = text if spent > MOST_CHARACTERS else work_around(text, error, problems)
            if after == text:
                break

            text = after

    problems.append(
        Problem(Code.PARSE_ERROR, "the file has too many mistakes to be read", 1, 1, ADVICE)
    )
    return Parsed(ast.Module([], []), problems)


def parse_quietly(text: str) -> ast.Module:
    """Parse without the warnings that are meant for the author."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


ADVICE = (
    f"Correct the statement; the rest of the file is read. Syntax that is newer than Python "
    f"{RUNNING} needs lineal to run on that version."
)
ADVICE_FOR_TWO = "print, except and raise are read alike; check divisions of whole numbers."
ADVICE_FOR_NEWER = f"Run lineal on that version; this is Python {RUNNING}."


def work_around(text: str, error: SyntaxError, problems: list[Problem]) -> str:
    """Return the text without one mistake: rewritten, or with the statement left out."""
    lines = text.split("\n")
    number = min(max(error.lineno or 1, 1), len(lines))
    owner = re.search(r"after .* on line (\d+)", error.msg or "")
    if owner is not None:
        number = min(int(owner[1]), len(lines))

    column = error.offset or 1
    for rewrite in REWRITES:
        changed = rewrite.change(lines, number - 1)
        if changed is not None and changed != lines:
            note = Problem(Code.NEAREST_DIALECT, rewrite.message, number, column, rewrite.hint)
            if all(each.message != note.message for each in problems):
                problems.append(note)

            return "\n".join(changed)

    problems.append(
        Problem(Code.PARSE_ERROR, f"not valid Python: {error.msg}", number, column, ADVICE)
    )
    is_indent = isinstance(error, IndentationError) and owner is None
    return "\n".join(without_statement(lines, number - 1, is_indent))


# -- statements that are left out ------------------------------------------------------------------


def without_statement(lines: list[str], at: int, is_indent: bool) -> list[str]:
    """Return the lines with `pass` in place of the statement around a line, and its block."""
    start = at if is_indent else start_of_statement(lines, at)
    indent = indent_of(lines[start])
    while start > 0 and lines[start - 1].startswith(" " * indent + "@"):
        start -= 1

    end = start + 1
    while end < len(lines) and belongs_to_statement(lines[end], indent, end <= at):
        end += 1

    head = "" if is_indent else lines[start][:indent] + "pass"
    if lines[start:end] == [head, *[""] * (end - start - 1)]:
        start = max(start - 1, 0)
        head = lines[start][: indent_of(lines[start])] + "pass"
        if lines[start] == head:
            head = ""

    return [*lines[:start], head, *[""] * (end - start - 1), *lines[end:]]


def belongs_to_statement(line: str, indent: int, is_before: bool) -> bool:
    """Whether a line belongs to the statement that begins above it with so much indentation."""
    stripped = line.strip()
    return is_before or not stripped or indent_of(line) > indent or stripped[0] in ")]}"


def indent_of(line: str) -> int:
    """Return how many characters of white space a line begins with."""
    return len(line) - len(line.lstrip())


SILENT = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)


def start_of_statement(lines: list[str], at: int) -> int:
    """Return the line that the statement around a line begins with."""
    first: int | None = None
    text = io.StringIO("\n".join(lines[: at + 1]) + "\n")
    try:
        for token in tokenize.generate_tokens(text.readline):
            row = token.start[0] - 1
            if row > at:
                break

            if token.type == tokenize.NEWLINE and row < at:
                first = None
            elif first is None and token.type not in SILENT and token.string.strip():
                first = row
    except (tokenize.TokenError, SyntaxError):
        pass

    if first is None:
        return at

    return first


# -- statements that are rewritten -----------------------------------------------------------------


class Rewrite(NamedTuple):
    """How the syntax of another version is read, without the loss of a word."""

    message: str
    hint: str
    change: Callable[[list[str], int], list[str] | None]


PRINT = re.compile(r"^([ \t]*)print\b(?![ \t]*[=(.,\[])[ \t]*\S.*$")
EXCEPT = re.compile(r"^([ \t]*except\s+(?:\([^)]*\)|[\w.]+))\s*,\s*(\w+)\s*:")
RAISE = re.compile(r"^([ \t]*raise\s+[\w.]+)\s*,\s*(.+)$")
LONG = re.compile(r"(?<![\w.\"'])(\d+)[lL]\b")
UNEQUAL = re.compile(r"<>")
GENERIC = re.compile(r"^([ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+\w+)\[[^\]]*\]")
ALIAS = re.compile(r"^([ \t]*)type[ \t]+(\w+)(?:\[[^\]]*\])?[ \t]*=")
F_STRING = re.compile(r"\b(?:[fF][rR]?|[rR][fF])(\"\"\"|'''|\"|')")


def read_as_three(lines: list[str], at: int) -> list[str] | None:
    """Rewrite the statements of Python 2: print "x", except E, e, raise E, "x", 10L, <>."""
    line = lines[at]
    if not any(rule.search(line) for rule in (PRINT, EXCEPT, RAISE, LONG, UNEQUAL)):
        return None

    changed = list(lines)
    for number, each in enumerate(lines):
        changed[number] = one_as_three(each, number == at)

    return changed


def one_as_three(line: str, is_wrong: bool) -> str:
    """Rewrite one line of Python 2; numbers and <> only where the interpreter complains."""
    line = PRINT.sub(print_call, line)
    line = EXCEPT.sub(r"\1 as \2:", line)
    line = RAISE.sub(r"\1(\2)", line)
    if is_wrong:
        line = UNEQUAL.sub("!=", LONG.sub(r"\1", line))

    return line


def print_call(found: re.Match[str]) -> str:
    """print "x" becomes print("x"); what it prints moves no data where that does not parse."""
    line = found[0].rstrip()
    indent = found[1]
    shown = re.sub(r"^print[ \t]*(?:>>[^,]*,?)?", "", line[len(indent) :]).rstrip(", \t")
    call = f"{indent}print({shown})"
    try:
        parse_quietly(call.strip())
    except SyntaxError:
        if line.count("(") == line.count(")"):
            return f"{indent}pass"

        return line

    return call


def without_type_parameters(lines: list[str], at: int) -> list[str] | None:
    """Rewrite def f[T](x), class C[T] and type X = … of Python 3.12."""
    changed = ALIAS.sub(r"\1\2 =", GENERIC.sub(r"\1", lines[at]))
    return [*lines[:at], changed, *lines[at + 1 :]]


def with_other_quotes(lines: list[str], at: int) -> list[str] | None:
    """Rewrite f"{row["a"]}" of Python 3.12 as f"{row['a']}"."""
    start = start_of_statement(lines, at)
    text = "\n".join(lines[start:])
    changed = requote(text)
    if changed == text:
        return None

    return [*lines[:start], *changed.split("\n")]


def requote(text: str) -> str:
    """Return a text with other quotes inside the fields of f-strings."""
    found = F_STRING.search(text)
    while found is not None:
        end, parts = fields_of(text, found.end(), found[1])
        for first, last in parts:
            inner = text[first:last]
            text = text[:first] + quoted_otherwise(inner, found[1]) + text[last:]

        found = F_STRING.search(text, max(end, found.end()))

    return text


def quoted_otherwise(inner: str, quote: str) -> str:
    """Return a field with the other kind of quotes, where it has only one kind."""
    other = "'" if quote[0] == '"' else '"'
    changed = inner
    if len(quote) == 1 and quote in inner and other not in inner:
        changed = inner.replace(quote, other)

    return changed.replace("\\n", "  ").replace("\\t", "  ")


def fields_of(text: str, position: int, quote: str) -> tuple[int, list[tuple[int, int]]]:
    """Return where an f-string ends, and its fields: a quote inside a field ends nothing."""
    fields: list[tuple[int, int]] = []
    depth = first = 0
    while position < len(text):
        letter = text[position]
        if text.startswith(("{{", "}}"), position) and not depth:
            position += 2
            continue

        if letter == "{":
            depth += 1
            first = position + 1 if depth == 1 else first
        elif letter == "}" and depth:
            depth -= 1
            if not depth:
                fields.append((first, position))
        elif letter == "\\" and not depth:
            position += 1
        elif not depth and text.startswith(quote, position):
            return position + len(quote), fields
        elif letter == "\n" and len(quote) == 1 and not depth:
            break

        position += 1

    return position, fields


REWRITES = (
    Rewrite("Python 2 is read as Python 3", ADVICE_FOR_TWO, read_as_three),
    Rewrite(
        f"syntax of Python 3.12 is read as that of Python {RUNNING}",
        ADVICE_FOR_NEWER,
        without_type_parameters,
    ),
    Rewrite(
        f"an f-string of Python 3.12 is read as one of Python {RUNNING}",
        ADVICE_FOR_NEWER,
        with_other_quotes,
    ),
)
"""The remedies that are tried at a mistake, one after the other."""
