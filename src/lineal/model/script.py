"""The input of a front end: a text with its dialect and its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lineal.model.diagnostic import Diagnostic, Place
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction, Occurrence
from lineal.model.finding import Checks
from lineal.model.ledger import FileLedger
from lineal.model.openlineage import Settings


class Expansion(NamedTuple):
    """A part of a text that a macro has written, from start up to end."""

    start: int
    end: int
    macro: str


@dataclass(frozen=True)
class DbtContext:
    """The values that `dbt` gives to a Python model: def model(dbt, session)."""

    relations: Mapping[str, str] = field(default_factory=dict)
    """dbt.ref("x") is "x", dbt.ref("package", "x") is "package.x", dbt.source("a", "b") is "a.b":
    the dataset's name.
    A key that is missing means its last part."""
    variables: Mapping[str, Any] = field(default_factory=dict)
    """dbt.var("x")"""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """dbt.config.get("x")"""
    incremental: bool | None = None
    """dbt.is_incremental; None where both answers count, and the lineages of both are united."""


@dataclass(frozen=True)
class Script:
    """One text of one or more statements.

    A bare SELECT in it defines `target` (a model's name), else a dataset named after the file, else
    `query_<hash>`. A Python model makes its `target`, too. Python that is only there to be imported
    is of the kind `module`.
    """

    text: str
    dialect: str
    file: str = ""
    line: int = 1
    target: str | None = None
    kind: str = "query"
    one_line: bool = False
    """The text is on one line of its file, however many it has itself: a statement in JSON."""
    recurs: bool = False
    """A statement of a log: another one may define the same name."""
    open: bool = False
    """Only a run knows all columns of its dataset: a template lists the rows of a table."""
    catalog: str = ""
    schemas: tuple[str, ...] = ()
    """The catalog and schema of names without them, in the session that ran it; '' is a schema
    that nobody names.
    """
    expansions: tuple[Expansion, ...] = ()
    """The parts of the text that macros have written, in order, as the template itself calls them."""
    dbt: DbtContext | None = field(default=None, hash=False)
    """Of a Python model: what `dbt` tells it."""
    written_in: str = ""
    """The dialect of the text, if it has no parser and `dialect` is its nearest relative."""
    job: str = ""
    """Who runs the text, as a scheduler names it: the DAG and task of Airflow."""
    announced: tuple[tuple[str, str], ...] = ()
    """Of the packages whose bodies are here: their names, and the specifications in other files."""

    def key(self) -> bytes:
        """The text and all that is said about it, to be hashed."""
        text, *said = vars(self).values()
        return f"{said}\0{text}".encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Function:
    """CREATE FUNCTION name(parameters) AS body: an expression (scalar) or a query (table) over its
    parameters.
    """

    name: str
    table: bool
    parameters: tuple[str, ...]
    body: Script
    columns: tuple[ColumnInfo, ...] = ()
    types: tuple[str, ...] = ()
    """Of each parameter; '' where none is declared."""
    returns: str = ""
    """The type of a scalar function's value."""


@dataclass(frozen=True)
class Meaning:
    """functions: {masking: [tokenize_pii], aggregates: [my_sum]}

    what the project says that a function does
    """

    name: str
    aggregates: bool = False
    masks: bool = False
    place: Place | None = None


@dataclass(frozen=True)
class ColumnTest:
    """A condition on every value of a column: unique, not_null, accepted_values: {values: […]}, …"""

    column: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    place: Place | None = None


@dataclass(frozen=True)
class QueryTest:
    """A query that must find nothing: a generic test of dbt, rendered, or a singular one."""

    name: str
    query: Script
    """Its rendered SQL; without text if it does not render."""
    column: str = ""
    place: Place | None = None
    reads: tuple[str, ...] = ()
    """The datasets it reads besides the one it belongs to."""
    severity: str = "error"
    fail_calc: str = "count(*)"
    error_if: str = "!= 0"
    warn_if: str = "!= 0"
    limit: int | None = None
    problem: str = ""
    """Why it cannot be run."""


@dataclass(frozen=True)
class Step:
    """The work of a run for one node: load a seed, build a model, register a function."""

    name: str
    kind: str
    """sql, seed, function, python, snapshot, source or test"""
    file: str
    """The SQL or CSV file, else the YAML."""
    texts: tuple[str, ...] = ()
    """The rendered SQL: of a first build, and last of a build on top of an existing table
    (`is_incremental()`).
    """
    materialized: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The other settings of the node: delimiter, unique_key; `dbt.config.get` in a
    Python model.
    """
    relations: Mapping[str, str] = field(default_factory=dict)
    """The tables that a Python model names: dbt.ref("x") is "x", dbt.ref("package", "x") is
    "package.x",
    dbt.source("a", "b") is "a.b". A key that is missing means its last part."""
    variables: Mapping[str, Any] = field(default_factory=dict)
    """The variables that `dbt.var` gives to a Python model."""
    roots: tuple[str, ...] = ()
    """The folders in which the imports of a Python model start."""
    depends: tuple[str, ...] = ()
    """depends_on: the nodes that a Python node waits for, in addition to those that its text names."""
    tests: tuple[ColumnTest, ...] = ()
    queries: tuple[QueryTest, ...] = ()
    before: tuple[Script, ...] = ()
    after: tuple[Script, ...] = ()
    """The hooks."""
    again: tuple[tuple[Script, ...], tuple[Script, ...]] | None = None
    """The hooks before and after a build on top of an existing table, where they differ."""
    lenient: bool = False
    """A hook that Spark does not take is reported and passed over: it was written for another
    engine.
    """
    place: Place | None = None
    line: int = 1
    """The line of the file that the text begins on."""
    table: str = ""
    """The name of its table in Spark, where that cannot be its own."""
    refs: tuple[str, ...] = ()
    """The datasets that it names by ref() and source(), whether or not its SQL reads them."""
    tags: tuple[str, ...] = ()
    """The tags that --select tag:x asks for."""
    problem: Diagnostic | None = None
    """Why it cannot be built: it does not render, or only a database knows what its SQL is."""


@dataclass(frozen=True)
class Defaults:
    """The meaning of a name without catalog or schema: t is catalog.schema.t, in the first schema
    that has a t.
    """

    catalog: str | None = None
    schemas: tuple[str, ...] = ()
    exact: bool = False
    """the names are a server's own: "Mart" is not mart"""


@dataclass(frozen=True)
class Main:
    """The one program that is run, as its command line says: python FILE ARGUMENT …, in a folder."""

    file: str
    arguments: tuple[str, ...] = ()
    folder: str = ""
    """where it is run: what relative paths start from"""


@dataclass(frozen=True)
class Launch:
    """How a program is started: the arguments of its command line, and the values of its widgets."""

    arguments: tuple[str, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class PlainModels:
    """The models of a dbt project whose templates need no Jinja: after an edit, the SQL of such a
    model is written again without reading the rest of the project.
    """

    root: str
    """The name of the project, which ref() means before other packages."""
    quote: str
    """The quote character of the target."""
    nodes: Mapping[str, Any]
    """The nodes that ref() can name: for each name the id, package, relation and kind."""
    sources: Mapping[str, Any]
    """The same for source()."""
    models: Mapping[str, tuple[str, Mapping[str, Any], Mapping[str, Any]]]
    """By file: the package of a model, what its config() says, and where it says that it is."""


@dataclass
class Corpus:
    """Everything that is analyzed together: one graph comes out of it."""

    dialect: str
    scripts: list[Script] = field(default_factory=list)
    datasets: list[DatasetInfo] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    meanings: list[Meaning] = field(default_factory=list)
    """The project's rows for functions that it calls, in addition to the function table."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    namespace: str = ""
    defaults: Defaults | None = None
    collapse_temporary: bool = True
    """Temporary tables are composed into what reads them; else they are datasets like any other."""
    steps: list[Step] = field(default_factory=list)
    """The nodes that can be run; only a project has them."""
    before: list[Script] = field(default_factory=list)
    after: list[Script] = field(default_factory=list)
    """Hooks of the whole run."""
    schemas: tuple[str, ...] = ()
    """Schemas that hooks may name in addition to those of the datasets: a dbt project's own, in its
    database.
    """
    notes: list[str] = field(default_factory=list)
    """The nodes that a run of the project passes over."""
    engine: Mapping[str, Any] = field(default_factory=dict)
    """The `spark:` section of the project file."""
    checks: Checks = field(default_factory=Checks)
    """The `validate:` section of the project file."""
    openlineage: Settings = field(default_factory=Settings)
    """The `openlineage:` section of the project file."""
    occurrences: list[Occurrence] = field(default_factory=list)
    """How often, when and by whom each statement was run; only a query log says."""
    aliases: dict[str, str] = field(default_factory=dict)
    """How SQL writes a relation, and the dataset that it is: db.shop.orders is the model orders."""
    relations: dict[str, str] = field(default_factory=dict)
    """The name of a dataset in a database, if known: orders is db.shop.orders."""
    given: list[Extraction] = field(default_factory=list)
    """Lineage that is known already: saved, or reported by other tools."""
    contents: dict[str, Any] = field(default_factory=dict)
    """Files next to programs, by their path: the text of SQL, the values of JSON, YAML and TOML."""
    launches: dict[str, Launch] = field(default_factory=dict)
    """How bundles, shell scripts and schedules start programs, by the file of the program."""
    main: Main | None = None
    """The program among the scripts that is read as it was run; without it, each one is read for
    all runs.
    """
    files: FileLedger = field(default_factory=FileLedger)
    """The files that were found, and why some of them were not read."""
    plain_models: PlainModels | None = None
    """Of a dbt project that is read from its files: the models that can be read again alone."""

    @property
    def programs(self) -> list[Script]:
        """Return the scripts that are Python programs."""
        return [script for script in self.scripts if script.dialect == "python"]


def dataset(name: str, namespace: str = "") -> Dataset:
    """Build the dataset of a name."""
    return Dataset(namespace, name)
