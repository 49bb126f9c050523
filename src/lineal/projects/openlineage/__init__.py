"""OpenLineage events as input: a file of them (.ndjson, .jsonl, .json), or a folder of such files.

stream.py    text to events
stories.py   events to what is told of each run, job and dataset
facets.py    facets to what each output is made of
lineage.py   all of it as an extraction
values.py    values that may be anything
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from lineal.model.boundary import attempt_each
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus
from lineal.projects import files
from lineal.projects.intake import peek_bytes, walk
from lineal.projects.openlineage.lineage import extraction_of
from lineal.projects.openlineage.runs import problem_of, stories_of_runs
from lineal.projects.openlineage.stream import JsonObject, read_objects
from lineal.projects.schema import Schema, empty_corpus
from lineal.projects.text import Report, read_text, start_of

__all__ = ["extraction_of_texts", "load", "matches", "problem_of"]

ENDINGS = (".ndjson", ".jsonl", ".json")
HEAD = 1 << 20
GLANCE = 1 << 16
"""How much of a file is looked at, of one that is named and of one that is met in a folder."""
PRODUCERS = (b'"producer"', b'"_producer"')


def matches(path: Path) -> bool:
    """A file of events, or a folder that has one."""
    if path.is_file():
        return _is_event_file(path, HEAD)

    return any(True for _ in _event_files(path))


def load(path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
    """Load the lineage of events; SQL and Python files next to them are read with it."""
    if path.is_dir() and any(True for _ in files.script_files(path, lambda diagnostic: None)):
        corpus = files.load(path, dialect, schema)
    else:
        corpus = empty_corpus(dialect, schema)

    add_files([path] if path.is_file() else list(_event_files(path)), corpus)
    return corpus


def read_files(files: list[Path], dialect: str | None = None) -> Corpus:
    """Return what these files of events tell."""
    corpus = Corpus(dialect or "")
    add_files(files, corpus)
    return corpus


def add_files(files: list[Path], corpus: Corpus) -> None:
    """Give a corpus what files of events tell."""
    report = corpus.diagnostics.append

    def read(file: Path) -> tuple[str, str] | None:
        """Return the name and text of a file."""
        text = read_text(file, report)
        if text is None:
            return None

        return (str(file), text)

    corpus.given.append(
        extraction_of_texts(attempt_each(files, read, start_of, report, "this file"))
    )


def is_event_file(file: Path) -> bool:
    """Tell whether a file that is met in a folder holds events."""
    return _is_event_file(file, GLANCE)


def extraction_of_texts(texts: Iterable[tuple[str, str]]) -> Extraction:
    """Return the lineage that files of events tell together; mistakes in the files are among its
    diagnostics.
    """
    diagnostics: list[Diagnostic] = []
    found = extraction_of(
        stories_of_runs(_read_objects(texts, diagnostics.append), diagnostics.append),
        diagnostics.append,
    )
    found.diagnostics += list(dict.fromkeys(diagnostics))
    for each in found.diagnostics:
        if each.code in (Code.INTERNAL_ERROR, Code.EVENT_ERROR):
            found.coverage.miss(each.code.code)

    return found


def _read_objects(texts: Iterable[tuple[str, str]], report: Report) -> Iterator[JsonObject]:
    """Yield the JSON objects of several texts."""
    for file, text in texts:
        yield from read_objects(text, file, report)


def _event_files(folder: Path) -> Iterator[Path]:
    """The files of events below a folder, sorted; hidden ones are skipped and links to folders not
    followed.
    """
    for where, names in walk(folder, lambda _: None):
        for name in names:
            file = where / name
            if not name.startswith(".") and _is_event_file(file, GLANCE):
                yield file


def _is_event_file(path: Path, most: int) -> bool:
    """Whether a file begins as JSON with an event in it; the first event may be longer than the
    part that is read here.
    """
    if not path.name.lower().endswith(ENDINGS):
        return False

    head = peek_bytes(path, most).removeprefix(b"\xef\xbb\xbf").lstrip()
    return (
        head[:1] in (b"{", b"[")
        and b'"eventTime"' in head
        and any(mark in head for mark in PRODUCERS)
    )
