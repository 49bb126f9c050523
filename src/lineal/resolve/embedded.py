"""SQL inside Python: the statements that programs hand to databases, as scripts of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from lineal.extract.pyspark.embedded.clients import new_collector
from lineal.extract.pyspark.embedded.statements import Statement
from lineal.extract.pyspark.files import files_of
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.script import Corpus, Script
from lineal.resolve.catalog import PYTHON
from lineal.resolve.definitions import Definitions
from lineal.resolve.programs import Corpus as ProgramCorpus
from lineal.resolve.programs import program_over

SQL_WORDS = re.compile(
    r"\b(airflow|execute\w*|read_sql\w*|read_gbq|to_sql|read_database\w*|exec_driver_sql|duckdb"
    r"|snowpark|get_pandas_df|get_records|run_query|(?:client|conn|con|session|db|hook|engine)"
    r"\s*\.\s*(?:query|sql|run|scalar))\b"
)
"""A file without any of these is read only when another one imports it."""

TOLD = (Code.DYNAMIC,)
"""What the interpreter reports that concerns SQL; anything else is told when Spark is traced."""


@dataclass
class Found:
    """The statements of all programs, and the files of SQL that they run."""

    scripts: list[Script] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def has_embedded(scripts: Iterable[Script]) -> bool:
    """Tell whether a program among these scripts may hand SQL to a database."""
    return any(
        script.dialect == PYTHON and script.target is None and SQL_WORDS.search(script.text)
        for script in scripts
    )


def find_embedded(corpus: Corpus) -> Found:
    """Return the SQL that the programs of a corpus hand to databases."""
    definitions = Definitions(Corpus(corpus.dialect))
    definitions.corpus = corpus
    programs = [script for script in corpus.scripts if script.dialect == PYTHON]
    boundary = definitions.boundary
    files = files_of(programs, boundary.failures, boundary.lose)
    program = program_over(definitions, files, ProgramCorpus(definitions, {}), SQL_WORDS)
    program.run.collector = new_collector()
    run = program.execute([])
    found = Found()
    found.scripts = scripts_of(program.run.collector.statements, corpus)
    found.files = {each.file for each in program.run.collector.statements if each.from_file}
    marks = (
        "SQL that only a run",
        "the SQL file",
        "the columns that are written",
        "the columns of",
    )
    found.diagnostics = [
        each for each in run.diagnostics if each.code in TOLD and each.message.startswith(marks)
    ]
    return found


def scripts_of(statements: Iterable[Statement], corpus: Corpus) -> list[Script]:
    """Return a script for each statement; bare queries are named after who runs them."""
    several = list(statements)
    filled = {(each.text, each.file, each.line) for each in several if each.target}
    taken: dict[str, int] = {}
    scripts = []

    for each in several:
        if not each.target and (each.text, each.file, each.line) in filled:
            continue  # the query of a frame that is written

        name = each.target or unique_name(each.job or each.home or each.file, taken)
        scripts.append(
            Script(
                each.text if each.from_file else with_markers(each.text),
                each.dialect,
                each.file,
                each.line,
                name,
                each.kind,
                each.one_line,
                job=each.job,
            )
        )

    return scripts


MARKER = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|%\((\w+)\)s|%s|%%")


def with_markers(text: str) -> str:
    """WHERE day = %s, %(day)s      the markers of Python as those of SQL, in as many characters"""

    def write(found: re.Match[str]) -> str:
        if found[1]:
            return f":{found[1]}".ljust(len(found[0]))
        if found[0] == "%s":
            return "? "
        if found[0] == "%%":
            return "% "

        return found[0]

    if "%" in text:
        return MARKER.sub(write, text)

    return text


def unique_name(name: str, taken: dict[str, int]) -> str:
    """load, load_2, …"""
    number = taken[name] = taken.get(name, 0) + 1
    if number == 1:
        return name

    return f"{name}_{number}"
