"""Files that a program opens: what the project has under a literal path."""

from __future__ import annotations

import ast
import posixpath
from typing import Any

from lineal.extract.pyspark.dispatch import BUILDERS, BUILTINS, ITEMS
from lineal.extract.pyspark.invocation import Invocation, argument_at
from lineal.extract.pyspark.knowledge import is_text
from lineal.extract.pyspark.paths import METHODS as PATH_METHODS
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Builder, Unknown, Value, label_of
from lineal.model.sequences import only_or_none
from lineal.model.way import Confidence

FILE = "file"


def open_file(run: Run, call: Invocation) -> Value:
    """open("sql/daily.sql")"""
    path = call.argument(0, "file")
    if is_text(path) and find_file(run, path) is not None:
        return Builder(FILE, {"path": path})

    held = Unknown("open()", "a file", Confidence.LOW)
    held.opened = path
    return held


def opened_path(held: Value) -> Value:
    """Return the path of an open file; any other value as it is."""
    if isinstance(held, Builder) and held.kind == FILE:
        return held.parts["path"]

    if isinstance(held, Unknown) and held.opened is not None:
        return held.opened

    return held


def find_file(run: Run, path: str) -> str | None:
    """Return the file of the project that a path means: from the program, else the only one."""
    contents = run.program.contents
    asked = posixpath.normpath(path)
    beside = posixpath.join(posixpath.dirname(run.reading.script.file), asked)
    for name in (asked, posixpath.normpath(beside)):
        if name in contents:
            return name

    tail = "/" + asked.lstrip("./")
    alike = [name for name in contents if name.endswith(tail)]
    return only_or_none(alike)


def text_in(run: Run, path: Value, node: ast.AST) -> Value:
    """Return the text of a file of SQL; that of others only a run knows."""
    name = find_file(run, path) if is_text(path) else None
    if name is not None and isinstance(run.program.contents[name], str):
        return run.program.contents[name]

    if name is not None:
        return Builder(FILE, {"path": path})

    return Unknown(label_of(node), "a file", Confidence.LOW)


def call_file(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """file.read()"""
    if name == "read":
        return text_in(run, held.parts["path"], call.node)

    return Unknown(f"{name}()", "a file", Confidence.LOW)


def read_path_text(run: Run, call: Invocation) -> Value:
    """Path("sql/daily.sql").read_text()"""
    return text_in(run, argument_at(call.arguments), call.node)


def open_path(run: Run, call: Invocation) -> Value:
    """Path("conf/job.yml").open()"""
    return open_file(run, call.with_arguments(call.arguments[:1], {}))


def load_values(run: Run, call: Invocation) -> Value:
    """json.load(file), yaml.safe_load(file), tomllib.load(file)"""
    held = argument_at(call.arguments)
    if isinstance(held, Builder) and held.kind == FILE:
        name = find_file(run, held.parts["path"])
        if name is not None and not isinstance(run.program.contents[name], str):
            return copy_of(run.program.contents[name])

    return Unknown(
        label_of(call.node), "the content of a file is only known when it runs", Confidence.LOW
    )


def copy_of(held: Value) -> Any:
    """Return a copy of the contents of a file: the program may change its values."""
    if isinstance(held, dict):
        return {key: copy_of(each) for key, each in held.items()}

    if isinstance(held, list):
        return [copy_of(each) for each in held]

    return held


SETTINGS = "settings"
"""The kind of value that configparser.ConfigParser() makes."""


def make_settings(run: Run, call: Invocation) -> Value:
    """configparser.ConfigParser()"""
    return Builder(SETTINGS, {"sections": {}, "unknown": False})


def call_settings(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """settings.read("conf/job.ini"), settings.get("tables", "source"), settings.items("tables")"""
    run.touch(held.parts)
    if name == "read":
        return read_settings(run, held, call.argument(0, "filenames"))

    section = call.argument(0, "section")
    if name == "get":
        options = section_of(held, section, call.node)
        option = call.argument(1, "option")
        if isinstance(options, dict) and is_text(option) and option.lower() in options:
            return options[option.lower()]

        return Unknown(str(option), "configuration", Confidence.LOW)

    if name == "items" and isinstance(section_of(held, section, call.node), dict):
        return list(section_of(held, section, call.node).items())

    if name == "sections" and not held.parts["unknown"]:
        return list(held.parts["sections"])

    if name not in ("has_section", "has_option", "getint", "getboolean", "getfloat", "options"):
        held.parts["unknown"] = True

    return Unknown(f"{name}()", "configuration", Confidence.LOW)


def read_settings(run: Run, held: Builder, path: Value) -> Value:
    """Take over the sections of a file of the project; of any other file only a run knows them."""
    name = find_file(run, path) if is_text(path) else None
    found = run.program.contents[name] if name is not None else None
    if isinstance(found, dict) and not held.parts["unknown"]:
        held.parts["sections"] = {**held.parts["sections"], **copy_of(found)}
    else:
        held.parts["unknown"] = True

    return [path]


def section_of(held: Builder, section: Value, node: ast.AST) -> Value:
    """settings["tables"]"""
    is_read = held.kind == SETTINGS and not held.parts["unknown"]
    if is_read and is_text(section) and section in held.parts["sections"]:
        return held.parts["sections"][section]

    return Unknown(label_of(node), "configuration", Confidence.LOW)


def item_of_settings(run: Run, held: Builder, key: Value, node: ast.AST) -> Value:
    """settings["tables"]; no other value that is put together call by call has items"""
    return section_of(held, key, node)


def package_folder(run: Run, call: Invocation) -> Value:
    """importlib.resources.files("app.sql")      the folder of a package"""
    package = argument_at(call.arguments)
    if is_text(package):
        return package.replace(".", "/")

    return Unknown(label_of(call.node), "a package that only a run knows", Confidence.LOW)


def read_resource(run: Run, call: Invocation) -> Value:
    """importlib.resources.read_text("app.sql", "daily.sql")"""
    folder, file = package_folder(run, call), argument_at(call.arguments, 1)
    if is_text(folder) and is_text(file):
        return text_in(run, f"{folder}/{file}", call.node)

    return Unknown(label_of(call.node), "a file", Confidence.LOW)


FILE_LIBRARIES = {
    "configparser.ConfigParser": make_settings,
    "configparser.RawConfigParser": make_settings,
    "configparser.SafeConfigParser": make_settings,
    "importlib.resources.files": package_folder,
    "importlib_resources.files": package_folder,
    "importlib.resources.read_text": read_resource,
    "importlib.resources.open_text": read_resource,
}

LOADERS = (
    "json.load",
    "yaml.safe_load",
    "yaml.load",
    "yaml.full_load",
    "toml.load",
    "tomllib.load",
)

BUILTINS["open"] = open_file
BUILDERS[FILE] = call_file
BUILDERS[SETTINGS] = call_settings
ITEMS[Builder] = item_of_settings
PATH_METHODS.update({"read_text": read_path_text, "open": open_path})
