"""Statements that programs hand to a database, and the collector that keeps them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from lineal.extract.pyspark.dispatch import value
from lineal.extract.pyspark.file_contents import find_file
from lineal.extract.pyspark.invocation import Arguments, Keywords
from lineal.extract.pyspark.values import Builder, Choice, Library, Pattern, Unknown, Value
from lineal.model.diagnostic import Code
from lineal.model.sequences import flatten

if TYPE_CHECKING:
    from lineal.extract.pyspark.files import File
    from lineal.extract.pyspark.run import Environment, Run

SQL_START = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*|\{%.*?%\}\s*|\{#.*?#\}\s*|\(\s*|;\s*)*"
    r"(?:select|with|insert|create|update|delete|merge|replace|truncate|drop|alter|copy|call|begin"
    r"|declare|set|use|grant|revoke|unload|refresh|exec|execute|vacuum|analyze|optimize|load|from"
    r"|commit|rollback|attach|install|pragma|lock|comment|msck|explain|show|describe|export|do"
    r"|values|undrop|reindex|if(?=\s+(?:not\s+)?(?:exists|object_id)\b))\b"
    r"[\s(;'\"`]",
    re.IGNORECASE | re.DOTALL,
)
"""How a text of SQL begins; anything else that is handed to `execute` or `run` is not SQL."""

SQL_FILE = re.compile(r"^[^\n;]*\.(sql|hql|ddl|dml|bql|pgsql)$", re.IGNORECASE)
JINJA = re.compile(r"\{\{-?(.*?)-?\}\}")
MOST_STATEMENTS = 20_000


class Called(NamedTuple):
    """A call: the function, the object it belongs to, its name, and what it is given."""

    function: Value
    receiver: Value
    name: str
    arguments: Arguments
    keywords: Keywords
    node: Any

    @property
    def library(self) -> str:
        """Return the full name of a library's function; '' for any other."""
        if isinstance(self.function, Library):
            return self.function.name

        return ""

    def value(self, position: int, *names: str) -> Value:
        """Return an argument by one of its names, else by its position."""
        for name in names:
            if name in self.keywords:
                return self.keywords[name]

        if -1 < position < len(self.arguments):
            return self.arguments[position]

        return None

    def expression(self, position: int, *names: str) -> ast.expr | None:
        """Return the expression of an argument."""
        for keyword in getattr(self.node, "keywords", ()):
            if keyword.arg in names:
                found: ast.expr = keyword.value
                return found

        given: list[ast.expr] = getattr(self.node, "args", [])
        if -1 < position < len(given):
            return given[position]

        return None


@dataclass(frozen=True)
class Statement:
    """A text of SQL, its place, and the facts about its run."""

    text: str
    file: str
    line: int
    one_line: bool
    dialect: str = ""
    job: str = ""
    target: str = ""
    """The table that the rows of a query go to, if the call names one."""
    kind: str = "query"
    home: str = ""
    """The file and function that run it, as bare queries are named after."""
    from_file: bool = False
    """The text is a file of the input."""


@dataclass
class Collector:
    """Keeps the statements of a run."""

    statements: dict[Statement, None] = field(default_factory=dict)
    dags: list[Builder] = field(default_factory=list)
    """The DAGs that the program is in: with DAG(…):"""
    groups: list[str] = field(default_factory=list)
    """The task groups that it is in."""
    tasks: list[str] = field(default_factory=list)
    """The tasks that it carries out."""
    handlers: list[Callable[[Run, Collector, Called], Value]] = field(default_factory=list)
    decorators: list[Callable[[Run, Collector, Any, str, Keywords], Value | None]] = field(
        default_factory=list
    )
    literals: dict[str, dict[str, int]] | None = None
    """The files of each text, and its line there."""
    reached: set[int] = field(default_factory=set)
    """The calls whose argument was asked for SQL, by the identity of their node."""

    def call(self, run: Run, called: Called) -> Value:
        """Return what a call gives that speaks to a database; NOT_TAKEN for any other."""
        for handler in self.handlers:
            found = handler(run, self, called)
            if found is not NOT_TAKEN:
                return found

        return NOT_TAKEN

    def decorate(
        self, run: Run, made: Any, library: str, decorator: Any, env: Environment
    ) -> Value | None:
        """Return what a decorator makes of a function; None where it is none of these."""
        keywords: Keywords = {}

        for each in getattr(decorator, "keywords", ()):
            if each.arg is not None:
                keywords[each.arg] = value(run, each.value, env)

        given = [value(run, each, env) for each in getattr(decorator, "args", ())]
        if given:
            keywords.setdefault("dag_id", given[0])

        for handler in self.decorators:
            found = handler(run, self, made, library, keywords)
            if found is not None:
                return found

        return None

    # -- statements --------------------------------------------------------------------------------

    def add(self, run: Run, called: Called, held: Value, expression: Any, about: About) -> bool:
        """Keep the SQL of a value: a text, several, or a file; tell whether there is any."""
        self.reached.add(id(called.node))
        if isinstance(held, Choice):
            found = [self.add(run, called, each, expression, about) for each in held.options]
            return any(found)

        if isinstance(held, (list, tuple)):
            nodes = getattr(expression, "elts", None) or [expression] * len(held)
            pairs = zip(held, nodes, strict=False)
            found = [self.add(run, called, each, node, about) for each, node in pairs]
            return any(found)

        if isinstance(held, str):
            return self.add_text(run, called, held, expression, about)

        if isinstance(held, Unknown) and about.is_sure:
            message = f"SQL that only a run knows ({held.reason})"
            run.report(Code.DYNAMIC, message, called.node)

        return False

    def add_text(self, run: Run, called: Called, text: str, expression: Any, about: About) -> bool:
        """Keep one text, or the text of the file that it names."""
        home = run.home
        if SQL_FILE.match(text.strip()):
            return self.add_file(run, called, text.strip(), about)

        if not SQL_START.match(text):
            if about.is_sure and text.strip():
                self.report_unknown(run, called, text)

            return False

        file, line, one_line = self.place_of(run, called, text, expression)
        is_file = file != run.reading.script.file and one_line is False and line == 1
        self.keep(
            Statement(
                str(text),
                file,
                line,
                one_line,
                about.dialect,
                self.job,
                about.target,
                about.kind,
                home,
                is_file and run.program.contents.get(file) == text,
            )
        )
        return True

    def report_unknown(self, run: Run, called: Called, text: str) -> None:
        """Report a text that is handed to a database, and that does not begin like SQL."""
        message = f"SQL that only a run knows: {text[:80]}"
        if isinstance(text, Pattern) or " " in text.strip():
            run.report(Code.DYNAMIC, message, called.node)

    def add_file(self, run: Run, called: Called, path: str, about: About) -> bool:
        """sql="sql/load.sql"      a file next to the program, or in a folder of templates"""
        found = None

        for folder in ("", *about.folders):
            found = found or find_file(run, f"{folder}/{path}" if folder else path)

        if found is None and path.startswith("/"):
            found = find_file(run, path.lstrip("/"))  # Jinja reads it from the folder of the DAG

        text = None
        if found is not None:
            text = run.program.contents.get(found)

        if found is None or not isinstance(text, str):
            run.report(Code.DYNAMIC, f"the SQL file {path} is not in the input", called.node)
            return False

        rendered = about.render(text)
        self.keep(
            Statement(
                rendered,
                found,
                1,
                False,
                about.dialect,
                self.job,
                about.target,
                about.kind,
                run.home,
                True,
            )
        )
        return True

    def keep(self, statement: Statement) -> None:
        """Keep a statement once."""
        if len(self.statements) < MOST_STATEMENTS:
            self.statements[statement] = None

    @property
    def job(self) -> str:
        """Return the current DAG and task, as Airflow's OpenLineage provider names them."""
        if self.tasks:
            return self.tasks[-1]

        return ""

    # -- places ------------------------------------------------------------------------------------

    def place_of(
        self, run: Run, called: Called, text: str, expression: Any
    ) -> tuple[str, int, bool]:
        """Return the file and line that a text begins at, and whether its lines are not the file's."""
        file = run.reading.script.file
        if isinstance(expression, (ast.Constant, ast.JoinedStr)):
            place = run.reading.place_of(expression)
            return file, place.line if place is not None else 1, False

        found = self.literal(run, text)
        if found is not None:
            return found[0], found[1], False

        name = next((path for path, held in run.program.contents.items() if held == text), None)
        if name is not None:
            return name, 1, False

        place = run.reading.place_of(called.node)
        return file, place.line if place is not None else 1, True

    def literal(self, run: Run, text: str) -> tuple[str, int] | None:
        """Return the file and line of the string that a text is; the current file comes first."""
        if self.literals is None:
            self.literals = literals_of(run.program.files)

        lines = self.literals.get(text)
        if lines is None:
            return None

        here = run.reading.script.file
        file = here if here in lines else next(iter(lines))
        return file, lines[file]


def literals_of(files: Iterable[File]) -> dict[str, dict[str, int]]:
    """Return the files and lines of each string of these files."""
    found: dict[str, dict[str, int]] = {}

    for file in files:
        for node in ast.walk(file.tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue

            place = file.reading.place_of(node)
            line = 1
            if place is not None:
                line = place.line

            found.setdefault(node.value, {}).setdefault(file.script.file, line)

    return found


@dataclass(frozen=True)
class About:
    """The facts that a call states about its SQL."""

    dialect: str = ""
    target: str = ""
    kind: str = "query"
    is_sure: bool = False
    """Whether the argument can be nothing but SQL: then a value that only a run knows is reported."""
    folders: tuple[str, ...] = ()
    """Where files of templates are looked for, in addition to the program's folder."""
    values: tuple[tuple[str, str], ...] = ()
    """Values of a template: params.table is orders."""

    def render(self, text: str) -> str:
        """Return a text with the values of its template."""
        known = dict(self.values)

        def write(found: re.Match[str]) -> str:
            """Return the known value of a template's expression, else the expression as written."""
            return known.get(found[1].strip(), found[0])

        return JINJA.sub(write, text)


NOT_TAKEN: Any = object()
"""The answer of a handler to a call that is none of its own."""


def texts_in(held: Value) -> Iterable[str]:
    """Return the texts that a value may be."""
    if isinstance(held, Choice):
        return flatten(texts_in(each) for each in held.options)

    if isinstance(held, str):
        return [held]

    return []
