"""Actions of Dataform: tables, views, operations, assertions, declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lineal.model.diagnostic import Place
from lineal.model.extraction import ColumnInfo
from lineal.model.plain import as_list, as_mapping
from lineal.projects.dataform.javascript.values import Unknown
from lineal.projects.dataform.settings import Settings

ASSERTION, DECLARATION, OPERATIONS = "assertion", "declaration", "operations"
TABLES = ("table", "view", "incremental", "inline")
KINDS = {
    "incrementalTable": "incremental", "operation": OPERATIONS, "operations": OPERATIONS,
    "declaration": DECLARATION, "assertion": ASSERTION, "test": "unit",
    **{name: name for name in TABLES},
}  # fmt: skip
"""The names of an action in config blocks and in actions.yaml, and its kind."""


@dataclass(frozen=True)
class Target:
    """The relation of an action."""

    database: str
    schema: str
    name: str

    def dataset(self, settings: Settings) -> str:
        """Return the name of the dataset: schema.name, with a database that is not the default."""
        parts = [self.schema, self.name]
        if self.database and self.database != settings.database:
            parts.insert(0, self.database)

        return ".".join(filter(None, parts))


@dataclass
class Action:
    """One action: its relation, what its config says, and how its SQL is written."""

    kind: str
    target: Target
    config: Mapping[str, Any]
    file: str
    line: int
    write: Callable[[bool], str] | None = None
    """Writes the SQL: for a run on top of an existing table, or for a first one."""
    dataset: str = ""
    one_line: bool = False

    @property
    def place(self) -> Place:
        """Return where the action is declared."""
        return Place(self.file, self.line, 1)

    @property
    def is_disabled(self) -> bool:
        """Tell whether the action is switched off."""
        return self.config.get("disabled") is True

    @property
    def description(self) -> str:
        """Return what the config says about the action."""
        return text_of(self.config.get("description"))

    @property
    def tags(self) -> tuple[str, ...]:
        """Return the tags of the action."""
        return tuple(map(str, texts_of(self.config.get("tags"))))

    def columns(self) -> list[ColumnInfo]:
        """columns: {id: "the key", name: {description: "…"}}"""
        held = self.config.get("columns")
        if isinstance(held, list):
            held = {
                text_of(each.get("name") or each.get("path")): each
                for each in held
                if isinstance(each, dict)
            }

        found = []

        for name, about in held.items() if isinstance(held, dict) else ():
            told = about
            if isinstance(about, dict):
                told = about.get("description")

            if name:
                found.append(ColumnInfo(str(name), "", text_of(told), place=self.place))

        return found


def target_of(config: Mapping[str, object], name: str, settings: Settings) -> Target:
    """Return the relation that a config names."""
    return Target(
        text_of(config.get("database") or config.get("project")) or settings.database,
        text_of(config.get("schema") or config.get("dataset")) or settings.schema,
        text_of(config.get("name")) or name,
    )


def text_of(held: object) -> str:
    """Return a value as text; a value that only a run knows is a placeholder in a name."""
    if isinstance(held, Unknown):
        return f"{{{held.label}}}"

    if isinstance(held, str):
        return held.strip()

    return ""


def texts_of(held: object) -> list[str]:
    """Return the texts of a list, or of one text."""
    if isinstance(held, str):
        return [held]

    if isinstance(held, list):
        return [each for each in held if isinstance(each, str)]

    return []


@dataclass(frozen=True)
class Check:
    """An assertion in the config of a table: its name and its query."""

    name: str
    query: str


@dataclass
class Checks:
    """assertions: {uniqueKey: ["id"], nonNull: ["id"], rowConditions: ["amount > 0"]}"""

    action: Action
    found: list[Check] = field(default_factory=list)

    def all(self) -> Iterator[Check]:
        """Yield the assertions of an action, named as Dataform names them."""
        held = as_mapping(self.action.config.get("assertions"))
        stem = f"{self.action.target.schema}_{self.action.target.name}_assertions"
        keys = [texts_of(held.get("uniqueKey"))]
        keys += map(texts_of, as_list(held.get("uniqueKeys")))

        for number, columns in enumerate(filter(None, keys)):
            yield Check(f"{stem}_uniqueKey_{number}", self.query(columns, []))

        tests = [f"{column} IS NOT NULL" for column in texts_of(held.get("nonNull"))]
        tests += texts_of(held.get("rowConditions"))
        if tests:
            yield Check(f"{stem}_rowConditions", self.query([], tests))

    def query(self, columns: list[str], tests: list[str]) -> str:
        """Return a query that reads the columns of an assertion."""
        chosen = ", ".join(columns) or "1"
        text = f"SELECT {chosen} FROM {quote_relation(self.action.dataset)}"  # noqa: S608
        if tests:
            text += f" WHERE {' OR '.join(f'NOT ({test})' for test in tests)}"

        return text


def quote_relation(name: str) -> str:
    """Return the name of a relation as SQL writes it: each part in backticks."""
    return ".".join(f"`{part}`" for part in name.split("."))
