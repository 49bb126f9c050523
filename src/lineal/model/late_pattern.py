"""Regular expressions of modules that every command loads: compiled when one is first used.

    SIGN = late_pattern(r"\\bVARCHAR2\\s*\\(", re.IGNORECASE)
    SIGN.search(text)

Compiling all patterns of the modules that one statement needs takes longer than reading it.
"""

from __future__ import annotations

import re
from typing import Any, cast


class LatePattern:
    """A pattern that compiles itself at the first use of a method or attribute, and keeps what it
    looked up: later uses cost the same as those of the compiled pattern.
    """

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Look up a method or attribute of the compiled pattern."""
        if name.startswith("__"):  # asked by copy and pickle: they take source and flags
            raise AttributeError(name)

        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


def late_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used."""
    return cast("re.Pattern[str]", LatePattern(source, flags))
