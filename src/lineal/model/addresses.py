"""Addresses of servers, postgresql://user:password@host:port/database, and what may be shown of
them.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from lineal.model.late_pattern import late_pattern

SCHEME = late_pattern(r"[a-z][a-z0-9+.\-]*://", re.IGNORECASE)
POSTGRES = late_pattern(r"postgres(?:ql)?://", re.IGNORECASE)
SECRET = late_pattern(
    r"[a-z0-9_\-]*(?:pass|pwd|secret|token|key)[a-z0-9_\-]*=([^&#\s]*)", re.IGNORECASE
)

HIDDEN = "***"


def is_address(text: str) -> bool:
    """Tell whether a text is the address of a PostgreSQL server.

    postgresql://…, postgres://…
    """
    return POSTGRES.match(text) is not None


class Parts(NamedTuple):
    """scheme://user:password@rest"""

    scheme: str
    user: str
    password: str
    rest: str


def parts(address: str) -> Parts:
    """A password that should have been percent-encoded is still a password: up to the last @ that
    may end one.
    """
    found = SCHEME.match(address)
    scheme = found[0] if found is not None else ""
    rest = address[len(scheme) :]
    for stretch in (rest.split("/", 1)[0], re.split("[?#]", rest, maxsplit=1)[0]):
        if "@" in stretch:
            end = stretch.rindex("@")
            user, _, password = rest[:end].partition(":")
            return Parts(scheme, user, password, rest[end + 1 :])

    return Parts(scheme, "", "", rest)


def redact_address(address: str) -> str:
    """Return an address without its secrets.

    postgresql://ann:pw@host/shop?password=pw      postgresql://ann@host/shop
    """
    scheme, user, _, rest = parts(address)
    return f"{scheme}{user}{'@' if user else ''}{re.split('[?#]', rest, maxsplit=1)[0]}"


def secrets(address: str) -> list[str]:
    """Every text in an address that is nobody's business, as it is written and as it is meant; the
    longest first.
    """
    written = [parts(address).password, *SECRET.findall(address)]
    written += [piece for text in written for piece in re.split("[/?#@:]", text) if len(piece) > 2]
    return sorted(
        {text for each in written for text in (each, unquote(each)) if text}, key=len, reverse=True
    )


def redact_in(text: str, address: str) -> str:
    """Return a message about an address with its passwords blotted out."""
    text = text.replace(address, redact_address(address))
    for secret in secrets(address):
        text = text.replace(secret, HIDDEN)

    return text
