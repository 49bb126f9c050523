"""Macros of a project and its packages: found by name, compiled when they are called for the first
time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lineal.projects.worker import Limited, Wrong

OPENING = re.compile(r"\{%-?\s*(macro|test|materialization|data_test)\s+(\w+)\b")
CLOSING = re.compile(r"\{%-?\s*end(macro|test|materialization|data_test)\s*-?%\}")
COMMENT = re.compile(r"\{#.*?#\}", re.S)
TESTS = ("test", "data_test")

PARENTS = {
    "redshift": "postgres",
    "databricks": "spark",
    "materialize": "postgres",
    "motherduck": "duckdb",
}
"""An adapter, and the one whose macros it uses where it has none of its own."""


class Return(Exception):
    """{{ return(x) }}      the value of the macro around it"""


class Source:
    """A macro as its file has it; compiled on its first call."""

    def __init__(self, package: str, name: str, text: str, file: str, line: int) -> None:
        self.package = package
        self.name = name
        self.text = text
        self.file = file
        self.line = line


def macros_in(package: str, file: str, text: str) -> Iterator[Source]:
    """{% macro a() %}…{% endmacro %}      each macro of a file; a test a is the macro test_a"""
    if "{#" in text:
        text = COMMENT.sub(blank_comment, text)

    position = 0
    while found := OPENING.search(text, position):
        ending = end_of_block(text, found)
        line = text.count("\n", 0, found.start()) + 1
        body = text[found.start() : ending]
        if found[1] == "macro":
            yield Source(package, found[2], body, file, line)
        elif found[1] in TESTS:
            yield Source(package, f"test_{found[2]}", as_macro(body), file, line)

        position = ending


def as_macro(test: str) -> str:
    """{% test a(model) %}…{% endtest %}      {% macro test_a(model) %}…{% endmacro %}"""
    found = OPENING.match(test)
    assert found is not None
    head = test[: found.start(1)] + f"macro test_{found[2]}"
    opened = head + test[found.end() :]
    closings = list(CLOSING.finditer(opened))
    if not closings:
        return opened

    last = closings[-1]
    return (
        opened[: last.start()] + last[0].replace(f"end{last[1]}", "endmacro") + opened[last.end() :]
    )


def end_of_block(text: str, opening: re.Match[str]) -> int:
    """Return where a block ends: a macro may be inside another."""
    depth, position = 1, opening.end()
    while depth:
        closing = CLOSING.search(text, position)
        if closing is None:
            return len(text)

        depth += sum(1 for _ in OPENING.finditer(text, position, closing.start())) - 1
        position = closing.end()

    return position


def blank_comment(comment: re.Match[str]) -> str:
    """A comment may hold a macro that nobody means; its lines stay."""
    return "\n" * comment[0].count("\n")


class Macro:
    """A macro that can be called; what it returns is a value, else its text."""

    def __init__(self, source: Source, environment: Limited, names: Callable[[str], Any]) -> None:
        self.source = source
        self.name = source.name
        self._environment = environment
        self._names = names
        self._made: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._made is None:
            self._made = self.compile()

        try:
            return self._made(*args, **kwargs)
        except Return as returned:
            return returned.args[0]

    def compile(self) -> Any:
        """Return the macro as a function."""
        source = self.source
        # Jinja keeps such names to itself
        name = f"own{source.name}" if source.name[0] == "_" else source.name
        text = "\n" * (source.line - 1) + source.text.replace(source.name, name, 1)
        template = self._environment.compile_template(text, source.file, lambda tree: tree)
        module = template.make_module(self._names(source.package), shared=True)
        return getattr(module, name)


class Library:
    """All macros, by package and name."""

    def __init__(
        self, environment: Limited, setup: dict[str, Any], names: Callable[[str], Any]
    ) -> None:
        self.root: str = setup["project_name"]
        self.adapter: str = setup["target"]["type"]
        self.orders: dict[str, list[str]] = setup["dispatch"]
        self.macros: dict[str, dict[str, Macro]] = {}
        self.own: dict[str, dict[str, Macro]] = {}
        for package, file, text in setup["macro_files"]:
            held = self.macros.setdefault(package, {})
            held.update(
                {
                    each.name: Macro(each, environment, names)
                    for each in macros_in(package, file, text)
                }
            )

        for package, file, text in setup["own_macros"]:
            self.own[package] = {
                each.name: Macro(each, environment, names)
                for each in macros_in(package, file, text)
            }

        self.packages = {*self.macros, *self.own}

    def find(self, name: str, package: str) -> Macro | None:
        """x()      of this package, else of the project, else of dbt"""
        return (
            self.macro_of(package, name)
            or self.macro_of(self.root, name)
            or self.macro_of("dbt", name)
        )

    def macro_of(self, package: str, name: str) -> Macro | None:
        """dbt_utils.star()

        as the package has it; ours where that needs what only a database knows
        """
        own = self.own.get(package, {}).get(name)
        installed = self.macros.get(package, {}).get(name)
        if own is not None and (installed is None or name in OURS.get(package, ())):
            return own

        return installed

    def dispatch(self, name: str, namespace: str, package: str) -> Macro:
        """adapter.dispatch('x', 'dbt_utils')

        snowflake__x or default__x, of the project before the package
        """
        order = self.orders.get(namespace) or (
            [self.root, namespace] if namespace else [package, self.root, "dbt"]
        )
        for where in dict.fromkeys((*order, package, self.root, *sorted(self.packages))):
            for prefix in (*prefixes(self.adapter), "default"):
                found = self.macro_of(where, f"{prefix}__{name}")
                if found is not None:
                    return found

        own = self.own.get(namespace or "dbt", {}).get(name)
        if own is None:
            raise Wrong(f"there is no macro {name} for the adapter {self.adapter or 'default'}", "")

        return own


OURS = {
    "dbt_utils": (
        "star",
        "union_relations",
        "get_filtered_columns_in_relation",
        "unpivot",
        "_is_relation",
        "_is_ephemeral",
        "date_spine",
        "get_intervals_between",
    ),
    "dbt_date": ("date_spine", "get_intervals_between"),
    "fivetran_utils": ("fill_staging_columns", "union_data", "source_relation"),
}
"""Macros that list columns; ours also know what to do where these are not all known. Others need no
database here.
"""


def prefixes(adapter: str) -> Iterator[str]:
    """Yield the adapter and its parents, whose macros it falls back to."""
    while adapter:
        yield adapter
        adapter = PARENTS.get(adapter, "")


class Package:
    """dbt_utils.star

    a package's macros by name; looked up as items, so that a name may begin with _
    """

    def __init__(self, library: Library, name: str, functions: Mapping[str, Any]) -> None:
        self._library = library
        self._name = name
        self._functions = functions

    def __str__(self) -> str:
        return self._name

    def __getitem__(self, name: str) -> Any:
        found = self.get(name)
        if found is None:
            raise KeyError(name)

        return found

    def get(self, name: str, default: Any = None) -> Any:
        """Return a macro of the package, or the default."""
        found = self._functions.get(name)
        if found is not None:
            return found

        return self._library.macro_of(self._name, name) or default

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None
