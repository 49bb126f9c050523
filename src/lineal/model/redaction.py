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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from lineal.model.late_pattern import late_pattern

HIDDEN = "***"
LITERAL = "?"
REDACT_LITERALS = "LINEAL_REDACT_LITERALS"
"""The environment variable that says the same as --redact-literals."""

SIGNS_OF_SECRETS = (
    "://", "pass", "pwd", "secret", "token", "key", "credential", "sas", "sig=", "identified", "jdbc:", "mysql",
    "postgresql", "mongodb", "sqlserver", "remote", "openrowset", "bearer", "logon", "conn",
)  # fmt: skip
"""Texts without any of these words, in any case, are not looked at: nearly all expressions."""

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
PARAMETER = late_pattern(
    rf"(?<![\w.\-])({NAMES_OF_SECRETS}=)[^(&;#\s'\"`,)][^&;#\s'\"`,)]*+", re.IGNORECASE
)
"""password=x in an address or a connection string; CREDENTIALS=(AWS_KEY_ID='x') names its secrets itself"""
QUOTED = late_pattern(
    r"(?<!expected )(?<![\w.\-'])"
    rf"((?:(?P<named>')|[\"`])?{NAMES_OF_SECRETS}(?:['\"`]\s*,|['\"`]?\s*(?:=>?|:)?|(?<=password)\()\s*)"
    r"(?(named)(?<![\w.\-]))"
    r"(?:[NEUBR]?'(?![\s,.:;()]*(?:'|\Z))(?:[^']|'')*+(?:'|\Z)|\$\$(?:[^$]|\$(?!\$))*+(?:\$\$|\Z))",
    re.IGNORECASE,
)
"""PASSWORD 'x', SECRET_KEY = N'x', TOKEN = $$x$$, PASSWORD('x'), option("password", 'x')

Nothing secret follows the name of a column in quotes, or in Jinja's "expected token ',', got 'x'".
"""
DOUBLE_QUOTED = late_pattern(
    rf"(?<![\w.\-])(['\"`]?{NAMES_OF_SECRETS}(?:['\"`]\s*,|['\"`]?\s*(?:=>?|:))\s*)\"[^\"]*+(?:\"|\Z)",
    re.IGNORECASE,
)
IDENTIFIED = late_pattern(
    r"(\bIDENTIFIED\s+(?:WITH\s+['\"]?\w+['\"]?\s+)?(?:BY|AS)\s+)('(?:[^']|'')*+(?:'|\Z)|(?!PASSWORD\b)\S+)",
    re.IGNORECASE,
)
SETTING = late_pattern(
    rf"(\bSET\s+(?:spark|fs|hadoop|hive|dfs)\.{NAMES_OF_SECRETS}\s*=\s*)[^\s;'\"]+", re.IGNORECASE
)
"""SET spark.hadoop.fs.s3a.secret.key = x"""
LOGON = late_pattern(
    r"^(\s*(?:CONN(?:ECT)?\s+[\w$.]+/|\.LOGON\s+[^,\s;]+,))[^\s@;]+", re.IGNORECASE | re.MULTILINE
)
"""CONNECT user/SECRET@database in SQL*Plus, .LOGON host/user,SECRET in BTEQ"""
ROWSET = late_pattern(
    r"(\bOPENROWSET\s?\(\s{0,20}'[^']{0,300}'\s{0,20},\s{0,20}(?:'[^']{0,300}'\s{0,20};\s{0,20}){2})'[^']*+'",
    re.IGNORECASE,
)
"""OPENROWSET('SQLNCLI', 'server';'user';'SECRET', …)"""
BEARER = late_pattern(r"(\bBearer\s+)[\w.\-~+/]{8,}=*", re.IGNORECASE)
_ARGUMENT = r"(?:'[^']{0,500}'|[^'(),]{1,200})\s{0,20},\s{0,20}"
LAKE_KEYS = late_pattern(
    rf"(\b(?:s3\w{{0,20}}|gcs|oss|cosn|iceberg\w{{0,20}}|deltaLake\w{{0,20}}|hudi)\s?\(\s{{0,20}}{_ARGUMENT})"
    r"'[^'\s]*+'(\s{0,20},\s{0,20})'[^'\s]*+'",
    re.IGNORECASE,
)
"""ClickHouse: s3('https://bucket/x', 'KEY', 'SECRET', 'CSV')"""
SERVER_KEYS = late_pattern(
    r"(\b(?:mysql|postgresql|mongodb|sqlserver|remote|remoteSecure)\s?\(\s{0,20}"
    rf"(?:{_ARGUMENT}){{3}})'[^']*+'(?:(\s{{0,20}},\s{{0,20}})'[^']*+')?",
    re.IGNORECASE,
)
"""ClickHouse: mysql('host:3306', 'database', 'table', 'USER', 'SECRET')"""
SIGNED = late_pattern(
    r"([?&](?:sig|signature|X-Amz-[\w\-]+|X-Goog-[\w\-]+)=)[^&#\s'\"`]+", re.IGNORECASE
)

LITERALS = late_pattern(
    r"(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))|(?P<dollar>\$\$.*?(?:\$\$|\Z))"
    r"|(?P<text>'(?:[^'\\]|''|\\.)*+(?:'|\\?\Z))"
    r"|(?P<compared>(?:[=<>]|\b(?:[iI]?LIKE|[iI]?like|IN|in|lit)\b\s{0,9}\(?)\s{0,9})(?P<double>\"[^\"]*+(?:\"|\Z))|(?P<name>\"[^\"]*+(?:\"|\Z)|`[^`]*+(?:`|\Z)|[A-Za-z_][\w$]*)"
    r"|(?P<number>\d[\d.]*(?:[eE][+-]?\d+)?)",
    re.DOTALL,
)

_LITERALS: ContextVar[bool | None] = ContextVar("redact literals", default=None)


def is_redacting_literals() -> bool:
    """Tell whether literals are kept out of every text."""
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
    if may_hold_secrets(text):
        text = redact_secrets(text)

    if is_redacting_literals():
        text = LITERALS.sub(_replace_literal, text)

    return text


def may_hold_secrets(text: str) -> bool:
    """Tell whether a text holds any word that secrets come with."""
    lowered = text.lower()
    return any(sign in lowered for sign in SIGNS_OF_SECRETS)


@lru_cache(8)
def redact_secrets(text: str) -> str:
    """Return a text without user info of addresses, passwords, keys and tokens."""
    for pattern, instead in RULES:
        text = pattern.sub(instead, text)

    return text


def redact_path(path: str) -> str:
    """s3a://KEY:SECRET@lake/x?token=y      s3a://lake/x: the name of a place, without secrets"""
    if "://" not in path:
        is_connection = ";" in path and may_hold_secrets(path)  # AccountName=x;AccountKey=SECRET
        return redact_secrets(path) if is_connection else path

    bare = USER_INFO.sub(lambda found: found[0] if _is_container(found) else "", path)
    address, mark, query = bare.partition("?")
    if (mark and may_hold_secrets(query)) or SIGNED.search(f"?{query}"):
        return address

    return bare


def _replace_login(found: re.Match[str]) -> str:
    """Return a login with its user and password hidden."""
    between = found[2]
    return f"{found[1]}'{HIDDEN}'" + ("" if between is None else f"{between}'{HIDDEN}'")


def _replace_user(found: re.Match[str]) -> str:
    """Return the user part of an address hidden; names of storage containers stay."""
    if _is_container(found) or found[0] == f"{HIDDEN}@":
        return found[0]

    return f"{HIDDEN}@"


def _is_container(found: re.Match[str]) -> bool:
    """Tell whether the text before an @ is a storage container, not a user."""
    start = max(0, found.start() - 8)
    around = found.string[start : found.end()]
    return CONTAINERS.search(around) is not None


def _replace_literal(found: re.Match[str]) -> str:
    """Return a placeholder for a literal or comment."""
    if found["comment"] is not None:
        return "/* */"

    if found["text"] is not None or found["dollar"] is not None:
        return f"'{LITERAL}'"

    if found["double"] is not None:
        return f'{found["compared"]}"{LITERAL}"'

    if found["number"] is not None:
        return LITERAL

    if found[0].startswith('"') and "'" in found[0]:  # a string of Python with SQL in it
        return f'"{LITERALS.sub(_replace_literal, found[0][1:])}'

    return found[0]


RULES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (USER_INFO, _replace_user),
    (THIN, rf"\1{HIDDEN}@"),
    (SIGNED, rf"\1{HIDDEN}"),
    (PARAMETER, rf"\1{HIDDEN}"),
    (LAKE_KEYS, rf"\1'{HIDDEN}'\2'{HIDDEN}'"),
    (SERVER_KEYS, _replace_login),
    (ROWSET, rf"\1'{HIDDEN}'"),
    (QUOTED, rf"\1'{HIDDEN}'"),
    (DOUBLE_QUOTED, rf'\1"{HIDDEN}"'),
    (IDENTIFIED, rf"\1'{HIDDEN}'"),
    (SETTING, rf"\1{HIDDEN}"),
    (LOGON, rf"\1{HIDDEN}"),
    (BEARER, rf"\1{HIDDEN}"),
)
"""Each kind of secret, and its replacement; addresses come first."""
