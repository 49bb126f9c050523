"""SQL inside Python: the statements that programs hand to databases, as scripts of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from lineal.extract.pyspark.embedded.clients import new_collector
from lineal.extract.pyspark.embedded.statements import Statement
from lineal.extract.pyspark.embedded.unreached import add_unreached
from lineal.extract.pyspark.files import files_of
from lineal.extract.pyspark.frame_libraries import TRACED
from lineal.extract.pyspark.notebooks import cells_or_text
from lineal.model.boundary import internal_errors
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.script import Corpus, Script
from lineal.resolve.catalog import PYTHON
from lineal.resolve.definitions import Definitions
from lineal.resolve.programs import Corpus as ProgramCorpus
from lineal.resolve.programs import program_over

SQL_WORDS = re.compile(
    r"\b(airflow|execute(?:many|script)?"
    r"|execute_(?:async|batch|query|sql|statement|string|values)"
    r"|read_sql\w*|read_gbq|to_sql|read_database\w*|exec_driver_sql|duckdb"
    r"|snowpark|bigquery|get_pandas_df|get_records|run_query|(?:client|conn|con|session|db|hook|engine)"
    r"\s*\.\s*(?:query|sql|run|scalar))\b"
)
"""A file without any of these is read only when another one imports it."""

WITHOUT_TEXT = re.compile(r"\bexecute\s*\(\s*\)")
"""The end of a MERGE of Delta, which hands no SQL to a database."""

NOT_CODE = re.compile(
    r"#[^\n]*"
    r"|(\b[a-zA-Z]{1,2})?"
    r"(?:\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')",
    re.DOTALL,
)
"""Comments and strings, with the prefix of a string."""

BY_NAME = re.compile(r"(?:getattr\s*\([^()]*|=\s*)$")
"""Behind this, a string of one word may name a method: getattr(conn, "execute"), how = "execute"."""

MOST_BEFORE = 80
"""Characters before a string that are looked at."""

TOLD = (Code.DYNAMIC,)
"""The interpreter's diagnostics that concern SQL; others are reported when Spark is traced."""


@dataclass
class EmbeddedSql:
    """The statements of all programs, and the files of SQL that they run."""

    scripts: list[Script] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def has_embedded(scripts: Iterable[Script]) -> bool:
    """Tell whether a program among these scripts may hand SQL to a database."""
    return any(
        script.dialect == PYTHON
        and script.target is None
        and SQL_WORDS.search(cells_or_text(script.text))
        for script in scripts
    )


def hands_out_sql(text: str) -> bool:
    """Tell whether the code of a file may hand SQL to a database; comments do not count."""
    if SQL_WORDS.search(text) is None:
        return False

    return SQL_WORDS.search(code_in(WITHOUT_TEXT.sub(" ", text))) is not None


def code_in(text: str) -> str:
    """Return a program without its comments and strings; f-strings stay, they have code inside."""
    by_name = "getattr" in text

    def leave_out(found: re.Match[str]) -> str:
        """Return an f-string, or the name of a method, as it is, and a space for anything else."""
        is_code = "f" in (found[1] or "").lower()
        return found[0] if is_code or (by_name and names_method(found)) else " "

    def names_method(found: re.Match[str]) -> bool:
        """Tell whether a string may be the name of a method that is called."""
        before = text[max(found.start() - MOST_BEFORE, 0) : found.start()]
        return found[0][1:-1].isidentifier() and BY_NAME.search(before) is not None

    return NOT_CODE.sub(leave_out, text)


def traced_modules() -> frozenset[str]:
    """Return the modules of the DataFrame libraries that are traced."""
    return frozenset(TRACED)


def find_embedded(corpus: Corpus) -> EmbeddedSql:
    """Return the SQL that the programs of a corpus hand to databases."""
    definitions = Definitions(Corpus(corpus.dialect))
    definitions.corpus = corpus
    programs = corpus.programs
    boundary = definitions.boundary
    files = files_of(programs, boundary.failures, boundary.lose)
    program = program_over(definitions, files, ProgramCorpus(definitions, {}), hands_out_sql)
    program.run.collector = new_collector()
    run = program.execute([])
    spoken = [file for file in program.files if program.speaks(file.text)]
    add_unreached(run, program.run.collector, spoken)
    found = EmbeddedSql()
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
    failed = internal_errors([*run.diagnostics, *boundary.diagnostics])
    found.diagnostics += dict.fromkeys(failed)
    return found


LITERAL = re.compile(r"'(?:[^']|'')*'|\b\d+\b")


def scripts_of(statements: Iterable[Statement], corpus: Corpus) -> list[Script]:
    """Return a script for each statement; bare queries are named after who runs them."""
    several = list(statements)
    filled = {(each.text, each.file, each.line) for each in several if each.target}
    run_by_tasks = {(each.text, each.file, each.line) for each in several if each.job}
    taken: dict[str, int] = {}
    seen: set[tuple[str, int, str, str, str]] = set()
    scripts = []

    for each in several:
        if not each.target and (each.text, each.file, each.line) in filled:
            continue  # the query of a frame that is written

        if not each.job and (each.text, each.file, each.line) in run_by_tasks:
            continue  # a function that a task calls, too

        shape = (each.file, each.line, each.job, each.target, LITERAL.sub("?", each.text))
        if shape in seen:
            continue  # a loop that only counts

        seen.add(shape)

        name = each.target or unique_name(each.job or each.home or each.file, taken)
        scripts += [
            Script(
                text,
                each.dialect,
                each.file,
                each.line,
                name,
                each.kind,
                each.one_line,
                job=each.job,
            )
            for text in texts_of(each)
        ]

    return scripts


def texts_of(statement: Statement) -> list[str]:
    """Return the texts of a statement: those that a template may be rendered to."""
    if statement.from_file:
        return variants_of(statement.text)

    return variants_of(with_markers(statement.text))


MARKER = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|%\((\w+)\)s|%s|%%")


def with_markers(text: str) -> str:
    """WHERE day = %s, %(day)s      the markers of Python as those of SQL, in as many characters"""

    def write(found: re.Match[str]) -> str:
        """Return a parameter or escape of a driver as SQL can hold it, in the same length."""
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


TAG = re.compile(r"\{%-?\s*(\w+)(?:[^%]|%(?!\}))*%\}")


def variants_of(text: str) -> list[str]:
    """{% if … %} a {% else %} b {% endif %}      with a, and with b: only a run knows which

    The body of a loop is read once. Whatever is left out becomes spaces, so that places stay.
    """
    if "{%" not in text:
        return [text]

    return list(dict.fromkeys(write_variant(text, chosen) for chosen in (True, False)))


def write_variant(text: str, first: bool) -> str:
    """Return a template with the first branch of each condition, or with its last one."""
    written: list[str] = []
    shown = [True]
    at = 0
    for tag in TAG.finditer(text):
        written.append(text_or_space(text[at : tag.start()], all(shown)))
        written.append(text_or_space(tag[0], False))
        at = tag.end()
        follow_tag(tag[1], first, shown)

    written.append(text_or_space(text[at:], all(shown)))
    return "".join(written)


def follow_tag(word: str, first: bool, shown: list[bool]) -> None:
    """Say whether the text behind a tag is shown."""
    if word == "if":
        shown.append(first)
    elif word == "elif" and len(shown) > 1:
        shown[-1] = False
    elif word == "else" and len(shown) > 1:
        shown[-1] = not first
    elif word == "endif" and len(shown) > 1:
        shown.pop()


def text_or_space(text: str, shown: bool) -> str:
    """Return a text, or as much space."""
    if shown:
        return text

    return re.sub(r"[^\n]", " ", text)


def unique_name(name: str, taken: dict[str, int]) -> str:
    """load, load_2, …"""
    number = taken[name] = taken.get(name, 0) + 1
    if number == 1:
        return name

    return f"{name}_{number}"
