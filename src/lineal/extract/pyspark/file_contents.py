"""Files that a program opens: what the project has under a literal path."""

from __future__ import annotations

import posixpath
from copy import deepcopy
from typing import Any

from lineal.extract.pyspark.dispatch import (
    BUILDERS,
    BUILTINS,
    Arguments,
    Keywords,
    argument_at,
    named_argument,
)
from lineal.extract.pyspark.knowledge import is_text
from lineal.extract.pyspark.paths import METHODS as PATH_METHODS
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Builder, Unknown, Value, label_of
from lineal.model.way import Confidence

FILE = "file"


def open_file(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """open("sql/daily.sql")"""
    path = named_argument(arguments, keywords, 0, "file")
    if is_text(path) and find_file(run, path) is not None:
        return Builder(FILE, {"path": path})
    return Unknown("open()", "a file", Confidence.LOW)


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
    return alike[0] if len(alike) == 1 else None


def text_in(run: Run, path: Value, node: Any) -> Value:
    """Return the text of a file of SQL; that of others only a run knows."""
    name = find_file(run, path) if is_text(path) else None
    if name is not None and isinstance(run.program.contents[name], str):
        return run.program.contents[name]
    if name is not None:
        return Builder(FILE, {"path": path})
    return Unknown(label_of(node), "a file", Confidence.LOW)


def call_file(
    run: Run, held: Builder, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """file.read()"""
    if name == "read":
        return text_in(run, held.parts["path"], node)
    return Unknown(f"{name}()", "a file", Confidence.LOW)


def read_path_text(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """Path("sql/daily.sql").read_text()"""
    return text_in(run, argument_at(arguments), node)


def open_path(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """Path("conf/job.yml").open()"""
    return open_file(run, arguments[:1], {}, node)


def load_values(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """json.load(file), yaml.safe_load(file), tomllib.load(file)"""
    held = argument_at(arguments)
    if isinstance(held, Builder) and held.kind == FILE:
        name = find_file(run, held.parts["path"])
        if name is not None and not isinstance(run.program.contents[name], str):
            return deepcopy(run.program.contents[name])
    return Unknown(label_of(node), "what a file holds is only known when it runs", Confidence.LOW)


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
PATH_METHODS.update({"read_text": read_path_text, "open": open_path})
