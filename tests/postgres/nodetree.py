"""PostgreSQL's stored query trees: `pg_rewrite.ev_action`, as text, into nodes.

{VAR :varno 3 :varattno 1 :varlevelsup 0}    a node with its fields
({VAR …} {CONST …})  (i 1 2)  (b 3)          lists of nodes, and of numbers (the letter tells which
                     kind)
<>                                           nothing
"id"  id  3  true  4 [ 7 0 0 0 ]             text, numbers, and the bytes of a constant
"""

from __future__ import annotations

import re
from typing import Any

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}()\[\]]|(?:\\.|[^\s{}()\[\]\\])+')


class Node:
    """{VAR :varno 3 …}      its kind is VAR, and node.varno is 3"""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.fields: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(f"{self.kind} has no field {name}") from None

    def get(self, name: str, default: Any = None) -> Any:
        found = self.fields.get(name)
        return default if found is None else found

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(self.fields)})"


def read(text: str) -> Any:
    """The value of a whole text."""
    return _value(TOKEN.findall(text), 0)[0]


def _value(tokens: list[str], at: int) -> tuple[Any, int]:
    token = tokens[at]
    if token == "{":
        return _node(tokens, at + 1)
    if token == "(":
        return _list(tokens, at + 1)
    if token == "[":
        return None, tokens.index("]", at) + 1
    return _atom(token), at + 1


def _node(tokens: list[str], at: int) -> tuple[Node, int]:
    node = Node(tokens[at])
    at += 1
    while tokens[at] != "}":
        name = tokens[at].removeprefix(":")
        at += 1
        values = []
        while tokens[at] != "}" and not tokens[at].startswith(":"):
            value, at = _value(tokens, at)
            values.append(value)
        node.fields[name] = values[0] if values else None
    return node, at + 1


def _list(tokens: list[str], at: int) -> tuple[list[Any], int]:
    values = []
    if tokens[at] in ("i", "o", "b", "x"):
        at += 1
    while tokens[at] != ")":
        value, at = _value(tokens, at)
        values.append(value)
    return values, at + 1


def _atom(token: str) -> Any:
    if token == "<>":
        return None
    if token in ("true", "false"):
        return token == "true"
    if re.fullmatch(r"-?\d+", token):
        return int(token)
    if token.startswith('"') and len(token) > 1:
        token = token[1:-1]
    return re.sub(r"\\(.)", r"\1", token)
