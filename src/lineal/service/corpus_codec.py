"""A corpus as plain values, for the cache; only the corpora of projects that can be read again in
part have such a form.

    data = encode(corpus)      None if it holds something that has no plain form
    decode(data)               the same corpus
"""

from __future__ import annotations

import marshal
from collections import Counter
from dataclasses import fields
from typing import Any

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.finding import Checks
from lineal.model.ledger import FileLedger, Reason
from lineal.model.openlineage import Settings
from lineal.model.script import Corpus, Defaults, Expansion, PlainModels, Script
from lineal.store.saved import SavedError, read_text, write_text

OWN_FORM = (
    "scripts",
    "datasets",
    "diagnostics",
    "defaults",
    "given",
    "checks",
    "openlineage",
    "files",
    "plain_models",
)
"""The fields of a corpus whose values are written by the functions below."""

AS_THEY_ARE = (
    "dialect",
    "namespace",
    "collapse_temporary",
    "aliases",
    "schemas",
    "notes",
    "engine",
    "relations",
)
"""The fields that hold texts and numbers."""

EMPTY = tuple(field.name for field in fields(Corpus) if field.name not in (*OWN_FORM, *AS_THEY_ARE))
"""The fields that must be empty: functions, steps of a run, programs, query logs."""


def encode(corpus: Corpus) -> bytes | None:
    """Return a corpus as bytes; None if it has no plain form."""
    if any(getattr(corpus, name) for name in EMPTY) or corpus.plain_models is None:
        return None

    if any(script.dbt is not None for script in corpus.scripts):
        return None

    made = {name: getattr(corpus, name) for name in AS_THEY_ARE}
    made["scripts"] = list(map(_script_out, corpus.scripts))
    made["datasets"] = list(map(_dataset_out, corpus.datasets))
    made["diagnostics"] = list(map(_diagnostic_out, corpus.diagnostics))
    made["defaults"] = corpus.defaults and tuple(vars(corpus.defaults).values())
    made["given"] = list(map(write_text, corpus.given))
    checks = vars(corpus.checks)
    severities = {name: (level, tuple(at)) for name, (level, at) in checks["severities"].items()}
    made["checks"] = {**checks, "severities": severities}
    made["openlineage"] = tuple(corpus.openlineage)
    made["files"] = _ledger_out(corpus.files)
    made["plain_models"] = vars(corpus.plain_models)
    try:
        return marshal.dumps(made)
    except ValueError:  # a date in the settings of a project
        return None


def decode(data: bytes) -> Corpus | None:
    """Return the corpus of such bytes; None if they are of another form."""
    try:
        made = marshal.loads(data)  # noqa: S302  what we wrote ourselves, and its checksum holds
        checks = made["checks"]
        severities = {
            name: (level, Place(*at)) for name, (level, at) in checks["severities"].items()
        }
        return Corpus(
            **{name: made[name] for name in AS_THEY_ARE},
            scripts=[_script_in(*each) for each in made["scripts"]],
            datasets=[_dataset_in(*each) for each in made["datasets"]],
            diagnostics=[_diagnostic_in(*each) for each in made["diagnostics"]],
            defaults=made["defaults"] and Defaults(*made["defaults"]),
            given=list(map(_given_in, made["given"])),
            checks=Checks(**{**checks, "severities": severities}),
            openlineage=Settings(*made["openlineage"]),
            files=_ledger_in(*made["files"]),
            plain_models=PlainModels(**made["plain_models"]),
        )
    except (ValueError, EOFError, TypeError, KeyError, SavedError):
        return None


# -- scripts ---------------------------------------------------------------------------------------


def _script_out(script: Script) -> tuple[object, ...]:
    """Return a script as a plain tuple."""
    made = {**vars(script), "expansions": tuple(map(tuple, script.expansions))}
    return tuple(made.values())


SCRIPT = tuple(field.name for field in fields(Script))


def _script_in(*values: object) -> Script:
    """Return the script of a plain tuple."""
    script = Script.__new__(Script)  # the fields are many, and so are the scripts
    made = vars(script)
    made.update(zip(SCRIPT, values, strict=True))
    if made["expansions"]:
        made["expansions"] = tuple(Expansion(*each) for each in made["expansions"])

    return script


# -- datasets --------------------------------------------------------------------------------------


def _dataset_out(info: DatasetInfo) -> tuple[object, ...]:
    """Return a dataset as a plain tuple."""
    return (
        tuple(info.dataset), info.kind, _columns_out(info.columns), info.complete,
        info.description, _place_out(info.place), info.exact, _columns_out(info.declared),
        _columns_out(info.produced), info.terminal, info.tags,
    )  # fmt: skip


def _dataset_in(dataset: Any, kind: str, columns: Any, *rest: Any) -> DatasetInfo:
    """Return the dataset of a plain tuple."""
    complete, description, place, exact, declared, produced, terminal, tags = rest
    return DatasetInfo(
        Dataset(*dataset), kind, _columns_in(columns) or [], complete, description,
        _place_in(place), exact, _columns_in(declared), _columns_in(produced), terminal, tags,
    )  # fmt: skip


def _columns_out(columns: list[ColumnInfo] | None) -> list[tuple[Any, ...]] | None:
    """Return columns as plain tuples; None stays None."""
    if columns is None:
        return None

    return [(*column[:4], _place_out(column.place), *column[5:]) for column in columns]


def _columns_in(columns: list[tuple[Any, ...]] | None) -> list[ColumnInfo] | None:
    """Return the columns of plain tuples; None stays None."""
    if columns is None:
        return None

    return [ColumnInfo._make((*each[:4], _place_in(each[4]), *each[5:])) for each in columns]


def _place_out(place: Place | None) -> tuple[Any, ...] | None:
    """Return a place as a plain tuple; None stays None."""
    if place is None:
        return None

    return tuple(place)


def _place_in(place: tuple[Any, ...] | None) -> Place | None:
    """Return the place of a plain tuple; None stays None."""
    if place is None:
        return None

    return Place(*place)


# -- the rest --------------------------------------------------------------------------------------


def _diagnostic_out(found: Diagnostic) -> tuple[object, ...]:
    """Return a diagnostic as a plain tuple."""
    return found.code.name, found.message, _place_out(found.place), found.hint


def _diagnostic_in(code: str, message: str, place: Any, hint: str) -> Diagnostic:
    """Return the diagnostic of a plain tuple."""
    return Diagnostic(Code[code], message, _place_in(place), hint)


def _ledger_out(files: FileLedger) -> tuple[object, ...]:
    """Return a ledger as plain values."""
    due = {file: reason and reason.name for file, reason in files.due_files.items()}
    passed = {reason.name: count for reason, count in files.passed_over.items()}
    examples = {reason.name: names for reason, names in files.examples.items()}
    return due, passed, examples


def _ledger_in(due: Any, passed: Any, examples: Any) -> FileLedger:
    """Return the ledger of plain values."""
    return FileLedger(
        {file: Reason[reason] if reason else None for file, reason in due.items()},
        Counter({Reason[reason]: count for reason, count in passed.items()}),
        {Reason[reason]: names for reason, names in examples.items()},
    )


def _given_in(text: str) -> Extraction:
    """Return the lineage of its saved text."""
    return read_text(text)
