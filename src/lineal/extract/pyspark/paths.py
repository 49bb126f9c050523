"""Paths that a program computes: Path(__file__).parent / "lake", os.path.abspath("out"),
os.getcwd().

A path is a text. Of a program that was run, the folder in which it ran is known; of all others it
is not.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from lineal.extract.pyspark.invocation import Invocation, argument_at
from lineal.extract.pyspark.knowledge import is_text
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.texts import text_of_parts
from lineal.extract.pyspark.values import Pattern, Unknown, Value, label_of
from lineal.model.way import Confidence

FOLDER = "the folder of the run"


def working_folder(run: Run, call: Invocation) -> Value:
    """Return the working folder.

    os.getcwd(), Path.cwd()
    """
    main = run.program.main
    if main is not None and main.folder:
        return main.folder

    return Unknown(label_of(call.node), FOLDER)


def absolute_path(run: Run, call: Invocation) -> Value:
    """Return an absolute path.

    os.path.abspath("lake"), Path("lake").resolve()
    """
    held, main = (argument_at(call.arguments)), run.program.main
    if not is_text(held):
        return Unknown(label_of(call.node), "a path that is computed")

    if posixpath.isabs(held):
        return posixpath.normpath(held)

    if main is None or not main.folder:
        return Unknown(label_of(call.node), FOLDER)

    return posixpath.normpath(posixpath.join(main.folder, held))


def same_path(run: Run, call: Invocation) -> Value:
    """Return the path itself.

    Path("lake").as_posix()
    """
    return call.arguments[0]


def joined_path(run: Run, call: Invocation) -> Value:
    """Join the parts of a path.

    Path("lake").joinpath("raw", "orders")
    """
    parts: list[Value] = [call.arguments[0]]
    for argument in call.arguments[1:]:
        parts += ["/", argument]

    return text_of_parts(parts)


def found_paths(run: Run, call: Invocation) -> Value:
    """Return the pattern of a folder's files: it represents all that it finds.

    Path("lake").glob("*.csv"), Path("lake").rglob("*.csv")
    """
    parts = [call.arguments[0], "/", *call.arguments[1:2]]
    if call.node.func.attr == "rglob":
        parts.insert(2, "**/")

    joined = text_of_parts(parts)
    if not isinstance(joined, str) or isinstance(joined, Pattern):
        return [joined]

    return [Pattern(joined, Confidence.HIGH, "one of the files that a pattern finds")]


METHODS: dict[str, Callable[[Run, Invocation], Value]] = {
    "resolve": absolute_path,
    "absolute": absolute_path,
    "as_posix": same_path,
    "joinpath": joined_path,
    "glob": found_paths,
    "rglob": found_paths,
}
"""The methods that a path has and other texts do not."""

PARTS: dict[str, Callable[[str], str]] = {
    "parent": lambda path: posixpath.dirname(path) or ".",
    "name": posixpath.basename,
    "stem": lambda path: posixpath.splitext(posixpath.basename(path))[0],
    "suffix": lambda path: posixpath.splitext(path)[1],
}
"""Path("lake/orders.csv").stem      the attributes that a path has and other texts do not"""
