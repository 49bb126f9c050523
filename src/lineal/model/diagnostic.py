"""Diagnostics: each says what failed, where, and what to do. Doubt and failure are values, never
log lines.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import NamedTuple

from lineal.model.redaction import redact_text


class Place(NamedTuple):
    """A spot in a file: line and column count from 1. A text that is in no file has an empty one."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file or '<input>'}:{self.line}:{self.column}"


class Severity(IntEnum):
    INFO = 0
    WARNING = 1
    ERROR = 2

    @property
    def label(self) -> str:
        """Return the name of the severity in lower case."""
        return self.name.lower()


class Code(Enum):
    """Every diagnostic: its code, its severity, what it means and what to do.

    docs/reference/diagnostics.md is made from this.
    """

    PARSE_ERROR = (
        "parse-error",
        Severity.ERROR,
        "A statement is not valid in its dialect. The other statements are still read.",
        "Check the statement, or name the dialect with --dialect.",
    )
    NEAREST_DIALECT = (
        "nearest-dialect",
        Severity.INFO,
        "There is no parser for this dialect. Its statements are read with the grammar of a related dialect.",
        "Check statements that use syntax of this dialect alone.",
    )
    LEFT_OVER = (
        "left-over",
        Severity.WARNING,
        "A statement was read only after words of it were left out that are not understood. "
        "Its edges have MEDIUM confidence at most.",
        "Check whether these words say anything about columns or rows.",
    )
    TOO_DEEP = (
        "too-deep",
        Severity.ERROR,
        "A statement nests deeper than can be read. The other statements are still read.",
        "Split the statement.",
    )
    INTERNAL_ERROR = (
        "internal-error",
        Severity.ERROR,
        "lineal itself failed on a statement or file. It has no lineage and counts as not resolved; "
        "everything else keeps its result.",
        "Please report it with the trace id; LINEAL_DEBUG=1 shows the traceback.",
    )
    LIMIT_EXCEEDED = (
        "limit-exceeded",
        Severity.ERROR,
        "A statement or file takes more CPU time or memory than it may, or ends the process that reads it. "
        "It has no lineage and counts as not resolved; everything else keeps its result.",
        "Simplify the statement, or raise the limit: --statement-timeout, --memory-limit.",
    )
    UNRESOLVED_COLUMN = (
        "unresolved-column",
        Severity.ERROR,
        "No source in scope can have this column: every schema is complete and none lists it. "
        "The output column stays listed, without an edge; "
        "a column that only a declaration lacks keeps a LOW edge, since a declaration can be stale.",
        "Check the spelling, or add the column to the schema.",
    )
    AMBIGUOUS_COLUMN = (
        "ambiguous-column",
        Severity.WARNING,
        "Several sources may have this unqualified column. Every candidate gets an edge, flagged ambiguous.",
        "Qualify the column, or give a schema for the sources.",
    )
    AMBIGUOUS_DATASET = (
        "ambiguous-dataset",
        Severity.WARNING,
        "Scripts in several folders define this name differently, and none of them is nearer than the others. "
        "Every candidate gets an edge; columns that several of them have are flagged ambiguous.",
        "Qualify the name, or move the script next to the definition that it means.",
    )
    COLUMN_COUNT = (
        "column-count",
        Severity.ERROR,
        "Two lists that are matched by position differ in length: "
        "branches of a set operation, a column list, an INSERT.",
        "Make the lists equally long.",
    )
    OPEN_STAR = (
        "open-star",
        Severity.INFO,
        "A star covers a dataset whose columns are not known. It stays an open star.",
        "Give a schema for the dataset.",
    )
    CYCLIC_DEFINITION = (
        "cyclic-definition",
        Severity.ERROR,
        "Definitions read each other in a cycle. The name is treated as an unknown dataset where the cycle closes.",
        "Break the cycle.",
    )
    DUPLICATE_DEFINITION = (
        "duplicate-definition",
        Severity.WARNING,
        "One name is defined by statements in several files that agree in most columns, or are in one folder. "
        "They are one dataset with all of their columns.",
        "Give the datasets different names.",
    )
    UNSUPPORTED_STATEMENT = (
        "unsupported-statement",
        Severity.WARNING,
        "This kind of statement is not traced. The other statements are still read.",
        "Check whether it moves data; if it does, please report it.",
    )
    UNSUPPORTED_CONSTRUCT = (
        "unsupported-construct",
        Severity.WARNING,
        "This construct is not traced exactly. The columns that it names are kept as reads.",
        "Check the edges of the statement, and please report the construct.",
    )
    UNKNOWN_PROCEDURE = (
        "unknown-procedure",
        Severity.INFO,
        "A statement calls a procedure that the input does not define. Its reads and writes are not known.",
        "Add the file that defines the procedure.",
    )
    UNKNOWN_PACKAGE = (
        "unknown-package",
        Severity.INFO,
        "No source, column or variable has the name before the dot. lineal takes it for a package, whose value "
        "has no sources.",
        "Check the alias, or add the file that defines the package.",
    )
    UNKNOWN_TRIGGER = (
        "unknown-trigger",
        Severity.WARNING,
        "A trigger's function uses NEW or OLD, and no trigger in the input executes it. "
        "The table of these rows is not known, so their columns have no edges.",
        "Add the file with the CREATE TRIGGER statement.",
    )
    NOT_WRITTEN = (
        "not-written",
        Severity.WARNING,
        "A Python node does not write the table with its name.",
        'Return the DataFrame from model(dbt, session), or write it: df.write.saveAsTable("<name>").',
    )
    NOT_TRACED = (
        "not-traced",
        Severity.INFO,
        "A Python node is neither a PySpark model nor a Spark job. Only its YAML is read: the nodes that it "
        "depends on, and its columns, which count as not traced.",
        "Write it as model(dbt, session) to have it traced and run.",
    )
    DYNAMIC = (
        "dynamic",
        Severity.WARNING,
        "A part of the input is only known when it runs.",
        "Write the value into the text, or take the lineage of a run: lineal capture, a query log.",
    )
    UNRENDERED = (
        "unrendered",
        Severity.INFO,
        "A text outside any project is a Jinja template. ref('x') and source('a', 'b') name x and a.b; "
        "config() and set are left out.",
        "Name the folder of the dbt project to have its templates rendered: lineal lineage PROJECT.",
    )
    NOT_UTF8 = (
        "not-utf8",
        Severity.WARNING,
        "A file is not UTF-8 text. It is read as Latin-1.",
        "Name the encoding with --encoding, or save the file as UTF-8.",
    )
    UNREADABLE = (
        "unreadable",
        Severity.ERROR,
        "A file or folder cannot be read.",
        "Check the path and its permissions.",
    )
    LEFT_OUT = (
        "left-out",
        Severity.WARNING,
        "A file is not read: it is not a regular file, not text, not in the encoding that was named, too large, or a "
        "link that leaves the project; of a revision, also a submodule or a pointer of Git LFS.",
        "Remove the file, or change the rule: --encoding, --follow-links, --max-file-size.",
    )
    YAML_ERROR = (
        "yaml-error",
        Severity.ERROR,
        "A file is not valid YAML. It is left out.",
        "Check the line that is named.",
    )
    DUPLICATE_KEY = (
        "duplicate-key",
        Severity.ERROR,
        "A mapping has one key twice. The first value counts.",
        "Remove one of the two.",
    )
    YAML_TYPE = (
        "yaml-type",
        Severity.ERROR,
        "A value in a YAML file has the wrong type, or is not one of the allowed values. It is left out.",
        "Write a value that the message allows.",
    )
    UNKNOWN_KEY = (
        "unknown-key",
        Severity.ERROR,
        "A project file has an unknown key. It is left out.",
        "Check the spelling against the keys that the message names.",
    )
    NO_EFFECT = (
        "no-effect",
        Severity.WARNING,
        "A setting has no effect: it names a function that no statement calls, or a model or seed without a file.",
        "Check the spelling, or remove it.",
    )
    TEMPLATE_ERROR = (
        "template-error",
        Severity.ERROR,
        "A Jinja template does not render. The node is left out; the others are still read.",
        "Check the line that is named.",
    )
    TEMPLATE_LIMIT = (
        "template-limit",
        Severity.ERROR,
        "Rendering a template took more time, memory or output than it may.",
        "Simplify the template.",
    )
    MISSING_YAML = (
        "missing-yaml",
        Severity.WARNING,
        "A node has no YAML file next to it, so its columns have no types or descriptions.",
        "Write <name>.yml next to <name>.sql.",
    )
    MISSING_SQL = (
        "missing-sql",
        Severity.ERROR,
        "There is no SQL file next to the YAML of a node.",
        "Write <name>.sql next to <name>.yml.",
    )
    MISSING_PYTHON = (
        "missing-python",
        Severity.ERROR,
        "There is no Python file next to the YAML of a Python node.",
        "Write <name>.py next to <name>.yml.",
    )
    MANIFEST = (
        "manifest",
        Severity.WARNING,
        "A dbt manifest or catalog cannot be read, or is of a version that is not known. "
        "The files of the project are read instead.",
        "Run `dbt compile` with a version of dbt that is supported, or remove the target folder.",
    )
    STALE_MANIFEST = (
        "stale-manifest",
        Severity.INFO,
        "Models have been edited since the dbt manifest was made. They are rendered from their files.",
        "Run `dbt compile`.",
    )
    UNKNOWN_REFERENCE = (
        "unknown-reference",
        Severity.WARNING,
        "ref() or source() names a node that is not in the project. It is kept as a dataset without known columns.",
        "Check the spelling; if a package has it, run `dbt deps`.",
    )
    MISSING_PACKAGE = (
        "missing-package",
        Severity.ERROR,
        "Models call macros of a package that is not installed, and do not render. Each package is reported once.",
        "Run `dbt deps` to install the packages of the project.",
    )
    PRIVATE_REFERENCE = (
        "private-reference",
        Severity.WARNING,
        "A node reads a private model of a group that it does not belong to. dbt refuses to run it.",
        "Read a model that is protected or public, or put both into one group.",
    )
    SEED_ERROR = ("seed-error", Severity.ERROR, "A seed's CSV cannot be read.", "Check the file.")
    LOG_ROW = (
        "log-row",
        Severity.WARNING,
        "A row of a query log cannot be read or has no statement. It is left out; the other rows are still read.",
        "Check the row; --log-text names the column with the statements.",
    )
    NOT_RUN = (
        "not-run",
        Severity.INFO,
        "Statements of a query log that failed, were cut off, ran outside --since and --until, or are scripts "
        "whose statements are listed one by one. They give no edges.",
        "If a statement is missing, check its status in the log, and --since and --until.",
    )
    EVENT_ERROR = (
        "event-error",
        Severity.WARNING,
        "An OpenLineage event, or a part of one, is not valid. That part is left out; the rest is still read.",
        "Check the line that is named, or the tool that wrote it.",
    )
    RUN_FAILED = (
        "run-failed",
        Severity.INFO,
        "A run failed or was aborted. Its outputs give no edges.",
        "Read the events of a run that completed.",
    )
    CLASSIFICATION_CONFLICT = (
        "classification-conflict",
        Severity.INFO,
        "A column declares a classification that differs from that of its unmasked sources. The declared one counts.",
        "Declare the label that is meant, or mask the column.",
    )
    ENGINE_REFUSED = (
        "engine-refused",
        Severity.ERROR,
        "The engine's own analyzer refuses a statement. The other statements are still read.",
        "Check the statement against the engine's message.",
    )
    NOT_CAPTURED = (
        "not-captured",
        Severity.WARNING,
        "A job wrote data, and its lineage could not be recorded. The first write of each kind is reported.",
        "Please report it with the kind of write that the message names.",
    )
    ENGINES_DISAGREE = (
        "engines-disagree",
        Severity.WARNING,
        "The edges or reads of the text differ from the engine's: from its plan, or from its record of a view.",
        "Please report it with the statement: one of the two is wrong.",
    )
    NOT_COMPARED = (
        "not-compared",
        Severity.INFO,
        "Edges are not compared with Spark. Either a program was not run, or static reading says itself that only a "
        "run knows them.",
        "",
    )
    GUESSED_DIALECT = (
        "guessed-dialect",
        Severity.INFO,
        "No setting names the dialect of these files. It is guessed from a header, the extension, words that only one "
        "engine reads, or the name of the folder.",
        "Name the dialect: --dialect, or `dialect:` in lineal.yml.",
    )
    OUTSIDE_PATHS = (
        "outside-paths",
        Severity.INFO,
        "SQL files are in the folder of a project, but in none of the paths that the project names. They are not read.",
        "Add their folder to the paths of the project, or name the files to lineal.",
    )
    WHOLE_PROJECT = (
        "whole-project",
        Severity.INFO,
        "A folder or file of a SQLMesh or Dataform project was named. The project around a folder is read as a whole.",
        "Name the folder of the project.",
    )
    OTHER_LIBRARY = (
        "other-library",
        Severity.INFO,
        "Programs use a DataFrame library that lineal does not trace: ibis, Dask, Modin, … "
        "Only the SQL in them is read.",
        "Add their lineage as OpenLineage events or as a query log.",
    )
    PROJECT_NAME = (
        "project-name",
        Severity.WARNING,
        "Two projects of one repository have the same name, or build the same table.",
        "Give one of the projects another name, or leave it out with --exclude.",
    )
    NO_INPUT = (
        "no-input",
        Severity.WARNING,
        "Nothing to read was found.",
        "Name a project, a .sql file or a folder of them.",
    )

    def __init__(self, code: str, severity: Severity, meaning: str, remedy: str) -> None:
        self.code = code
        self.severity = severity
        self.meaning = meaning
        self.remedy = remedy


class Diagnostic(NamedTuple):
    code: Code
    message: str
    place: Place | None = None
    hint: str = ""

    @property
    def severity(self) -> Severity:
        """Return the severity of the diagnostic's code."""
        return self.code.severity

    @property
    def file(self) -> str:
        """Return the file of the diagnostic; '' if it has no place."""
        return self.place.file if self.place is not None else ""

    @property
    def advice(self) -> str:
        """Return what the user can do about the diagnostic."""
        return self.hint or self.code.remedy

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.severity.label}[{self.code.code}]: {self.message}"


def order_of(diagnostic: Diagnostic) -> tuple[str, int, int, str, str]:
    """Diagnostics are shown by file and place."""
    at = diagnostic.place or Place("", 0, 0)
    return (at.file, at.line, at.column, diagnostic.code.code, diagnostic.message)


def redact_diagnostic(found: Diagnostic) -> Diagnostic:
    """Return a diagnostic whose message has no secrets of the input in it."""
    message = redact_text(found.message)
    if message == found.message:
        return found

    return found._replace(message=message)
