"""Plain files: SQL, and Python that works with Spark; a file, a folder of them, or texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import Any

from lineal.model.boundary import attempt, attempt_each
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.ledger import FileLedger, Reason
from lineal.model.script import Corpus, Script
from lineal.model.sequences import flatten
from lineal.projects.beside import SETTINGS, files_named_in, read_contents
from lineal.projects.columns import merge_infos
from lineal.projects.dialect_guess import Guess, guess_dialect
from lineal.projects.extensions import EXTENSIONS, PYTHON, extension_of
from lineal.projects.imports import roots_of, with_imports
from lineal.projects.intake import current, walk
from lineal.projects.launches import launches_in
from lineal.projects.nothing import no_input
from lineal.projects.python_tests import TESTS, is_python_test
from lineal.projects.schema import Schema, empty_corpus
from lineal.projects.text import Report, read_text, start_of


def matches(path: Path) -> bool:
    """Anything that is there; the other kinds are asked first."""
    return path.exists()


def load(path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
    """A script for each file. In a folder files with known extensions count; one that is named may
    have any name.
    """
    problems: list[Diagnostic] = []
    paths = [path]
    beside: list[Path] = []
    if path.is_dir():
        paths = list(script_files(path, problems.append, beside))
    elif is_job(path):
        paths = with_imports(path)
        for root in roots_of(path):
            current().admit(root)

    corpus = read_scripts(paths, dialect, schema)
    add_contents(corpus, beside, path if is_job(path) else None)
    corpus.diagnostics = [*problems, *corpus.diagnostics]
    if not paths and not corpus.diagnostics:
        corpus.diagnostics.append(no_input(path, "no .sql, .py or .ipynb files"))

    return corpus


def add_contents(corpus: Corpus, beside: list[Path], job: Path | None = None) -> None:
    """Give a corpus the files next to its programs that the programs read as text."""
    programs = corpus.programs
    texts = [script.text for script in programs]
    if texts and job is not None:
        beside = [*beside, *files_named_in(job.parent, texts)]

    report = corpus.diagnostics.append
    corpus.contents = read_contents(beside, texts, report)
    if programs:
        find = partial(launches_in, beside, programs, report)
        corpus.launches = attempt(find, {}, None, report, "the launches of programs")


def read_scripts(
    paths: list[Path],
    dialect: str | None = None,
    schema: Schema = None,
    extensions: Mapping[str, str] = EXTENSIONS,
) -> Corpus:
    """Return the corpus of these files; the dialect of each is guessed if none is given."""
    corpus = empty_corpus(dialect, schema)
    report = corpus.diagnostics.append
    guesses: dict[Guess, list[str]] = {}

    def read(file: Path) -> Script | None:
        """Read one file as a script, in the dialect of its extension or content."""
        text = read_text(file, report)
        if text is None:
            return None

        language = extensions.get(extension_of(file.name), "")
        if language != PYTHON and dialect is not None:
            language = dialect
        elif language != PYTHON:
            guess = guess_dialect(str(file), text, extensions)
            language = guess.dialect if guess is not None else ""
            if guess is not None:
                guesses.setdefault(guess, []).append(str(file))

        return Script(text, language, str(file))

    corpus.scripts = list(attempt_each(paths, read, start_of, report, "this file"))
    corpus.diagnostics += list(starmap(guess_diagnostic, sorted(guesses.items())))
    return corpus


MOST_NAMED = 3


def guess_diagnostic(guess: Guess, files: list[str]) -> Diagnostic:
    """Return the diagnostic of files whose dialect nobody has named."""
    several = f"{len(files)} files are" if len(files) > 1 else f"{files[0]} is"
    named = f": {', '.join(files[:MOST_NAMED])}" if len(files) > 1 else ""
    more = ", …" if len(files) > MOST_NAMED else ""
    message = f"{several} read as {guess.dialect}, by {guess.by}{named}{more}"
    return Diagnostic(Code.GUESSED_DIALECT, message, Place(files[0], 1, 1))


def is_job(path: Path) -> bool:
    """Tell whether a file is a Python program."""
    return path.suffix.lower() == ".py"


def corpus_of_text(
    texts: str | Mapping[str, str] | Iterable[str],
    dialect: str | None = None,
    schema: Schema = None,
) -> Corpus:
    """SQL that is given: a text, several, or texts by the name of the dataset that their query
    defines.
    """
    corpus = empty_corpus(dialect, schema)
    if isinstance(texts, Mapping):
        corpus.scripts = [
            Script(text, corpus.dialect, name, target=name) for name, text in texts.items()
        ]
    else:
        several = [texts] if isinstance(texts, str) else texts
        corpus.scripts = [Script(text, corpus.dialect) for text in several]

    for number, script in enumerate(corpus.scripts, 1):
        name = script.file or text_name(number)
        if script.text.strip():
            corpus.files.add(name)
        else:
            corpus.files.leave_out(name, Reason.EMPTY)

    return corpus


def text_name(number: int) -> str:
    """Return what the ledger calls a text that is in no file: <input>, <input 2>, …"""
    if number == 1:
        return "<input>"

    return f"<input {number}>"


def unite_corpora(corpora: Iterable[Corpus]) -> Corpus:
    """Several inputs that are analyzed together; the first one's dialect and namespace count for
    the whole.
    """
    several = list(corpora)
    first = several[0] if several else Corpus("")

    def all_items(name: str) -> list[Any]:
        """Return the items of a list of all corpora."""
        return flatten(getattr(corpus, name) for corpus in several)

    def all_entries(name: str) -> dict[str, Any]:
        """Return the entries of a mapping of all corpora; the last corpus wins."""
        return {key: held for corpus in several for key, held in getattr(corpus, name).items()}

    return Corpus(
        dialect=first.dialect,
        scripts=all_items("scripts"),
        datasets=merge_infos(all_items("datasets")),
        functions=all_items("functions"),
        meanings=all_items("meanings"),
        diagnostics=all_items("diagnostics"),
        namespace=first.namespace,
        defaults=first.defaults,
        collapse_temporary=first.collapse_temporary,
        steps=all_items("steps"),
        before=all_items("before"),
        after=all_items("after"),
        schemas=tuple(dict.fromkeys(all_items("schemas"))),
        notes=all_items("notes"),
        engine=first.engine,
        checks=first.checks,
        openlineage=first.openlineage,
        occurrences=all_items("occurrences"),
        aliases=all_entries("aliases"),
        relations=all_entries("relations"),
        given=all_items("given"),
        contents=all_entries("contents"),
        launches=all_entries("launches"),
        files=united_ledger(corpus.files for corpus in several),
    )


def united_ledger(ledgers: Iterable[FileLedger]) -> FileLedger:
    """Unite the files of several inputs; a file in two of them counts once."""
    united = FileLedger()
    for ledger in ledgers:
        united.unite(ledger)

    return united


def script_files(folder: Path, report: Report, beside: list[Path] | None = None) -> Iterator[Path]:
    """The scripts below a folder, sorted; hidden ones are skipped and links to folders not
    followed. Files of settings are added to those next to the scripts.
    """
    asks_for_tests = TESTS in folder.parts
    for where, names in walk(folder, report, by_rules=True):
        if beside is not None:
            beside += [where / name for name in names if name.lower().endswith(SETTINGS)]

        for name in names:
            file = where / name
            if extension_of(name) not in EXTENSIONS:
                continue

            if not asks_for_tests and is_python_test(file.relative_to(folder)):
                current().pass_over(str(file), Reason.PYTHON_TEST)
            else:
                yield file
