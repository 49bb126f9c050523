"""Redaction: secrets leave lineal in no text, and literals of SQL do not if somebody asks for that.

    redact_text("COPY t FROM 's3://KEY:SECRET@lake/x'")       COPY t FROM 's3://***@lake/x'
    redact_text("OPTIONS (password 'x', dbtable 't')")        OPTIONS (password '***', dbtable 't')

    with literals_redacted():
        redact_text("CASE WHEN name = 'Ann' THEN 17 END")     CASE WHEN name = '?' THEN ? END

Every text of the input that lineal shows, sends or keeps passes here once, where it is made: names
of files and tables at addresses, expressions, statements, sources on the page, messages.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from lineal.model.late_pattern import late_pattern

HIDDEN = "***"
LITERAL = "?"
REDACT_LITERALS = "LINEAL_REDACT_LITERALS"
"""The environment variable that says the same as --redact-literals."""

MAY_HOLD_SECRETS = late_pattern(
    r"://|pass|pwd|secret|token|key|credential|sas|sig=|identified|jdbc:", re.IGNORECASE
)
"""Texts without any of these words are not looked at: nearly all expressions."""

USER_INFO = late_pattern(r"(?<=://)[^/?#\s'\"`<>(),;]*@(?=[^/?#\s'\"`@])")
"""KEY:SECRET@ in s3a://KEY:SECRET@bucket/x"""
THIN = late_pattern(r"(jdbc:oracle:\w{1,9}:)[^/@\s'\"`]{1,200}/[^@\s'\"`]{1,200}@", re.IGNORECASE)
"""USER/SECRET@ in jdbc:oracle:thin:USER/SECRET@host:1521/x"""
CONTAINERS = late_pattern(r"(?:abfss?|wasbs?)://[^:/?#\s'\"`@]+@", re.IGNORECASE)
"""abfss://container@account/x names a container, not a user."""

NAMES_OF_SECRETS = (
    r"[\w.\-]{0,60}?(?:password|passwd|pwd|secret|token|credentials?|private[_\-.]?key|access[_\-.]?key"
    r"|api[_\-.]?key|account[_\-.]?key|master[_\-.]?key|key[_\-.]?id|sas|signature)[\w.\-]{0,60}"
)
"""Of bounded length: a hostile text takes time in proportion to its length."""
PARAMETER = late_pattern(rf"(?<![\w.\-])({NAMES_OF_SECRETS}=)[^&;#\s'\"`,)]+", re.IGNORECASE)
"""password=x in an address or a connection string"""
QUOTED = late_pattern(
    rf"(?<![\w.\-])(['\"`]?{NAMES_OF_SECRETS}(?:['\"`]\s*,|['\"`]?\s*(?:=>?|:)?)\s*)'(?:[^']|'')*+(?:'|\Z)",
    re.IGNORECASE,
)
"""PASSWORD 'x', SECRET_KEY = 'x', option("password", 'x')"""
DOUBLE_QUOTED = late_pattern(
    rf"(?<![\w.\-])(['\"`]?{NAMES_OF_SECRETS}(?:['\"`]\s*,|['\"`]?\s*(?:=>?|:))\s*)\"[^\"]*+(?:\"|\Z)",
    re.IGNORECASE,
)
IDENTIFIED = late_pattern(r"(\bIDENTIFIED\s+BY\s+)('(?:[^']|'')*+(?:'|\Z)|\S+)", re.IGNORECASE)
SIGNED = late_pattern(
    r"([?&](?:sig|signature|X-Amz-[\w\-]+|X-Goog-[\w\-]+)=)[^&#\s'\"`]+", re.IGNORECASE
)

LITERALS = late_pattern(
    r"(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))|(?P<dollar>\$\$.*?(?:\$\$|\Z))"
    r"|(?P<text>'(?:[^'\\]|''|\\.)*+(?:'|\\?\Z))|(?P<name>\"[^\"]*+(?:\"|\Z)|`[^`]*+(?:`|\Z)|[A-Za-z_][\w$]*)"
    r"|(?P<number>\d[\d.]*(?:[eE][+-]?\d+)?)",
    re.DOTALL,
)

_LITERALS: ContextVar[bool | None] = ContextVar("redact literals", default=None)


def is_redacting_literals() -> bool:
    """Whether literals are kept out of every text."""
    asked = _LITERALS.get()
    if asked is None:
        return os.environ.get(REDACT_LITERALS, "").lower() in ("1", "true", "yes")
    return asked


def redact_literals(asked: bool) -> None:
    """Keep literals out of every text from now on, or no longer."""
    _LITERALS.set(asked or None)


@contextmanager
def literals_redacted() -> Iterator[None]:
    """Keep literals out of every text for a while."""
    token = _LITERALS.set(True)
    try:
        yield
    finally:
        _LITERALS.reset(token)


def redact_text(text: str) -> str:
    """Return a text of the input as it may be shown: without secrets, and without literals if that
    is asked for.
    """
    if MAY_HOLD_SECRETS.search(text):
        text = redact_secrets(text)
    if is_redacting_literals():
        text = LITERALS.sub(_replace_literal, text)
    return text


def redact_secrets(text: str) -> str:
    """Return a text without user info of addresses, passwords, keys and tokens."""
    text = USER_INFO.sub(_replace_user, text)
    text = THIN.sub(rf"\1{HIDDEN}@", text)
    text = SIGNED.sub(rf"\1{HIDDEN}", text)
    text = PARAMETER.sub(rf"\1{HIDDEN}", text)
    text = QUOTED.sub(rf"\1'{HIDDEN}'", text)
    text = DOUBLE_QUOTED.sub(rf'\1"{HIDDEN}"', text)
    return IDENTIFIED.sub(rf"\1'{HIDDEN}'", text)


def redact_path(path: str) -> str:
    """s3a://KEY:SECRET@lake/x?token=y      s3a://lake/x: the name of a place, without secrets"""
    if "://" not in path:
        return path
    bare = USER_INFO.sub(lambda found: found[0] if _is_container(found) else "", path)
    address, mark, query = bare.partition("?")
    if (mark and MAY_HOLD_SECRETS.search(query)) or SIGNED.search(f"?{query}"):
        return address
    return bare


def _replace_user(found: re.Match[str]) -> str:
    if _is_container(found) or found[0] == f"{HIDDEN}@":
        return found[0]
    return f"{HIDDEN}@"


def _is_container(found: re.Match[str]) -> bool:
    start = max(0, found.start() - 8)
    around = found.string[start : found.end()]
    return CONTAINERS.search(around) is not None


def _replace_literal(found: re.Match[str]) -> str:
    if found["comment"] is not None:
        return "/* */"
    if found["text"] is not None or found["dollar"] is not None:
        return f"'{LITERAL}'"
    if found["number"] is not None:
        return LITERAL
    return found[0]
