"""Words of JavaScript: names, strings, templates, numbers and signs, each with its offset."""

from __future__ import annotations

import re
from typing import NamedTuple

WORD = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<number>0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<template>`)
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<sign>=>|\.\.\.|\?\.|\?\?|===|!==|==|!=|<=|>=|&&|\|\||\+\+|--|\+=|-=|\*\*|[^\s\w])""",
    re.DOTALL | re.VERBOSE,
)
REGULAR = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
BEFORE_REGULAR = frozenset(
    ("(", ",", "=", ":", "[", "!", "&&", "||", "?", "{", "}", ";", "return", "=>", "")
)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0", "\n": ""}
ESCAPE = re.compile(r"\\(u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|.)", re.DOTALL)
MOST_WORDS = 200_000


class JavaScriptError(ValueError):
    """A text that is not the JavaScript that is read here, and where."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class Word(NamedTuple):
    """A word of JavaScript."""

    kind: str
    text: str
    start: int
    parts: tuple[tuple[str, object], ...] = ()
    """Of a template: its texts, and between them the offsets of its expressions."""


def words_of(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """Return the words of a text."""
    stop = len(text)
    if end is not None:
        stop = min(end, stop)

    found: list[Word] = []
    at = start

    while at < stop:
        before = ""
        if found:
            before = found[-1].text

        regular = None
        if text[at] == "/" and before in BEFORE_REGULAR:
            regular = REGULAR.match(text, at, stop)

        if regular is not None and not text.startswith(("//", "/*"), at):
            found.append(Word("regular", regular[0], at))
            at = regular.end()
            continue

        word = WORD.match(text, at, stop)
        if word is None or len(found) > MOST_WORDS:
            raise JavaScriptError("this is not JavaScript", at)

        if word.lastgroup == "template":
            made, at = template_at(text, at, stop)
            found.append(made)
            continue

        if word.lastgroup != "space":
            found.append(Word(str(word.lastgroup), word[0], at))

        at = word.end()

    return found


def template_at(text: str, start: int, stop: int) -> tuple[Word, int]:
    """`a ${b} c`      its parts, and where the text goes on"""
    parts: list[tuple[str, object]] = []
    at = begin = start + 1

    while at < stop:
        sign = text[at]
        if sign == "\\":
            at += 2
        elif sign == "`":
            parts.append(("text", unescape(text[begin:at])))
            return Word("template", text[start : at + 1], start, tuple(parts)), at + 1
        elif text.startswith("${", at):
            parts.append(("text", unescape(text[begin:at])))
            close = closing_brace(text, at + 1, stop)
            parts.append(("expression", (at + 2, close)))
            at = begin = close + 1
        else:
            at += 1

    raise JavaScriptError("a template is not closed", start)


def closing_brace(text: str, opening: int, stop: int | None = None) -> int:
    """Return the offset of the brace that closes one; strings and templates are passed over."""
    end = len(text)
    if stop is not None:
        end = stop

    depth = 0
    at = opening

    while at < end:
        word = WORD.match(text, at, end)
        if word is None:
            raise JavaScriptError("this is not JavaScript", at)

        if word.lastgroup == "template":
            at = template_at(text, at, end)[1]
            continue

        if word[0] == "{":
            depth += 1
        elif word[0] == "}":
            depth -= 1
            if depth == 0:
                return at

        at = word.end()

    raise JavaScriptError("a brace is not closed", opening)


def unescape(text: str) -> str:
    r"""Return the text of a string: \n is a line break."""

    def write(found: re.Match[str]) -> str:
        """Return the character of an escape sequence."""
        code = found[1]
        if code[0] in "ux" and len(code) > 1:
            return chr(min(int(code[1:].strip("{}"), 16), 0x10FFFF))

        return ESCAPES.get(code, code)

    if "\\" in text:
        return ESCAPE.sub(write, text)

    return text
