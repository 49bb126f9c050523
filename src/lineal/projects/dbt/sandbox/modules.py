"""`modules.datetime`, `modules.re` and the like: the few names that templates need, and none that
reaches out.
"""

from __future__ import annotations

import datetime
import itertools
import re
from typing import Any

from jinja2 import Undefined


class Facade:
    """Some names of a module. Not the module: that one knows others, and through them the machine."""

    def __init__(self, **names: Any) -> None:
        self._names = names

    def __getitem__(self, name: str) -> Any:
        return self._names[name]


def timezone(name: object = "UTC") -> Zone:
    """A time zone by its name: which one it is changes no lineage."""
    return Zone()


class Zone(datetime.tzinfo):
    """UTC, with what pytz adds."""

    def utcoffset(self, when: object) -> datetime.timedelta:
        """Return no offset: every zone is UTC."""
        return datetime.timedelta(0)

    dst = utcoffset

    def tzname(self, when: object) -> str:
        """Return the name of the zone."""
        return "UTC"

    def localize(self, when: object, *args: object, **kwargs: object) -> Any:
        """Return the time as it is."""
        return when


DATETIME = Facade(
    date=datetime.date,
    datetime=datetime.datetime,
    time=datetime.time,
    timedelta=datetime.timedelta,
    timezone=datetime.timezone,
)


def lenient(function: Any) -> Any:
    """re.search(pattern, target.http_path)      a value of another type is converted to text"""

    def call_with_texts(pattern: Any, text: Any = "", *args: Any, **kwargs: Any) -> Any:
        """Call a function of `re` with plain texts in place of undefined values."""
        plain = not callable(text) or isinstance(text, Undefined)
        return function(pattern, str(text) if plain else text, *map(as_argument, args), **kwargs)

    return call_with_texts


def as_argument(value: object) -> Any:
    """Return a value that the module accepts."""
    if isinstance(value, int):
        return value

    return str(value)


RE = Facade(
    match=lenient(re.match), search=lenient(re.search), sub=lenient(re.sub), findall=lenient(re.findall),
    split=lenient(re.split), compile=re.compile, fullmatch=lenient(re.fullmatch), escape=re.escape,
    IGNORECASE=re.IGNORECASE, MULTILINE=re.MULTILINE, DOTALL=re.DOTALL,
)  # fmt: skip
ITERTOOLS = Facade(
    chain=itertools.chain, product=itertools.product, combinations=itertools.combinations,
    permutations=itertools.permutations, islice=itertools.islice, zip_longest=itertools.zip_longest,
    groupby=itertools.groupby, accumulate=itertools.accumulate,
)  # fmt: skip
MODULES = Facade(
    datetime=DATETIME,
    re=RE,
    itertools=ITERTOOLS,
    pytz=Facade(timezone=timezone, utc=Zone(), UTC=Zone()),
)
