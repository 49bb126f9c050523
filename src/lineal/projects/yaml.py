"""YAML with places: plain values that still know the file, line and column they were written at.

Only the events of the safe loader are used, so that no tag can make an object, an alias cannot blow
up and nesting cannot exhaust the stack. Bad input is reported, never raised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects.intake import current
from lineal.projects.text import Report, read_text

MOST_VALUES = 200_000
"""Aliases are counted as often as they are used: a file may not expand to more values than this."""

DEEPEST = 100
NOWHERE = Place("", 1, 1)
TEXT_TAGS = {"tag:yaml.org,2002:str", "tag:yaml.org,2002:merge", "tag:yaml.org,2002:value"}
CORE_TAGS = {None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a YAML file, its place, and its name in messages: `columns[0].type`."""

    data: Any
    """A scalar, a list of Values, or a dict of Values by key."""
    place: Place = NOWHERE
    name: str = ""
    raw: str = ""
    """A scalar as it was written: `1.10` stays `1.10`, `yes` stays `yes`."""
    block: bool = False
    """A text behind `|` or `>`: its first line is the line below."""

    @property
    def known_place(self) -> Place | None:
        """The place of the value; None for plain data, which has no file."""
        return self.place if self.place.file else None

    @property
    def text_line(self) -> int:
        """The line that the text itself begins on."""
        return self.place.line + self.block

    def plain(self) -> Any:
        """The value without its places."""
        if isinstance(self.data, dict):
            return {key: value.plain() for key, value in self.data.items()}

        if isinstance(self.data, list):
            return [value.plain() for value in self.data]

        return self.data

    def get(self, *keys: str) -> Value | None:
        """The value of the first of these keys that is there and not null."""
        if not isinstance(self.data, dict):
            return None

        found = map(self.data.get, keys)
        return next(
            (value for value in found if value is not None and value.data is not None), None
        )

    def part(self, *keys: str) -> Value:
        """The value of the first of these keys that is there, or an empty value."""
        return self.get(*keys) or NOTHING

    @property
    def is_scalar(self) -> bool:
        """Tell whether the value is a text, a number, a date or a boolean."""
        return not isinstance(self.data, (dict, list, type(None)))

    @property
    def is_mapping(self) -> bool:
        """Tell whether the value is a mapping."""
        return isinstance(self.data, dict)

    @property
    def entries(self) -> dict[str, Value]:
        """The entries of a mapping; none of any other value."""
        if isinstance(self.data, dict):
            return self.data

        return {}

    @property
    def items(self) -> list[Value]:
        """The items of a list; none of any other value."""
        if isinstance(self.data, list):
            return self.data

        return []

    def at(self, *path: str | int) -> Place:
        """The place of a key path: `value.at("columns", 0, "type")`; of its nearest parent where it
        ends early.
        """
        here = self
        for step in path:
            try:
                here = here.data[step]
            except (LookupError, TypeError):
                break

        return here.place

    def text(self, report: Report, *keys: str) -> str:
        """The text under a key, '' if there is none. Numbers, dates and booleans are taken as they
        are written.
        """
        value = self.get(*keys)
        if value is None:
            return ""

        return value.as_text(report)

    def as_text(self, report: Report) -> str:
        """Return the value as a text; a mapping or a list is reported."""
        if isinstance(self.data, (dict, list)):
            report(self.report_unexpected("text"))
            return ""

        if self.data is None:
            return ""

        return self.raw.strip()

    def mapping(self, report: Report, *keys: str) -> dict[str, Value]:
        """The entries of the mapping under a key."""
        value = self.get(*keys)
        if value is None:
            return {}

        if isinstance(value.data, dict):
            return value.data

        report(value.report_unexpected("a mapping"))
        return {}

    def items_of(self, *keys: str) -> list[Value]:
        """The items of the list under a key; a single value is a list of one."""
        value = self.get(*keys)
        if value is None:
            return []

        if isinstance(value.data, list):
            return value.data

        return [value]

    def report_unexpected(self, expected: str) -> Diagnostic:
        """columns[0].type: expected text, found a list"""
        name = f"{self.name}: " if self.name else ""
        return Diagnostic(
            Code.YAML_TYPE, f"{name}expected {expected}, found {self.described}", self.place
        )

    @property
    def described(self) -> str:
        """Return the value in words, for a message."""
        noun = NOUNS.get(type(self.data))
        return noun or f"{self.raw[:40]!r}"


NOTHING = Value(None)
"""The value of a key that is not there."""

NOUNS: Mapping[type, str] = {dict: "a mapping", list: "a list", type(None): "nothing"}


def read(path: Path, report: Report) -> Value | None:
    """The value of a YAML file; None and a diagnostic if it cannot be read."""
    text = read_text(path, report)
    if text is None:
        return None

    return parse(text, str(path), report)


def parse(text: str, file: str, report: Report) -> Value | None:
    """The value of a YAML text; None and a diagnostic with its line if it is not YAML. An empty
    text is null.
    """
    import yaml

    try:
        return _Builder(text, file, report).document()
    except _Refused as refused:
        report(Diagnostic(Code.YAML_ERROR, refused.args[0], refused.args[1]))
    except yaml.YAMLError as error:
        report(Diagnostic(Code.YAML_ERROR, _problem(error), _place_of(error, text, file)))

    current().mark_invalid(file)
    return None


def of_plain(data: object, name: str = "") -> Value:
    """A Value of plain Python data, which has no place."""
    if isinstance(data, Mapping):
        prefix = f"{name}." if name else ""
        return Value(
            {str(key): of_plain(item, f"{prefix}{key}") for key, item in data.items()}, name=name
        )

    if isinstance(data, (list, tuple)):
        return Value(
            [of_plain(item, f"{name}[{index}]") for index, item in enumerate(data)], name=name
        )

    return Value(data, name=name, raw="" if data is None else str(data))


class _Refused(Exception):
    """A construct that YAML allows and this reader does not: (message, place)."""


class _Builder:
    """Values from the loader's events, with an eye on size and depth."""

    def __init__(self, text: str, file: str, report: Report) -> None:
        import yaml

        self.yaml = yaml
        self.loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        self.file = file
        self.report = report
        self.anchors: dict[str, tuple[Value, int]] = {}
        self.count = 0
        self.builders = {
            yaml.ScalarEvent: self.scalar,
            yaml.SequenceStartEvent: self.sequence,
            yaml.MappingStartEvent: self.mapping,
        }

    def document(self) -> Value:
        """Return the value of the first document."""
        events = self.loader
        events.get_event()
        if events.check_event(self.yaml.StreamEndEvent):
            return Value(None, Place(self.file, 1, 1))

        events.get_event()
        value = self.value("", 0)
        events.get_event()
        if not events.check_event(self.yaml.StreamEndEvent):
            self.complain(
                "several documents in one file: only the first is read", events.get_event()
            )

        return value

    def value(self, name: str, depth: int) -> Value:
        """Return the next value."""
        event = self.loader.get_event()
        if isinstance(event, self.yaml.AliasEvent):
            return self.alias(event)

        start = self.grow(event, 1)
        if depth > DEEPEST:
            raise _Refused(f"nests deeper than {DEEPEST} levels", self.place(event))

        value = self.builders[type(event)](event, name, depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, self.count - start)

        return value

    def alias(self, event: Any) -> Value:
        """Return the value of an anchor."""
        if event.anchor not in self.anchors:
            raise _Refused(f"*{event.anchor} is not defined before it is used", self.place(event))

        value, size = self.anchors[event.anchor]
        self.grow(event, size)
        return value

    def grow(self, event: object, size: int) -> int:
        """Count values, and refuse a file that expands to too many."""
        before = self.count
        self.count += size
        if self.count > MOST_VALUES:
            raise _Refused(f"expands to more than {MOST_VALUES:,} values", self.place(event))

        return before

    def scalar(self, event: Any, name: str, depth: int) -> Value:
        """Return a scalar."""
        tag = event.tag
        if tag is None or tag == "!":
            tag = self.loader.resolve(self.yaml.ScalarNode, event.value, event.implicit)

        data = event.value if tag in TEXT_TAGS else self.construct(tag, event)
        return Value(data, self.place(event), name, event.value, event.style in ("|", ">"))

    def construct(self, tag: str, event: Any) -> object:
        """A number, date, boolean or null; `2024-99-99` looks like a date, is none, and so is text."""
        try:
            return self.loader.construct_object(
                self.yaml.ScalarNode(tag, event.value, event.start_mark, event.end_mark)
            )
        except self.yaml.YAMLError:
            self.complain(f"the tag {tag} is not read", event)
            return None
        except (ValueError, OverflowError, LookupError):
            return event.value

    def sequence(self, event: object, name: str, depth: int) -> Value:
        """Return a list."""
        self.check_tag(event)
        items: list[Value] = []
        while not self.loader.check_event(self.yaml.SequenceEndEvent):
            items.append(self.value(f"{name}[{len(items)}]", depth + 1))

        self.loader.get_event()
        return Value(items, self.place(event), name)

    def mapping(self, event: Any, name: str, depth: int) -> Value:
        """Return a mapping; a key that occurs twice is reported."""
        self.check_tag(event)
        entries: dict[str, Value] = {}
        lines: dict[str, int] = {}
        merged: list[Value] = []
        prefix = f"{name}." if name else ""
        while not self.loader.check_event(self.yaml.MappingEndEvent):
            key = self.value(name, depth + 1)
            value = self.value(f"{prefix}{key.raw}", depth + 1)
            if isinstance(key.data, (dict, list)):
                self.report(key.report_unexpected("text as a key"))
            elif key.raw == "<<":
                merged += value.data if isinstance(value.data, list) else [value]
            elif key.raw in lines:
                self.report(_duplicate_key(key, lines[key.raw]))
            else:
                entries[key.raw], lines[key.raw] = value, key.place.line

        self.loader.get_event()
        for base in merged:
            entries = {**base.data, **entries} if isinstance(base.data, dict) else entries

        return Value(entries, self.place(event), name)

    def check_tag(self, event: Any) -> None:
        """Report a tag that is not read."""
        if event.tag not in CORE_TAGS:
            self.complain(f"the tag {event.tag} is not read", event)

    def complain(self, message: str, event: Any) -> None:
        """Report a problem at an event."""
        self.report(Diagnostic(Code.YAML_ERROR, message, self.place(event)))

    def place(self, event: Any) -> Place:
        """Return the place of an event."""
        return Place(self.file, event.start_mark.line + 1, event.start_mark.column + 1)


def _duplicate_key(key: Value, first: int) -> Diagnostic:
    """Return the diagnostic of a key that occurs twice."""
    name = f"{key.name}: " if key.name else ""
    return Diagnostic(
        Code.DUPLICATE_KEY, f"{name}the key '{key.raw}' is here and on line {first}", key.place
    )


def _problem(error: Exception) -> str:
    """Return the reason why a text is not YAML."""
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "not valid YAML"
    context = getattr(error, "context", None)
    if context:
        return f"{problem} {context}"

    return str(problem)


def _place_of(error: Exception, text: str, file: str) -> Place:
    """Return the place of a YAML error."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        return Place(file, mark.line + 1, mark.column + 1)

    before = text[: getattr(error, "position", 0) or 0]
    return Place(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
