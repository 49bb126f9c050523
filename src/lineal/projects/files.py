"""Plain files: SQL, and Python that works with Spark; a file, a folder of them, or texts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lineal.model.boundary import attempt_each
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.script import Corpus, Script
from lineal.projects.columns import merged
from lineal.projects.imports import with_imports
from lineal.projects.schema import Schema, schema_datasets
from lineal.projects.text import Report, read_text, start_of, unreadable

PYTHON = (".py", ".ipynb")


def matches(path: Path) -> bool:
    """Anything that is there; the other kinds are asked first."""
    return path.exists()


def load(path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
    """A script for each file. In a folder .sql, .py and .ipynb files count; one that is named may
    have any name.
    """
    corpus = _corpus(dialect, schema)
    report = corpus.diagnostics.append
    paths = [path]
    if path.is_dir():
        paths = list(script_files(path, report))
    elif is_job(path):
        paths = with_imports(path)

    def read(file: Path) -> Script | None:
        text = read_text(file, report)
        return None if text is None else Script(text, _language(file, corpus), str(file))

    corpus.scripts = list(attempt_each(paths, read, start_of, report, "this file"))
    if not paths and not corpus.diagnostics:
        report(Diagnostic(Code.NO_INPUT, f"{path} has no .sql files", Place(str(path), 1, 1)))
    return corpus


def is_job(path: Path) -> bool:
    return path.suffix.lower() == ".py"


def _language(file: Path, corpus: Corpus) -> str:
    """The dialect of SQL, or python."""
    return "python" if file.suffix.lower() in PYTHON else corpus.dialect


def corpus_of_text(
    texts: str | Mapping[str, str] | Iterable[str],
    dialect: str | None = None,
    schema: Schema = None,
) -> Corpus:
    """SQL that is at hand: a text, several, or texts by the name of the dataset that their query
    defines.
    """
    corpus = _corpus(dialect, schema)
    if isinstance(texts, Mapping):
        corpus.scripts = [
            Script(text, corpus.dialect, name, target=name) for name, text in texts.items()
        ]
    else:
        several = [texts] if isinstance(texts, str) else texts
        corpus.scripts = [Script(text, corpus.dialect) for text in several]
    return corpus


def united(corpora: Iterable[Corpus]) -> Corpus:
    """Several inputs that are analysed together; the first one's dialect and namespace count for
    the whole.
    """
    several = list(corpora)
    first = several[0] if several else Corpus("")
    return Corpus(
        dialect=first.dialect,
        scripts=[script for corpus in several for script in corpus.scripts],
        datasets=merged(info for corpus in several for info in corpus.datasets),
        functions=[function for corpus in several for function in corpus.functions],
        meanings=[meaning for corpus in several for meaning in corpus.meanings],
        diagnostics=[diagnostic for corpus in several for diagnostic in corpus.diagnostics],
        namespace=first.namespace,
        defaults=first.defaults,
        collapse_temporary=first.collapse_temporary,
        steps=[step for corpus in several for step in corpus.steps],
        before=[script for corpus in several for script in corpus.before],
        after=[script for corpus in several for script in corpus.after],
        schemas=tuple(dict.fromkeys(name for corpus in several for name in corpus.schemas)),
        notes=[note for corpus in several for note in corpus.notes],
        engine=first.engine,
        checks=first.checks,
        openlineage=first.openlineage,
        occurrences=[each for corpus in several for each in corpus.occurrences],
        aliases={name: of for corpus in several for name, of in corpus.aliases.items()},
        given=[each for corpus in several for each in corpus.given],
    )


def script_files(folder: Path, report: Report) -> Iterator[Path]:
    """The scripts below a folder, sorted; hidden ones are skipped and links to folders not
    followed.
    """
    for where, folders, names in os.walk(
        folder, onerror=lambda error: report(unreadable(str(error.filename), error))
    ):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(where, name) for name in sorted(names) if _is_script(name))


def _is_script(name: str) -> bool:
    return name.lower().endswith((".sql", *PYTHON)) and not name.startswith(".")


def _corpus(dialect: str | None, schema: Schema) -> Corpus:
    corpus = Corpus(dialect or "")
    corpus.datasets = schema_datasets(schema, "", corpus.diagnostics.append)
    return corpus
