"""SQL inside the Python of an input, and the DataFrame libraries that nobody traces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.script import Corpus, Script
from lineal.projects.dialect_guess import guess_dialect
from lineal.projects.extensions import EXTENSIONS, PYTHON

LIBRARIES = {
    "pandas": "pandas",
    "polars": "Polars",
    "snowflake.snowpark": "Snowpark",
    "ibis": "ibis",
    "dask.dataframe": "Dask",
    "modin": "Modin",
    "vaex": "Vaex",
    "cudf": "cuDF",
    "daft": "Daft",
}
"""Modules of DataFrame libraries without a front end, and what the libraries are called."""

IMPORT = re.compile(
    rf"^[ \t]*(?:from|import)[ \t]+({'|'.join(re.escape(name) for name in LIBRARIES)})\b",
    re.MULTILINE,
)
MOST_NAMED = 3


def add_embedded(corpus: Corpus, dialect: str | None = None) -> None:
    """Add the SQL that programs hand to databases, and name the libraries that nobody traces."""
    if not any(script.dialect == PYTHON for script in corpus.scripts):
        return
    from lineal.resolve.embedded import find_embedded, has_embedded

    corpus.diagnostics += report_libraries(corpus)
    if corpus.main is not None or not has_embedded(corpus.scripts):
        return

    found = find_embedded(corpus)
    kept = [script for script in corpus.scripts if script.file not in found.files]
    kept += [script for script in corpus.scripts if script.file in found.files and is_model(script)]
    corpus.scripts = [*kept, *(spoken(script, dialect) for script in found.scripts)]
    corpus.diagnostics += found.diagnostics


def is_model(script: Script) -> bool:
    """Tell whether a script belongs to a project: a task that runs its file changes nothing."""
    return script.target is not None


def spoken(script: Script, dialect: str | None) -> Script:
    """Return a statement in the dialect of its call, else as asked for, else as its words tell."""
    if script.dialect:
        return script

    guess = guess_dialect("statement.sql", script.text, EXTENSIONS)
    return replace(script, dialect=dialect or (guess.dialect if guess is not None else ""))


def report_libraries(corpus: Corpus) -> Iterator[Diagnostic]:
    """Name each DataFrame library with the files that use it."""
    files: dict[str, list[str]] = {}

    for script in corpus.scripts:
        if script.dialect == PYTHON:
            for module in dict.fromkeys(IMPORT.findall(script.text)):
                files.setdefault(LIBRARIES[module], []).append(script.file)

    for library, several in sorted(files.items()):
        names = sorted(set(several))
        count = f"{len(names)} files use"
        if len(names) == 1:
            count = "1 file uses"

        more = ""
        if len(names) > MOST_NAMED:
            more = ", …"

        message = (
            f"{count} {library}, which lineal does not trace: {', '.join(names[:MOST_NAMED])}{more}"
        )
        yield Diagnostic(Code.OTHER_LIBRARY, message, Place(names[0], 1, 1))
