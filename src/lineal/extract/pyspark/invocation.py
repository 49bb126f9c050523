"""Invocations: the values that a call is given, as every handler of calls takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lineal.extract.pyspark.values import Value

Arguments = list[Value]
Keywords = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Invocation:
    """The values that a call is given, and the node of the call.

    f(a, b, k=c)      the arguments a and b, the keyword k
    """

    arguments: Arguments
    keywords: Keywords
    node: Any
    """The call, or the item, loop or operator that works like one; None for the default of a field."""

    def argument(self, position: int, name: str, default: Value = None) -> Value:
        """Return an argument by its position or by its name, else the default.

        f(x), f(name=x)
        """
        return named_argument(self.arguments, self.keywords, position, name, default)

    def only(self) -> Value:
        """Return the one argument of the call, whatever its name.

        f(x), f(any_name=x)
        """
        return only_argument(self.arguments, self.keywords)

    def with_arguments(self, arguments: Arguments, keywords: Keywords | None = None) -> Invocation:
        """Return the same call with other arguments, and its own keywords unless others are given."""
        return Invocation(arguments, self.keywords if keywords is None else keywords, self.node)


def named_argument(
    arguments: Arguments, keywords: Keywords, position: int, name: str, default: Value = None
) -> Value:
    """Return an argument by its position or by its name, else the default.

    f(x), f(name=x)
    """
    if position < len(arguments):
        return arguments[position]

    return keywords.get(name, default)


def argument_at(arguments: Arguments, position: int = 0, default: Value = None) -> Value:
    """Return an argument by its position, else the default.

    f(x)
    """
    if position < len(arguments):
        return arguments[position]

    return default


def only_argument(arguments: Arguments, keywords: Keywords) -> Value:
    """Return the one argument of a call, whatever its name.

    f(x), f(any_name=x)
    """
    if arguments:
        return arguments[0]

    return next(iter(keywords.values()), None)
