"""Types that a script declares: the fields of records and objects.

TYPE row_t IS RECORD (id NUMBER, v NUMBER); CREATE TYPE row_t AS OBJECT (id NUMBER, v NUMBER)
"""

from __future__ import annotations

from sqlglot.tokenizer_core import Token

from lineal.extract.sql.procedural.text import (
    OPEN,
    Tokens,
    closing_parenthesis,
    find_word,
    is_name,
    items,
    kind_at,
    word,
    word_at,
)

METHODS = frozenset(("MEMBER", "STATIC", "CONSTRUCTOR", "MAP", "ORDER", "OVERRIDING", "FINAL"))
"""MEMBER FUNCTION f RETURN NUMBER      declarations next to the fields of an object"""


def fields_of_type(tokens: Tokens) -> tuple[int, Tokens]:
    """Return where the name of a declared type ends, and its fields; no fields for other types.

    TYPE shop.row_t IS RECORD (id NUMBER, v NUMBER)      row_t; id and v
    """
    at = find_word(tokens, ("RECORD", "OBJECT"))
    if at < 2 or word(tokens[at - 1]) not in ("IS", "AS") or kind_at(tokens, at + 1) is not OPEN:
        return -1, []

    listed = items(tokens[at + 2 : closing_parenthesis(tokens, at + 1, len(tokens))])
    name = at - 2
    if word(tokens[name]) == "FORCE":
        name -= 1

    return name, [item[0] for item in listed if item and word(item[0]) not in METHODS]


def type_of_items(tokens: Tokens) -> tuple[int, Token | None]:
    """Return where the type of a collection's items starts, and its last part.

    TYPE rows_t IS TABLE OF shop.row_t INDEX BY PLS_INTEGER      shop; row_t
    """
    at = find_word(tokens, ("TABLE",))
    if at < 2 or word(tokens[at - 1]) not in ("IS", "AS") or word_at(tokens, at + 1) != "OF":
        return -1, None

    item = None
    for token in tokens[at + 2 :]:
        if is_name(token) and word(token) != "INDEX":
            item = token
        elif token.text != ".":
            break

    return at + 2, item
