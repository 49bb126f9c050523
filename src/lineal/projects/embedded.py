"""SQL inside the Python of an input, and the DataFrame libraries that nobody traces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from lineal.model.boundary import culprits, internal_error, let_pass
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.ledger import Reason
from lineal.model.script import Corpus, Script
from lineal.projects.dialect_guess import guess_dialect
from lineal.projects.extensions import EXTENSIONS, PYTHON

if TYPE_CHECKING:
    from lineal.resolve.embedded import EmbeddedSql

LIBRARIES = {
    "ibis": ("ibis", Reason.IBIS),
    "dask.dataframe": ("Dask", Reason.DASK),
    "modin": ("Modin", Reason.MODIN),
    "vaex": ("Vaex", Reason.VAEX),
    "cudf": ("cuDF", Reason.CUDF),
    "daft": ("Daft", Reason.DAFT),
}
"""Modules of DataFrame libraries: what each library is called, and how the ledger counts its files."""

IMPORT = re.compile(
    rf"^[ \t]*(?:from|import)[ \t]+({'|'.join(map(re.escape, LIBRARIES))})\b",
    re.MULTILINE,
)
MOST_NAMED = 3


def add_embedded(corpus: Corpus, dialect: str | None = None) -> None:
    """Add the SQL that programs hand to databases, and name the libraries that nobody traces."""
    programs = corpus.programs
    if not programs:
        return

    try:
        found = find_in_programs(corpus)
        if found is not None:
            take_statements(corpus, found, dialect)
    except Exception as error:
        place = Place(programs[0].file, programs[0].line, 1)
        corpus.diagnostics.append(internal_error(error, place, "the SQL inside programs"))


def take_statements(corpus: Corpus, found: EmbeddedSql, dialect: str | None) -> None:
    """Add the statements that were found; the files that programs run are read with them."""
    kept = [script for script in corpus.scripts if script.file not in found.files]
    kept += [script for script in corpus.scripts if script.file in found.files and is_model(script)]
    corpus.scripts = [*kept, *(with_dialect(script, dialect) for script in found.scripts)]
    corpus.diagnostics += found.diagnostics


def find_in_programs(corpus: Corpus) -> EmbeddedSql | None:
    """Return the SQL inside the programs of a corpus; programs over which that fails are left out,
    and reported.
    """
    from lineal.resolve.embedded import find_embedded, has_embedded, traced_modules

    corpus.diagnostics += report_libraries(corpus, traced_modules())
    if corpus.main is not None or not has_embedded(corpus.scripts):
        return None

    try:
        return find_embedded(corpus)
    except Exception as error:
        let_pass(error)
        programs = corpus.programs
        guilty = culprits(programs, lambda some: find_embedded(replace(corpus, scripts=[*some])))
        if not guilty:
            raise

    left_out = {id(script) for script, _ in guilty}
    kept = [script for script in corpus.scripts if id(script) not in left_out]
    found = find_embedded(replace(corpus, scripts=kept))
    found.diagnostics += [
        internal_error(why, Place(script.file, script.line, 1), "the SQL inside this program")
        for script, why in guilty
    ]
    return found


def is_model(script: Script) -> bool:
    """Tell whether a script belongs to a project: a task that runs its file changes nothing."""
    return script.target is not None


def with_dialect(script: Script, dialect: str | None) -> Script:
    """Return a statement in the dialect of its call, else as asked for, else as its words tell."""
    if script.dialect:
        return script

    guess = guess_dialect("statement.sql", script.text, EXTENSIONS)
    return replace(script, dialect=dialect or (guess.dialect if guess is not None else ""))


def report_libraries(corpus: Corpus, traced: frozenset[str]) -> Iterator[Diagnostic]:
    """Name each DataFrame library that is not traced with the files that use it, and enter them in
    the ledger: something in them is not read.
    """
    files: dict[str, list[str]] = {}

    for script in corpus.scripts:
        if script.dialect == PYTHON:
            for module in set(IMPORT.findall(script.text)) - traced:
                library, reason = LIBRARIES[module]
                files.setdefault(library, []).append(script.file)
                corpus.files.leave_out(script.file, reason)

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
