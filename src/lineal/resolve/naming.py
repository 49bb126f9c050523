"""Names without a schema: what they mean by the defaults, the search path, and USE."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from lineal.extract.sql.placeholders import has_placeholders
from lineal.extract.sql.statements.steps import Plan, Renamed, Step, Swapped, Using
from lineal.model.names import Fold
from lineal.model.script import Defaults, Script
from lineal.resolve.file_names import Parts, folders_of
from lineal.resolve.folders import HomesOfName

NO_HOMES: Mapping[str, HomesOfName] = {}

NOTHING_ELSE = re.compile(r"(?:\$?\{[^{}]*\}[./_-]*)+")
"""{t}, {db}.{t}, {a}_{b}, and the paths '${out}' and '${root}/${day}'"""

LOCAL = ("#", "@")
"""T-SQL's temporary tables and table variables belong to no schema."""


class Naming(NamedTuple):
    """Where a name that does not say so is looked for."""

    catalog: str | None
    schemas: tuple[str, ...]
    fold: Fold
    known: Callable[[str], bool]
    """whether anything defines or declares a key: of the schemas in the path the first that has the
    name is meant
    """
    exact: bool = False
    home: str = ""
    """the file that a name belongs to which is nothing but a placeholder"""
    homes: Mapping[str, HomesOfName] = NO_HOMES
    """the names that mean another dataset in another folder"""
    folder: Parts = ()
    """the folder of the script"""

    @property
    def speaks(self) -> bool:
        """Whether a name may mean another one at all."""
        defaults = self.catalog is not None or bool(self.schemas)
        return defaults or bool(self.home) or bool(self.homes)

    def at(self, file: str, homes: Mapping[str, HomesOfName]) -> Naming:
        """Return the meaning of names in a file, where folders matter."""
        return self._replace(homes=homes, folder=folders_of(file))

    def near(self, name: str, key: str) -> tuple[str, str]:
        """customer      tpch::customer, where that is the nearest; customer itself if it is a tie"""
        candidates = self.homes[key].nearest(self.folder) if key in self.homes else []
        if len(candidates) != 1:
            return name, key

        home = candidates[0]
        if home.name:  # {DB}.customer, which may be one in several folders itself
            return self.near(home.name, home.key)

        return home.shown(name), home.key

    def using(self, step: Using) -> Naming:
        """Return the naming after a USE statement.

        USE a.b      from here on
        """
        catalog = step.catalog if step.catalog is not None else self.catalog
        schemas = step.schemas if step.schemas is not None else self.schemas
        return self._replace(
            catalog=catalog, schemas=schemas, exact=self.exact and step.schemas is None
        )

    def within(self, script: Script) -> Naming:
        """Return the meaning of names in the session that ran a script."""
        naming = self
        path = script.file.replace("\\", "/")
        file = path.rpartition("/")[2]
        # a file, and no model's name
        if "." in file and has_placeholders(script.text, script.dialect):
            naming = self._replace(home=file if path.startswith("/") else path)

        if not (script.catalog or script.schemas):
            return naming

        schemas = script.schemas if any(script.schemas) else self.schemas or script.schemas
        return naming._replace(catalog=script.catalog or self.catalog, schemas=schemas)

    def is_of_file(self, key: str) -> bool:
        """Tell whether a name belongs to its file alone.

        INSERT INTO {output}

        another file's {output} is another dataset: the name says nothing
        """
        return bool(self.home) and NOTHING_ELSE.fullmatch(key) is not None

    def in_file(self, name: str, key: str) -> tuple[str, str]:
        """{output}      jobs/daily.sql::{output}"""
        return f"{self.home}::{name}", f"{self.home.lower()}::{key}"

    def full(self, name: str, key: str) -> tuple[str, str]:
        """Return the full name of a table and its key.

        t      catalog.schema.t, and its key
        """
        if self.is_of_file(key):
            return self.in_file(name, key)

        if "." not in key and self.schemas and not key.startswith(LOCAL):
            candidates = [self.under(schema, name, key) for schema in self.schemas]
            known = next((each for each in candidates if self.known(each[1])), candidates[0])
            return self.near(*known)

        return self.near(*self.in_catalog(name, key))

    def created(self, name: str, key: str) -> tuple[str, str]:
        """Return the full name of a table that a statement creates, and its key.

        CREATE TABLE t      in the first schema of the path
        """
        if self.is_of_file(key):
            return self.in_file(name, key)

        if "." not in key and self.schemas and not key.startswith(LOCAL):
            return self.under(self.schemas[0], name, key)

        return self.in_catalog(name, key)

    def under(self, schema: str, name: str, key: str) -> tuple[str, str]:
        """Return the name and the key of a table in a schema."""
        if not schema and self.catalog is not None:
            return f"{self.catalog}..{name}", f"{self.fold(self.catalog, False)}..{key}"

        return self.in_catalog(f"{schema}.{name}", f"{self.fold(schema, self.exact)}.{key}")

    def in_catalog(self, name: str, key: str) -> tuple[str, str]:
        """Return the name and the key of a table in the default catalog."""
        if self.catalog is None or key.count(".") != 1:
            return name, key

        if key.startswith("."):
            return name, key

        return f"{self.catalog}.{name}", f"{self.fold(self.catalog, False)}.{key}"

    def located(self, step: Step) -> Step:
        """A statement with the full name of what it writes."""
        if isinstance(step, Plan):
            if step.name and not step.defines:  # what it creates has its full name already
                step.name, step.key = self.full(step.name, step.key)

            step.like = tuple(self.full(*each) for each in step.like)
            return step

        if isinstance(step, Renamed):
            return Renamed(
                *self.full(step.name, step.key), *self.created(step.to_name, step.to_key), step.node
            )

        if isinstance(step, Swapped):
            return Swapped(
                *self.full(step.name, step.key),
                *self.full(step.other_name, step.other_key),
                step.node,
            )

        if isinstance(step, Using):
            return step

        return step._replace(key=self.full(step.key, step.key)[1])


def naming_of(defaults: Defaults | None, fold: Fold, known: Callable[[str], bool]) -> Naming:
    """Build the naming of a session from its defaults."""
    defaults = defaults or Defaults()
    return Naming(defaults.catalog, defaults.schemas, fold, known, defaults.exact)
