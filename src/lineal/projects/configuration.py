"""Settings of lineal.yml, or of [tool.lineal] in pyproject.toml, for a whole folder.

dialect: snowflake                    [tool.lineal]
exclude: [archive/, "*_old.sql"]      exclude = ["archive/"]
include: [sql/]                       include = ["sql/"]
extensions: {.bql: bigquery}          extensions = [".sq"]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lineal.extract import UnknownDialect
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects import yaml
from lineal.projects.extensions import EXTENSIONS
from lineal.projects.settings import check_keys, texts_of
from lineal.projects.text import Report, peek_text
from lineal.projects.yaml import Value

PROJECT_FILE, TOOL = "pyproject.toml", "lineal"
OWN_FILES = ("lineal.yml", "lineal.yaml")
EXCLUDE, INCLUDE, ENDINGS, DIALECT = "exclude", "include", "extensions", "dialect"
FOLDER_KEYS = (EXCLUDE, INCLUDE, ENDINGS)
"""The keys that say which files of a folder are read."""


@dataclass(frozen=True)
class Configuration:
    """Which files of a folder are read, and how."""

    dialect: str = ""
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    extensions: Mapping[str, str] = field(default_factory=lambda: EXTENSIONS)
    """The dialect of each extension; '' where it tells none."""


def read_configuration(folder: Path, report: Report) -> Configuration:
    """Return what the files of a folder say; nothing if there are none."""
    for name in OWN_FILES:
        if (folder / name).is_file():
            # mistakes in it are reported by the project's reader
            about = yaml.read(folder / name, lambda _: None)
            return configuration_of(about or Value({}), lambda _: None)

    return configuration_of(tool_section(folder / PROJECT_FILE, report), report)


def tool_section(file: Path, report: Report) -> Value:
    """Return [tool.lineal] of a pyproject.toml; it has no lines, so its places are the file."""
    text = peek_text(file) if file.is_file() else ""
    if f"tool.{TOOL}" not in text:
        return Value({})

    place = Place(str(file), 1, 1)
    try:
        section = tomllib.loads(text).get("tool", {}).get(TOOL, {})
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        report(Diagnostic(Code.YAML_ERROR, f"{file} is not valid TOML: {error}", place))
        return Value({})

    found = value_of(section, place, TOOL)
    if isinstance(found.data, dict):
        check_keys(found.data, (DIALECT, *FOLDER_KEYS), f"[tool.{TOOL}]", report)

    return found


def value_of(data: object, place: Place, name: str) -> Value:
    """Return plain data as YAML would give it, all at one place."""
    if isinstance(data, dict):
        inner = {str(key): value_of(each, place, f"{name}.{key}") for key, each in data.items()}
        return Value(inner, place, name)

    if isinstance(data, list):
        return Value([value_of(each, place, name) for each in data], place, name)

    return Value(data, place, name, str(data))


def configuration_of(about: Value, report: Report) -> Configuration:
    """Return what a section says of the files of its folder."""
    return Configuration(
        known_dialect(about, report),
        texts_of(about, EXCLUDE, report),
        texts_of(about, INCLUDE, report),
        {**EXTENSIONS, **read_extensions(about, report)},
    )


def read_extensions(about: Value, report: Report) -> dict[str, str]:
    """extensions: [.bql], extensions: {.bql: bigquery}"""
    value = about.get(ENDINGS)
    if value is None:
        return {}

    if isinstance(value.data, dict):
        pairs = [(name, each.as_text(report)) for name, each in value.data.items()]
    else:
        pairs = [(text, "") for text in texts_of(about, ENDINGS, report)]

    return {f".{name.lower().removeprefix('.')}": dialect for name, dialect in pairs}


def known_dialect(about: Value, report: Report) -> str:
    """Return the dialect that is named; one that nobody knows is reported where it stands."""
    from lineal.extract.sql.dialects import facts_of

    name = about.text(report, DIALECT)
    try:
        facts_of(name)
    except UnknownDialect as unknown:
        report(Diagnostic(Code.YAML_TYPE, f"dialect: {unknown}", about.at(DIALECT)))
        return ""

    return name
