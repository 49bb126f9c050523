"""Names without a schema: what they mean by the defaults, the search path, and USE."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from typing import NamedTuple

from lineal.extract.sql.dialects import OWNED_NAMES, Facts
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

FullName = tuple[str, str]
"""The name of a table with its schema, and its key."""

NO_NAMES: Mapping[str, FullName | None] = {}


def has_no_schema(key: str) -> bool:
    """Tell whether a key can get a schema: temporary tables and the paths of files have none."""
    return "." not in key and "/" not in key and not key.startswith(LOCAL)


class Naming(NamedTuple):
    """Where a name that does not say so is looked for."""

    catalog: str | None
    schemas: tuple[str, ...]
    fold: Fold
    known: Callable[[str], bool]
    """whether anything defines or declares a key: of the schemas in the path the first that has the
    name is meant
    """
    defined: Callable[[str], bool]
    """whether anything creates or declares a key, whatever has been read before"""
    made: Set[str]
    """the keys that statements create"""
    exact: bool = False
    home: str = ""
    """the file that a name belongs to which is nothing but a placeholder"""
    homes: Mapping[str, HomesOfName] = NO_HOMES
    """the names that mean another dataset in another folder"""
    folder: Parts = ()
    """the folder of the script"""
    owner: str = ""
    """the schema of the routine or view that the statement belongs to"""
    default: str = ""
    """the schema that the dialect has for names without one"""
    used: Mapping[str, FullName | None] = NO_NAMES
    """the tables that scripts create after USE, by the names as they are spelled there; None where
    one spelling means several tables
    """

    @property
    def speaks(self) -> bool:
        """Tell whether a name may mean another one at all."""
        defaults = self.catalog is not None or bool(self.schemas)
        schemas = self.owner or self.default or self.used
        return defaults or bool(self.home or self.homes or schemas)

    def around(self, step: Step, facts: Facts) -> Naming:
        """Return the naming of one statement.

        CREATE PROCEDURE sales.p AS … FROM t      the t of sales, if there is one
        """
        owner = owner_of(step, facts)
        if not (owner or facts.default_schema):
            return self

        if self.schemas:
            return self._replace(owner=owner)

        return self._replace(owner=owner, default=facts.default_schema)

    def in_body(self, schema: str, facts: Facts) -> Naming:
        """Return the naming inside a routine.

        CREATE FUNCTION sales.f … SELECT a INTO v FROM t      the t of sales, if there is one
        """
        owner = schema if facts.name in OWNED_NAMES else ""
        return self._replace(owner=owner, default=facts.default_schema)

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

        return home.show_name(name), home.key

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

        found = self.in_own_schema(name, key) or self.in_default_schema(name, key)
        return self.near(*(found or self.as_spelled_elsewhere(name, key)))

    def as_spelled_elsewhere(self, name: str, key: str) -> tuple[str, str]:
        """Return the name under the schemas of the session, or as other scripts spell it.

        USE shop; CREATE TABLE t …      in another file FROM t, without USE: shop.t
        """
        found = self.in_session(name, key)
        if found[1] == key:
            return self.used.get(key) or found

        if self.known(found[1]):
            return found

        return next((each for each in shorter_names(found) if each[1] in self.made), found)

    def in_session(self, name: str, key: str) -> tuple[str, str]:
        """Return the name and the key of a table by the catalog and the schemas of the session."""
        if not (self.schemas and has_no_schema(key)):
            return self.in_catalog(name, key)

        candidates = [self.under(schema, name, key) for schema in self.schemas]
        return next((each for each in candidates if self.known(each[1])), candidates[0])

    def in_own_schema(self, name: str, key: str) -> tuple[str, str] | None:
        """t      sales.t, in a routine or view of sales, if sales.t is created or declared"""
        if not self.owner or not has_no_schema(key):
            return None

        found = self.under(self.owner, name, key)
        if self.defined(found[1]):
            return found

        return None

    def in_default_schema(self, name: str, key: str) -> tuple[str, str] | None:
        """T-SQL's t and dbo.t are one table      the one of them that is created or declared"""
        if not self.default or self.defined(key):
            return None

        if has_no_schema(key):
            found = self.under(self.default, name, key)
            return found if self.defined(found[1]) else self.used.get(found[1])

        schema, _, table = key.rpartition(".")
        if schema == self.fold(self.default, False) and table in self.made:
            return name.rpartition(".")[2], table

        return None

    def name_created(self, name: str, key: str) -> tuple[str, str]:
        """Return the full name of a table that a statement creates, and its key.

        CREATE TABLE t      in the first schema of the path
        """
        if self.is_of_file(key):
            return self.in_file(name, key)

        if self.schemas and has_no_schema(key):
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

    def with_full_name(self, step: Step) -> Step:
        """A statement with the full name of what it writes."""
        if isinstance(step, Plan):
            if step.name and not step.defines:  # what it creates has its full name already
                step.name, step.key = self.full(step.name, step.key)

            step.like = tuple(self.full(*each) for each in step.like)
            return step

        if isinstance(step, Renamed):
            return Renamed(
                *self.full(step.name, step.key),
                *self.name_created(step.to_name, step.to_key),
                step.node,
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


def shorter_names(full: FullName) -> list[FullName]:
    """shop.dbo.t      dbo.t and t, as scripts without USE spell it"""
    name, key = full
    found = []
    while "." in name and "." in key:
        name, key = name.partition(".")[2], key.partition(".")[2]
        found.append((name, key))

    return found


def owner_of(step: Step, facts: Facts) -> str:
    """Return the schema whose names a statement means first.

    CREATE PACKAGE BODY sales.p AS …, CREATE VIEW sales.v AS …      sales
    """
    if not isinstance(step, Plan) or facts.name not in OWNED_NAMES:
        return ""

    if step.moment is not None and step.moment.body.schema:
        return str(step.moment.body.schema)

    if step.kind != "view":
        return ""

    return step.name.rpartition(".")[0].rpartition(".")[2]


def naming_of(
    defaults: Defaults | None,
    fold: Fold,
    known: Callable[[str], bool],
    defined: Callable[[str], bool],
    made: Set[str],
) -> Naming:
    """Build the naming of a session from its defaults."""
    defaults = defaults or Defaults()
    return Naming(defaults.catalog, defaults.schemas, fold, known, defined, made, defaults.exact)
