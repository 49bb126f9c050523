"""The methods of texts: parts that only a run knows stay placeholders."""

from __future__ import annotations

import itertools
import string
from collections.abc import Callable, Iterator

from lineal.extract.pyspark.invocation import Arguments, Invocation, Keywords, argument_at
from lineal.extract.pyspark.knowledge import all_known, items_of
from lineal.extract.pyspark.natives import COMPUTED, unknown_value
from lineal.extract.pyspark.operators import LONGEST_LIST
from lineal.extract.pyspark.paths import METHODS as PATH_METHODS
from lineal.extract.pyspark.protocols import as_text
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.texts import text_of_parts
from lineal.extract.pyspark.values import Instance, Pattern, Unknown, Value

TEXT_METHODS = frozenset(
    """upper lower strip lstrip rstrip title capitalize split rsplit splitlines replace startswith endswith join
    format format_map removeprefix removesuffix zfill ljust rjust center count find index isdigit isalpha isalnum
    isidentifier islower isupper isspace partition rpartition casefold swapcase encode""".split()  # noqa: SIM905
)

WIDENING = frozenset(("zfill", "ljust", "rjust", "center"))
WIDEST = 9_999
"""Characters to which a text is filled up."""


def method_of_text(run: Run, held: str, name: str, call: Invocation) -> Value:
    """Call a method of a text.

    name.upper(), ",".join(names), "{}.orders".format(schema)
    """
    if name in PATH_METHODS:
        return PATH_METHODS[name](run, call.with_arguments([held, *call.arguments]))

    combine = COMBINING.get(name)
    if combine is not None:
        return combine(run, held, call)

    if name in TEXT_METHODS and all_known(call.arguments) and all_known(call.keywords.values()):
        return call_text_method(held, name, call.arguments, call.keywords)

    if name == "replace" and len(call.arguments) == 2 and isinstance(call.arguments[0], str):
        return replace_part(held, call.arguments[0], call.arguments[1])

    return unknown_value()


def call_text_method(held: str, name: str, arguments: Arguments, keywords: Keywords) -> Value:
    """Call Python's own method of a text with constants."""
    if is_too_long(held, name, arguments):
        return unknown_value()

    try:
        found = getattr(str(held), name)(*arguments, **keywords)
    except Exception:  # the analyzed program's mistake
        return unknown_value()

    if isinstance(held, Pattern):
        return made_of_pattern(held, found)

    return found


def is_too_long(held: str, name: str, arguments: Arguments) -> bool:
    """Return whether a method would make a text longer than any name or statement."""
    if name in WIDENING:
        width = argument_at(arguments)
        return isinstance(width, int) and width > WIDEST

    if name == "replace" and len(arguments) > 1:
        return held.count(str(arguments[0])) * len(str(arguments[1])) > LONGEST_LIST

    return False


def made_of_pattern(held: Pattern, found: Value) -> Value:
    """Return what a method gave, as uncertain as the text that it was called on."""
    if isinstance(found, str):
        return held.retold(found)

    if not isinstance(found, list):
        return Unknown("…", held.reason, held.level)

    parts: list[Value] = []
    for part in found:
        has_placeholder = "{" in part
        parts.append(Pattern(part, held.level, held.reason) if has_placeholder else part)

    return parts


def replace_part(held: str, old: str, new: Value) -> Value:
    """Replace a part of a text.

    text.replace("$day", day)      where only a run knows the new part
    """
    first, *rest = str(held).split(old) if old else [held]
    parts: list[Value] = [first]
    for piece in rest:
        parts += [new, piece]

    return text_of_parts(parts)


def join_texts(run: Run, held: str, call: Invocation) -> Value:
    """Join texts.

    ",".join(names)
    """
    items = items_of(argument_at(call.arguments))
    if items is None:
        return unknown_value()

    parts: list[Value] = items[:1]
    for item in items[1:]:
        parts += [held, item]

    return text_of_parts(parts)


def format_text(run: Run, held: str, call: Invocation) -> Value:
    """Format a text.

    "{}.orders".format(schema), "{t}".format(t=name)
    """
    by_name = {key: as_text(run, item, call.node) for key, item in call.keywords.items()}
    by_position = [as_text(run, item, call.node) for item in call.arguments]
    numbers = itertools.count()
    parts: list[Value] = []

    try:
        for text, field, _spec, _conversion in string.Formatter().parse(str(held)):
            parts.append(text)
            if field is not None:
                parts.append(field_value(field, by_position, by_name, numbers))
    except ValueError:
        return unknown_value()

    if isinstance(held, Pattern):
        return Pattern(str(text_of_parts(parts)), held.level, held.reason)

    return text_of_parts(parts)


def field_value(
    field: str, arguments: Arguments, keywords: Keywords, numbers: Iterator[int]
) -> Value:
    """Return the value of a field of a format.

    {}, {0}, {name}, {order.day}, {config[day]}
    """
    base, *path = field.replace("[", ".").replace("]", "").split(".")
    if base == "" or base.isdigit():
        position = int(base) if base else next(numbers)
        found = argument_at(arguments, position, unknown_value())
    else:
        found = keywords.get(base, Unknown(base, "not given"))

    for name in path:
        found = part_value(found, name)

    return found


def part_value(held: Value, name: str) -> Value:
    """Return an item of a dict or an attribute of an object."""
    if isinstance(held, dict):
        return held.get(name)

    if isinstance(held, Instance):
        return held.names.get(name)

    return Unknown(name, COMPUTED)


COMBINING: dict[str, Callable[[Run, str, Invocation], Value]] = {
    "format": format_text,
    "join": join_texts,
}
"""Methods that make a text of several values, whether those are known or not."""
