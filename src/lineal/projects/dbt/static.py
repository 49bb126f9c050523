"""Templates that are read without Jinja: nothing but ref(), source() and config() with literals.

Most models of most projects are such. What comes out is what Jinja would make of them, on the same
lines.
"""

from __future__ import annotations

import ast
import re
from typing import Any, NamedTuple

from lineal.projects.dbt.index import Index
from lineal.projects.dbt.node import Node
from lineal.projects.dbt.sandbox.relation import relation_sql

TAG = re.compile(r"\{\{\s*(ref|source|config)\s*\(([^{}]*)\)\s*\}\}|\{[{%#]")
NAMES = re.compile(r"\s*['\"]([^'\"\\]+)['\"]\s*(?:,\s*['\"]([^'\"\\]+)['\"]\s*)?\Z")

CONFIG = re.compile(r"\bconfig\s*\((.*?)\)\s*-?\}\}", re.S)
LOCATION = re.compile(
    r"\b(alias|schema|database|target_schema|target_database)\s*=\s*['\"]([^'\"]+)['\"]"
)


class Plain(NamedTuple):
    """A text, what it refers to, and what it says of itself."""

    text: str
    refs: list[str]
    config: dict[str, Any]


class _Jinja(Exception):
    """There is more to it."""


def plain_argument(node: Node, index: Index, quote: str) -> Plain | None:
    """None if it takes Jinja."""
    refs: dict[str, None] = {}
    config: dict[str, Any] = {}

    def replace_call(found: re.Match[str]) -> str:
        """Return what a call of ref, source or config is replaced by; raise if it needs Jinja."""
        if found[1] == "config":
            config.update(_literals(found[2]))
            return "\n" * found[0].count("\n")

        named = NAMES.match(found[2]) if found[1] else None
        if named is None or "\n" in found[0]:
            raise _Jinja

        names = list(filter(None, named.groups()))
        held = (
            index.ref(node.package, names)
            if found[1] == "ref"
            else index.source(node.package, names)
        )
        if held is None:
            raise _Jinja

        refs[held.id] = None
        return relation_sql(held.parts, quote)

    try:
        text = TAG.sub(replace_call, node.text)
    except _Jinja:
        return None

    return Plain(text, list(refs), config)


def _literals(text: str) -> dict[str, object]:
    """materialized='table', tags=['a']"""
    try:
        call = ast.parse(f"config({text.strip()})", mode="eval").body
        assert isinstance(call, ast.Call)
        found = {
            word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg is not None
        }
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError, AssertionError):
        raise _Jinja from None

    if call.args or len(found) != len(call.keywords) or any("hook" in key for key in found):
        raise _Jinja

    return found


def config_of_call(text: str) -> dict[str, Any]:
    """config(alias='x', schema='y')

    where a model says that it is; heard before any template is rendered
    """
    call = CONFIG.search(text) if "config" in text else None
    if call is not None:
        return dict(LOCATION.findall(call[1]))

    return {}
