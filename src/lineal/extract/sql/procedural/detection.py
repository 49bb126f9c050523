"""Whether a script has procedural code at all, by the first word of each statement."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.dialects.procedures import (
    ASSIGNS,
    ASSIGNS_BY_EQUALS,
    MACROS_ARE_PROCEDURES,
    SELECTS_INTO_SESSION,
    TAKES_VARIABLE,
)
from lineal.extract.sql.procedural.text import (
    SEMICOLON,
    Tokens,
    find_word,
    vocabulary,
    word,
    word_at,
)
from lineal.extract.sql.words import BATCHES
from lineal.model.late_pattern import late_pattern

GLANCE = (
    "begin", "declare", "procedure", "function", "macro", "execute", "exec", "call", "trigger", "package", "delimiter",
    "end if", "end for", "end while", "end loop", "create task", "replace task", "create event",
    "create rule", "replace rule",
)  # fmt: skip
"""A text without any of these has no procedural code."""
TSQL_GLANCE = (*GLANCE, "proc", "if", "while", "print", "return")
SESSION_GLANCE = (*GLANCE, "set", "let", "do")


ORDINARY = late_pattern(
    r"(?>[\s(]|--[^\n]*\n|/\*.*?\*/)*+(?:select|with|insert|update|delete|merge|values|from"
    r"|create\s+(?:or\s+replace\s+)?(?:temp\w*\s+|materialized\s+)?(?:table(?!\s+function)|view))\b",
    re.IGNORECASE | re.DOTALL,
)
"""How statements start that are not procedures."""


def may_be_procedural(text: str, dialect: str) -> bool:
    """A glance, since hardly any script is; one at the start is enough where there is a single
    statement.
    """
    if dialect in BATCHES:
        folded = text.lower()
        return "@" in folded or has_word(folded, TSQL_GLANCE)

    end = text.find(";")
    is_single = end < 0 or end >= len(text.rstrip()) - 1
    if is_single and ORDINARY.match(text) is not None:
        return False

    folded = text.lower()
    if dialect in SELECTS_INTO_SESSION and "into @" in folded:
        return True

    if dialect in ASSIGNS:
        return has_word(folded, SESSION_GLANCE)

    return has_word(folded, GLANCE)


def has_word(text: str, words: Iterable[str]) -> bool:
    """Tell whether a text has one of some words."""
    return any(stands_in(text, word) for word in words)


def stands_in(text: str, word: str) -> bool:
    """Tell whether a text has a word, and not only as a part of a longer one."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (STARTS_LATE.match(text[at - 1 : at]) or GOES_ON.match(text[end : end + 1])):
            return True

        at = text.find(word, end)

    return False


STARTS_LATE = late_pattern(r"[\w.]")
GOES_ON = late_pattern(r"\w")
"""Characters before and after a part of a longer word."""


KINDS = frozenset(("FUNCTION", "PROCEDURE", "PROC", "MACRO", "TRIGGER", "PACKAGE", "RULE"))
BETWEEN = vocabulary(
    """
    OR REPLACE ALTER TEMP TEMPORARY AGGREGATE EDITIONABLE NONEDITIONABLE SECURE TABLE PUBLIC CONSTRAINT
    DEFINER = @ EXTERNAL VOLATILE
    """
)
"""Words that may be between CREATE and the kind of routine."""
OPENING = vocabulary(
    """
    BEGIN DECLARE IF WHILE LOOP REPEAT FOR EXECUTE CALL DO LET DELIMITER CASE
    """
)
JOBS = frozenset(("TASK", "EVENT"))
SESSION = frozenset(("VAR", "VARIABLE", "@"))


def is_procedural(tokens: Tokens, dialect: str) -> bool:
    """Tell whether any statement is procedural, or reads a variable."""
    words = TSQL_WORDS if dialect in BATCHES else frozenset[str]()
    takes = TAKES_VARIABLE.get(dialect, ())
    is_start = True
    for position, token in enumerate(tokens):
        if is_start and starts_procedure(tokens, position, dialect):
            return True

        if words and word(token) in words:
            return True

        if token.token_type is TokenType.PARAMETER and word(tokens[position - 1]) in takes:
            return True

        if token.token_type is TokenType.WITH and starts_procedure(tokens, position, dialect):
            return True

        is_start = token.token_type is SEMICOLON

    return False


def starts_procedure(tokens: Tokens, at: int, dialect: str) -> bool:
    """Tell whether a procedural statement starts here."""
    first = word(tokens[at])
    if first in OPENING or (first == "EXEC" and dialect in MACROS_ARE_PROCEDURES):
        return True

    if first == "SET":
        return dialect in ASSIGNS and sets_variable(tokens, at, dialect)

    if first == "PREPARE":
        return True

    if first == "WITH":
        return word(tokens[min(at + 1, len(tokens) - 1)]) in ("FUNCTION", "PROCEDURE")

    if first not in ("CREATE", "ALTER", "REPLACE"):
        return False

    if kind_of(tokens, at) >= 0:
        return True

    return first == "CREATE" and find_word(tokens[at + 1 : at + 5], JOBS) >= 0


def kind_of(tokens: Tokens, at: int) -> int:
    """Find the word that tells the kind of a routine.

    CREATE OR REPLACE TEMP FUNCTION      where FUNCTION is; -1, if it is no routine
    """
    if word(tokens[at]) in KINDS:
        return at

    for position in range(at + 1, min(at + 12, len(tokens))):
        here = word(tokens[position])
        if here in KINDS:
            return position

        if here not in BETWEEN and word(tokens[position - 1]) not in ("=", "@"):
            return -1

    return -1


TSQL_WORDS = vocabulary(
    """
    BEGIN DECLARE EXEC EXECUTE IF WHILE PROC PROCEDURE FUNCTION PRINT RETURN
    """
)


def sets_variable(tokens: Tokens, at: int, dialect: str) -> bool:
    """Tell whether SET assigns a variable.

    SET VAR x = 1, SET @x = 1; SET x = 1 in some dialects
    """
    if word_at(tokens, at + 1) in SESSION:
        return True

    return dialect in ASSIGNS_BY_EQUALS and word_at(tokens, at + 2) == "="


DELIMITER = late_pattern(r"^[ \t]*DELIMITER[ \t]+(\S+)[ \t]*$", re.IGNORECASE | re.MULTILINE)


def with_semicolons(text: str) -> str:
    """Replace the delimiters of a client by semicolons.

    DELIMITER // … END //      END ; with every other character in its place
    """
    marks = list(DELIMITER.finditer(text))
    if not marks:
        return text

    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    found = [text[: marks[0].start()]]
    for mark, end in zip(marks, ends, strict=True):
        delimiter = mark[1]
        found.append(" " * (mark.end() - mark.start()))
        found.append(text[mark.end() : end].replace(delimiter, ";".ljust(len(delimiter))))

    return "".join(found)
