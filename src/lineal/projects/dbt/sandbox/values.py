"""What only a run knows: a value that stands for others, and results of queries that are never
sent.
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

    def _same(self, *args: Any, **kwargs: Any) -> Dynamic:
        return self

    __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _same
    __mul__ = __rmul__ = __mod__ = __rmod__ = __pow__ = __neg__ = _same
    strftime = isoformat = values = keys = items = get = date = total_seconds = _same
    year = month = day = hour = property(lambda self: 1)

    def __add__(self, other: Any) -> Any:
        return Dynamic(str.__add__(self, other)) if isinstance(other, str) else self

    def __radd__(self, other: Any) -> Any:
        return Dynamic(other + str(self)) if isinstance(other, str) else self

    def _order(self, other: Any) -> int:
        """As the number one beside numbers; beside anything else neither more nor less."""
        return (other < 1) - (other > 1) if isinstance(other, (int, float)) else 0

    def __lt__(self, other: Any) -> bool:
        return self._order(other) < 0

    def __gt__(self, other: Any) -> bool:
        return self._order(other) > 0

    def __le__(self, other: Any) -> bool:
        return self._order(other) <= 0

    def __ge__(self, other: Any) -> bool:
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
        return self._place(f"{key}_value") if isinstance(key, str) else self.value

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key]

    def __contains__(self, key: object) -> bool:
        return True

    def values(self) -> Any:
        return [self.value]

    def dict(self) -> Any:
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
        return self[key]

    def values(self) -> list[ResultColumn]:
        return [self[0]]

    def keys(self) -> list[str]:
        return [self[0].name]

    def items(self) -> list[tuple[str, ResultColumn]]:
        return [(self[0].name, self[0])]

    def __iter__(self) -> Iterator[ResultColumn]:
        yield self[0]

    def __len__(self) -> int:
        return 1


class Result:
    """What a query would give: one row that stands for all."""

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

    def print_table(self, *args: Any, **kwargs: Any) -> str:
        return ""

    def rename(self, *args: Any, **kwargs: Any) -> Result:
        return self

    exclude = select = where = order_by = limit = distinct = rename
