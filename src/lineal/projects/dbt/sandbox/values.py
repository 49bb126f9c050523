"""Values that only a run knows: a value that represents others, and results of queries that are
never sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

FIRST = re.compile(
    r"\bselect\s+(?:distinct\s+)?(?:\w+\.)?(\w+)\s*(?:as\s+(\w+)\s*)?(?:,|\bfrom\b)", re.I
)


class Dynamic(str):
    """A placeholder: a text that names what it stands for, a number that is one, and a list of
    itself.
    """

    def __int__(self) -> int:
        return 1

    __index__ = __int__

    def __float__(self) -> float:
        return 1.0

    def __iter__(self) -> Iterator[str]:
        yield self

    def __len__(self) -> int:
        return 1

    def __getitem__(self, key: Any) -> Any:
        return self

    def _same(self, *args: object, **kwargs: object) -> Dynamic:
        """Return this value: whatever is done to an unknown value, it stays unknown."""
        return self

    __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _same
    __mul__ = __rmul__ = __mod__ = __rmod__ = __pow__ = __neg__ = _same
    strftime = isoformat = values = keys = items = get = date = total_seconds = _same
    year = month = day = hour = property(lambda self: 1)

    def __add__(self, other: object) -> Any:
        if isinstance(other, str):
            return Dynamic(str.__add__(self, other))

        return self

    def __radd__(self, other: object) -> Any:
        if isinstance(other, str):
            return Dynamic(other + str(self))

        return self

    def _order(self, other: object) -> int:
        """Acts as the number one among numbers; among anything else neither more nor less."""
        if isinstance(other, (int, float)):
            return (other < 1) - (other > 1)

        return 0

    def __lt__(self, other: object) -> bool:
        return self._order(other) < 0

    def __gt__(self, other: object) -> bool:
        return self._order(other) > 0

    def __le__(self, other: object) -> bool:
        return self._order(other) <= 0

    def __ge__(self, other: object) -> bool:
        return self._order(other) >= 0


Place = Callable[[Any], Dynamic]
"""Makes a placeholder of a name, and has it known."""


class Row(dict[Any, Any]):
    """A row of a result: every column of it is dynamic."""

    def __init__(self, value: Dynamic, place: Place) -> None:
        super().__init__()
        self.value = value
        self._place = place

    def __getitem__(self, key: Any) -> Dynamic:
        if isinstance(key, str):
            return self._place(f"{key}_value")

        return self.value

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the one value, whatever the key."""
        return self[key]

    def __contains__(self, key: object) -> bool:
        return True

    def values(self) -> Any:
        """Return the one value as a list."""
        return [self.value]

    def dict(self) -> Any:
        """Return the row itself."""
        return self

    def __iter__(self) -> Iterator[Any]:
        yield self.value

    def __len__(self) -> int:
        return 1


class ResultColumn:
    def __init__(self, value: Dynamic) -> None:
        self.value = value
        self.name = str(value).removesuffix("_value")

    def values(self) -> list[Any]:
        """Return the one value as a list."""
        return [self.value]

    values_distinct = values

    def __iter__(self) -> Iterator[Any]:
        yield self.value

    def __getitem__(self, key: Any) -> Any:
        return self.value

    def __len__(self) -> int:
        return 1


class ResultColumns:
    def __init__(self, value: Dynamic, place: Place) -> None:
        self.value = value
        self._place = place

    def __getitem__(self, key: Any) -> ResultColumn:
        return ResultColumn(self._place(f"{key}_value") if isinstance(key, str) else self.value)

    def get(self, key: Any, default: Any = None) -> ResultColumn:
        """Return the one column, whatever the key."""
        return self[key]

    def values(self) -> list[ResultColumn]:
        """Return the one column as a list."""
        return [self[0]]

    def keys(self) -> list[str]:
        """Return the name of the one column."""
        return [self[0].name]

    def items(self) -> list[tuple[str, ResultColumn]]:
        """Return name and column as a pair."""
        return [(self[0].name, self[0])]

    def __iter__(self) -> Iterator[ResultColumn]:
        yield self[0]

    def __len__(self) -> int:
        return 1


class Result:
    """The result of a query: one row that represents all."""

    def __init__(self, query: str, place: Place) -> None:
        found = FIRST.search(query)
        self.value = place(f"{(found[2] or found[1]) if found else 'query'}_value")
        self.columns = ResultColumns(self.value, place)
        self.rows = [Row(self.value, place)]
        self.column_names = [str(self.value).removesuffix("_value")]
        self.data = [[self.value]]
        self.table = self
        self.response = "OK"

    def __iter__(self) -> Iterator[Row]:
        yield self.rows[0]

    def __len__(self) -> int:
        return 1

    def __getitem__(self, key: Any) -> Any:
        return {"data": self.data, "table": self, "response": self.response}.get(key, self.rows[0])

    def print_table(self, *args: object, **kwargs: object) -> str:
        """Print nothing."""
        return ""

    def rename(self, *args: Any, **kwargs: Any) -> Result:
        """Return the result itself."""
        return self

    exclude = select = where = order_by = limit = distinct = rename
