"""Whether a script has procedural code at all, by the first word of each statement."""

from __future__ import annotations

import re

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects.procedures import ASSIGNS, ASSIGNS_BY_EQUALS, SELECTS_INTO_SESSION
from lineal.extract.sql.procedural.text import SEMICOLON, vocabulary, word
from lineal.extract.sql.words import BATCHES

GLANCE = (
    "begin", "declare", "procedure", "function", "macro", "execute", "exec", "call", "trigger", "package", "delimiter",
    "end if", "end for", "end while", "end loop", "create task", "replace task", "create event",
)  # fmt: skip
"""A text without any of these has no procedural code."""
TSQL_GLANCE = (*GLANCE, "proc", "if", "while", "print", "return")
SESSION_GLANCE = (*GLANCE, "set", "let", "do")


ORDINARY = re.compile(
    r"(?>[\s(]|--[^\n]*\n|/\*.*?\*/)*+(?:select|with|insert|update|delete|merge|values|from"
    r"|create\s+(?:or\s+replace\s+)?(?:temp\w*\s+|materialized\s+)?(?:table(?!\s+function)|view))\b",
    re.IGNORECASE | re.DOTALL,
)
"""How a statement starts that is no procedure."""


def may_be_procedural(text: str, dialect: str) -> bool:
    """A glance, since hardly any script is; one at the start is enough where there is a single
    statement.
    """
    if dialect not in BATCHES:
        end = text.find(";")
        if (end < 0 or end >= len(text.rstrip()) - 1) and ORDINARY.match(text) is not None:
            return False
    folded = text.lower()
    if dialect in BATCHES:
        return "@" in folded or any(stands_in(folded, word) for word in TSQL_GLANCE)
    if dialect in SELECTS_INTO_SESSION and "into @" in folded:
        return True

    glance = SESSION_GLANCE if dialect in ASSIGNS else GLANCE
    return any(stands_in(folded, word) for word in glance)


def stands_in(text: str, word: str) -> bool:
    """Whether a word stands in a text, and not only a part of a longer one."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (before.isalnum() or before in ("_", ".") or after.isalnum() or after == "_"):
            return True
        at = text.find(word, end)
    return False


KINDS = frozenset(("FUNCTION", "PROCEDURE", "PROC", "MACRO", "TRIGGER", "PACKAGE"))
BETWEEN = vocabulary(
    """
    OR REPLACE ALTER TEMP TEMPORARY AGGREGATE EDITIONABLE NONEDITIONABLE SECURE TABLE PUBLIC CONSTRAINT
    DEFINER = @ EXTERNAL VOLATILE
    """
)
"""What may stand between CREATE and the kind of routine."""
OPENING = vocabulary(
    """
    BEGIN DECLARE IF WHILE LOOP REPEAT FOR EXECUTE CALL DO LET DELIMITER CASE
    """
)
JOBS = frozenset(("TASK", "EVENT"))
SESSION = frozenset(("VAR", "VARIABLE", "@"))


def is_procedural(tokens: list[Token], dialect: str) -> bool:
    start = True
    for position, token in enumerate(tokens):
        if start:
            first = word(token)
            if first in OPENING or (
                first in ("CREATE", "ALTER") and kind_of(tokens, position) >= 0
            ):
                return True
            if first == "CREATE" and any(
                word(each) in JOBS for each in tokens[position + 1 : position + 5]
            ):
                return True
            if first == "SET" and dialect in ASSIGNS and sets_variable(tokens, position, dialect):
                return True
        if dialect in BATCHES and word(token) in TSQL_WORDS:
            return True
        if token.token_type is TokenType.PARAMETER and word(
            tokens[position - 1]
        ) in TAKES_VARIABLE.get(dialect, ()):
            return True
        start = token.token_type is SEMICOLON
    return False


TAKES_VARIABLE = {"tsql": ("SELECT",), "fabric": ("SELECT",), "mysql": ("INTO",)}
"""SELECT @x = a FROM t, SELECT a INTO @x FROM t      what follows reads the variable"""


def kind_of(tokens: list[Token], at: int) -> int:
    """CREATE OR REPLACE TEMP FUNCTION      where FUNCTION stands; -1, if it is no routine"""
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


def sets_variable(tokens: list[Token], at: int, dialect: str) -> bool:
    following = word(tokens[at + 1]) if at + 1 < len(tokens) else ""
    after = tokens[at + 2].text if at + 2 < len(tokens) else ""
    return following in SESSION or (dialect in ASSIGNS_BY_EQUALS and after == "=")


DELIMITER = re.compile(r"^[ \t]*DELIMITER[ \t]+(\S+)[ \t]*$", re.IGNORECASE | re.MULTILINE)


def with_semicolons(text: str) -> str:
    """DELIMITER // … END //      END ; with every other character in its place"""
    marks = list(DELIMITER.finditer(text))
    if not marks:
        return text
    found = [text[: marks[0].start()]]
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        part = text[mark.end() : following.start() if following is not None else len(text)]
        found.append(" " * (mark.end() - mark.start()))
        found.append(part if mark[1] == ";" else part.replace(mark[1], ";".ljust(len(mark[1]))))
    return "".join(found)
