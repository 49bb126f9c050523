"""From the folder of a SQLMesh project to a corpus."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from lineal.extract.sql.glance import selected_names, tables_of
from lineal.model.boundary import attempt
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Dataset, Read
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.ledger import Columns, Coverage, Reason
from lineal.model.plain import as_mapping
from lineal.model.script import Corpus, Script
from lineal.model.sequences import first_or_none, second_of_each
from lineal.model.way import Clause
from lineal.projects import yaml
from lineal.projects.columns import merge_infos, read_columns
from lineal.projects.drafts import ProjectDraft
from lineal.projects.intake import current, walk
from lineal.projects.nothing import no_input
from lineal.projects.render import Setting, Template, render
from lineal.projects.schema import Schema, schema_datasets
from lineal.projects.seeds import read_header, with_header
from lineal.projects.sqlmesh.audits import (
    Audit,
    AuditCall,
    Tests,
    asked_by,
    asked_in_python,
    audit_of,
    metric_script,
)
from lineal.projects.sqlmesh.header import (
    AUDIT,
    Header,
    assignments,
    body_of,
    headers_of,
    kind_of,
    with_spaced_comments,
)
from lineal.projects.sqlmesh.macros import Environment, PythonMacro, PythonMacros, Value, expand
from lineal.projects.sqlmesh.pieces import is_string, split, split_items, unquote
from lineal.projects.sqlmesh.python_files import (
    PythonModel,
    macros_of,
    models_of,
    parse_python,
)
from lineal.projects.sqlmesh.settings import Settings, read_settings
from lineal.projects.text import Report, read_text

MODELS, AUDITS, MACROS, METRICS = "models", "audits", "macros", "metrics"
EXTERNAL_FILES = ("external_models.yaml", "external_models.yml", "schema.yaml", "schema.yml")
EXTERNAL_FOLDER = "external_models"
FOLDERS = (MODELS, AUDITS, MACROS, METRICS, EXTERNAL_FOLDER, "seeds", "tests", "signals")
"""The folders that belong to a project; tests/ holds fixtures, which are left out."""

MODEL, SEED, SOURCE = "model", "seed", "source"
SLOWLY = ("SCD_TYPE_2", "SCD_TYPE_2_BY_TIME", "SCD_TYPE_2_BY_COLUMN")
JINJA = re.compile(
    r"JINJA_(?:QUERY|STATEMENT)_BEGIN\s*;(.*?)JINJA_END\s*;?", re.DOTALL | re.IGNORECASE
)
MARKERS = re.compile(r"ON_VIRTUAL_UPDATE_(?:BEGIN|END)\s*;", re.IGNORECASE)


@dataclass
class Draft(ProjectDraft[Settings]):
    """A corpus in the making."""

    scripts: list[Script] = field(default_factory=list)
    datasets: list[DatasetInfo] = field(default_factory=list)
    headers: dict[Dataset, list[ColumnInfo]] = field(default_factory=dict)
    given: list[Extraction] = field(default_factory=list)
    audits: dict[str, Audit] = field(default_factory=dict)
    asked: list[tuple[str, list[AuditCall], str, str]] = field(default_factory=list)
    python: PythonMacros = field(default_factory=PythonMacros)
    jinja: list[Template] = field(default_factory=list)
    sql: list[Model] = field(default_factory=list)
    written: list[tuple[PythonModel, Path, str]] = field(default_factory=list)
    """Models in Python that return SQL, with their file and dialect."""
    metrics: list[tuple[Header, str]] = field(default_factory=list)

    def environment(self, file: str, dialect: str, gateway: str = "") -> Environment:
        """Return what the macros of a file know."""
        known = self.settings.variables
        if gateway:
            known = self.settings.variables_of(gateway)

        return Environment(known, self.python, file, dialect, self.report)


@dataclass(frozen=True)
class Model:
    """A model in SQL, before its macros are expanded."""

    name: str
    header: Header
    body: str
    dialect: str
    env: Environment


def load_project(folder: Path, dialect: str | None, schema: Schema) -> Corpus:
    """Return the corpus of a project; a file that fails costs only itself."""
    draft = Draft.begin(folder, dialect, read_settings)

    for reader, file in project_files(folder, draft.settings, draft.report):
        place = Place(str(file), 1, 1)
        attempt(partial(reader, file, draft), None, place, draft.report, "this file")

    read_externals(folder, draft)
    add_models(draft)
    add_tests(draft)
    corpus = Corpus(draft.dialect, diagnostics=draft.diagnostics)
    given = schema_datasets(schema, "", draft.report)
    infos = merge_infos([*draft.datasets, *given])
    corpus.datasets = [
        with_header(info, draft.headers[info.dataset]) if info.dataset in draft.headers else info
        for info in infos
    ]
    corpus.scripts = draft.scripts
    corpus.given = draft.given
    corpus.aliases = aliases_of(draft)
    if not corpus.scripts and not corpus.datasets and not draft.diagnostics:
        draft.report(no_input(folder, "no models"))

    return corpus


FileReader = Callable[[Path, Draft], None]


def project_files(
    folder: Path, settings: Settings, report: Report
) -> Iterator[tuple[FileReader, Path]]:
    """Yield the files of a project with their readers: macros and audits before models."""
    for name, readers in ORDER:
        here = folder / name
        for where, names in walk(here, report) if here.is_dir() else ():
            for each in names:
                file = where / each
                reader = readers.get(file.suffix.lower())
                if reader is None:
                    continue

                if is_ignored(file.relative_to(folder), settings.ignored):
                    current().pass_over(str(file), Reason.EXCLUDED)
                else:
                    yield reader, file


def is_ignored(file: Path, patterns: list[str]) -> bool:
    """ignore_patterns: ["models/wip/*.sql"]"""
    path = file.as_posix()
    return any(fnmatch.fnmatch(path, pattern.replace("**/", "*")) for pattern in patterns)


# -- files -----------------------------------------------------------------------------------------


def read_python_macros(file: Path, draft: Draft) -> None:
    """macros/*.py"""
    text = read_text(file, draft.report)
    if text is None:
        return

    tree = parse_python(text, str(file), draft.report)
    if tree is not None:
        draft.python.add(str(file), text, macros_of(tree, str(file)))


def read_jinja_macros(file: Path, draft: Draft) -> None:
    """macros/*.sql      macros of Jinja, for the models that are written in it"""
    text = read_text(file, draft.report)
    if text is not None:
        name = file.relative_to(draft.folder / MACROS).as_posix()
        draft.jinja.append(Template(text, str(file), import_name=name))


def read_sql(file: Path, draft: Draft) -> None:
    """models/*.sql, audits/*.sql, metrics/*.sql"""
    text = read_text(file, draft.report)
    if text is None:
        return

    headers = headers_of(text, str(file), draft.dialect)
    if not headers:
        read_without_header(file, text, draft)

    for number, header in enumerate(headers):
        if not header.closed:
            message = f"the bracket of {header.word} ( is never closed"
            draft.report(Diagnostic(Code.PARSE_ERROR, message, header.place()))

        if header.word == AUDIT:
            body = body_of(text, header, headers[number + 1 :], draft.dialect)
            audit = audit_of(header, body, draft.dialect)
            draft.audits[audit.name] = audit
        elif header.word == "METRIC":
            draft.metrics.append((header, draft.dialect))
        else:
            read_model(file, text, header, headers[number + 1 :], draft)


def read_without_header(file: Path, text: str, draft: Draft) -> None:
    """A file of SQL without MODEL (…): its statements are read as they are."""
    if not text.strip():
        current().pass_over(str(file), Reason.EMPTY)
        return

    message = f"{file} has no MODEL header"
    draft.report(Diagnostic(Code.UNKNOWN_KEY, message, Place(str(file), 1, 1)))
    env = draft.environment(str(file), draft.dialect)
    draft.scripts.append(Script(expand(text, env), draft.dialect, str(file)))


def read_model(
    file: Path, text: str, header: Header, following: list[Header], draft: Draft
) -> None:
    """Read a model, once for each of its blueprints."""
    if header.is_false("enabled"):
        current().pass_over(str(file), Reason.DISABLED)
        return

    dialect = header.text("dialect") or draft.dialect
    body = with_spaced_comments(body_of(text, header, following, dialect), dialect)

    for values in blueprints_of(header, draft):
        env = draft.environment(str(file), dialect, header.text("gateway"))
        env.variables = {**env.variables, **values}
        env.line = header.lines.get("name", header.line)
        name = clean_name(expand_name(header.raw("name"), env)) or default_name(file, draft)
        env.line, env.this = 1, name
        if kind_of(header)[0] == "SEED":
            read_seed(file, name, header, draft)
        else:
            draft.sql.append(Model(name, header, body, dialect, env))
            declare(name, header, draft)

        draft.asked.append((name, asked_by(header), str(file), dialect))


def expand_name(text: str, env: Environment) -> str:
    """name @{schema}.orders, name @name"""
    made = expand(f"FROM {text}", env)
    return made.removeprefix("FROM ").strip()


def clean_name(text: str) -> str:
    """Return a name without the quotes around its parts."""
    if text:
        return ".".join(map(unquote, text.split(".")))

    return ""


def default_name(file: Path, draft: Draft) -> str:
    """Return the name of a model that has none: its folders below models/, and its file.

    A model in another folder of the project is named after its file.
    """
    home = draft.folder / MODELS
    if not file.is_relative_to(home):
        return file.stem

    parts = file.relative_to(home).with_suffix("").parts
    return ".".join(parts[-3:])


def blueprints_of(header: Header, draft: Draft) -> list[dict[str, Value]]:
    """blueprints ((name := a, x := 1), (name := b, x := 2))"""
    raw = header.raw("blueprints")
    if not raw:
        return [{}]

    if raw.startswith("@"):
        message = "the blueprints of this model are only known when it runs"
        draft.report(Diagnostic(Code.DYNAMIC, message, header.place("blueprints")))
        return [{}]

    found = []

    for item in split_items(raw):
        pairs = {
            key.lower(): Value(unquote(text), True) if is_string(text) else Value(text)
            for key, text in assignments(item)
        }
        found.append(pairs)

    return found or [{}]


def declare(name: str, header: Header, draft: Draft) -> None:
    """Declare what a header says of a model's columns."""
    columns = header.columns()
    told = header.descriptions()
    listed_names = {column.name for column in columns}
    place = header.place("column_descriptions")
    columns += [
        ColumnInfo(column, "", about, place=place)
        for column, about in told.items()
        if column not in listed_names
    ]
    tags = tuple(map(unquote, split_items(header.raw("tags"))))
    draft.datasets.append(
        DatasetInfo(
            Dataset("", name),
            MODEL,
            columns,
            False,
            header.text("description"),
            header.place(),
            tags=tags,
        )
    )


def read_seed(file: Path, name: str, header: Header, draft: Draft) -> None:
    """kind SEED (path '../seeds/x.csv')      its columns are those of the header, else of the file"""
    settings = kind_of(header)[1]
    path = unquote(settings.get("path", "")).replace("$root", str(draft.folder))
    csv = file.parent / path
    if path.startswith("/"):
        csv = Path(path)

    csv = Path(*_without_dots(csv))
    info = DatasetInfo(
        Dataset("", name), SEED, header.columns(), False, header.text("description"),
        header.place(),
    )  # fmt: skip
    draft.datasets.append(info)
    if not path or not csv.is_file():
        message = f"the seed {name} has no file {path}".rstrip()
        draft.report(Diagnostic(Code.SEED_ERROR, message, header.place("kind")))
        return

    delimiter = dict(assignments(settings.get("csv_settings", ""))).get("delimiter", "','")
    draft.headers[info.dataset] = read_header(csv, unquote(delimiter) or ",", draft.report)


def _without_dots(path: Path) -> list[str]:
    """Return the parts of a path with `..` resolved."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        else:
            parts.append(part)

    return parts


def read_python_model(file: Path, draft: Draft) -> None:
    """models/*.py"""
    text = read_text(file, draft.report)
    tree = None
    if text is not None:
        tree = parse_python(text, str(file), draft.report)

    if tree is None:
        return

    for model in models_of(tree):
        place = Place(str(file), model.line, 1)
        if model.settings.get("enabled") is False:
            current().pass_over(str(file), Reason.DISABLED)
            continue

        if not model.name:
            message = "the name of this model is only known when it runs"
            draft.report(Diagnostic(Code.DYNAMIC, message, place))
            continue

        dialect = str(model.settings.get("dialect") or draft.dialect)
        draft.asked.append(
            (model.name, asked_in_python(model.settings, model.line), str(file), dialect)
        )
        if model.is_sql:
            draft.python.add(str(file), text or "")
            draft.written.append((model, file, dialect))
            draft.datasets.append(python_info(model, place, False))
        else:
            draft.given.append(lineage_of_text(model, file, draft))
            draft.datasets.append(python_info(model, place, True))


def python_info(model: PythonModel, place: Place, complete: bool) -> DatasetInfo:
    """Return what the decorator of a model says of its columns."""
    held = model.settings.get("columns")
    told = model.settings.get("column_descriptions")
    about = as_mapping(told)
    columns = [
        ColumnInfo(str(name), kind if isinstance(kind, str) else "", str(about.get(name, "")), place=place)
        for name, kind in as_mapping(held).items()
    ]  # fmt: skip
    description = model.settings.get("description")
    return DatasetInfo(
        Dataset("", model.name), "python", columns, complete and bool(columns),
        description if isinstance(description, str) else "", place,
    )  # fmt: skip


def lineage_of_text(model: PythonModel, file: Path, draft: Draft) -> Extraction:
    """A model whose columns only a run makes: it reads the tables that its text names."""
    place = Place(str(file), model.line, 1)
    target = Dataset("", model.name)
    named = dict(model.reads)

    for query, line in model.queries:
        for name in tables_of(query, draft.dialect):
            named.setdefault(name, line)

    reads = [
        Read(target, Dataset("", clean_name(name)), None, Clause.FROM, Place(str(file), line, 1))
        for name, line in named.items()
    ]
    message = f"the Python model {model.name} makes its columns when it runs"
    draft.report(Diagnostic(Code.NOT_TRACED, message, place))
    coverage = Coverage(columns=Columns(len(model.settings.get("columns") or ()) or 1))
    coverage.columns.lose("resolved", Code.NOT_TRACED.code, coverage.columns.named)
    infos = {read.dataset: DatasetInfo(read.dataset, "table") for read in reads}
    infos[target] = python_info(model, place, True)
    return Extraction(reads=reads, datasets=infos, coverage=coverage)


ORDER: tuple[tuple[str, Mapping[str, FileReader]], ...] = (
    (MACROS, {".py": read_python_macros, ".sql": read_jinja_macros}),
    (AUDITS, {".sql": read_sql}),
    (METRICS, {".sql": read_sql}),
    (MODELS, {".sql": read_sql, ".py": read_python_model}),
)
"""The folders in the order in which they are read, with the readers of their files."""


# -- external models -------------------------------------------------------------------------------


def read_externals(folder: Path, draft: Draft) -> None:
    """external_models.yaml, external_models/*.yaml      tables that somebody else fills"""
    files = [folder / name for name in EXTERNAL_FILES if (folder / name).is_file()]
    inner = folder / EXTERNAL_FOLDER

    for where, names in walk(inner, draft.report) if inner.is_dir() else ():
        files += [where / name for name in names if name.endswith((".yaml", ".yml"))]

    for file in files:
        held = yaml.read(file, draft.report) or yaml.NOTHING
        for item in held.items:
            name = clean_name(item.text(draft.report, "name"))
            if not name:
                continue

            columns = read_columns(item.get("columns"), draft.report)
            about = item.text(draft.report, "description")
            dataset = Dataset("", name)
            draft.datasets.append(
                DatasetInfo(dataset, SOURCE, columns, bool(columns), about, item.place)
            )
            asked = asked_in_python(as_mapping(item.plain()), item.place.line)
            draft.asked.append((name, asked, str(file), draft.dialect))


# -- scripts ---------------------------------------------------------------------------------------


def add_models(draft: Draft) -> None:
    """Add the scripts of all models in SQL, and of the statements before a run."""
    bodies = render_jinja(draft)
    known = ProjectColumns(draft, bodies)

    for model, text in zip(draft.sql, bodies, strict=True):
        place = model.header.place()
        if text is not None:
            work = partial(add_model, model, text, known, draft)
            attempt(work, None, place, draft.report, "this model")

    for written in draft.written:
        place = Place(str(written[1]), written[0].line, 1)
        work = partial(add_written, *written, known, draft)
        attempt(work, None, place, draft.report, "this model")

    names = {header.text("name").lower() for header, _ in draft.metrics}

    for header, dialect in draft.metrics:
        script = metric_script(header, dialect, names)
        if script is not None:
            draft.scripts.append(script)

    for text in draft.settings.before_all:
        env = draft.environment(str(draft.settings.file), draft.dialect)
        script = Script(expand(text, env), draft.dialect, str(draft.settings.file), one_line=True)
        draft.scripts.append(script)


def add_model(model: Model, text: str, known: ProjectColumns, draft: Draft) -> None:
    """Add the script of a model; two, if a condition is only known when it runs."""
    model.env.columns_of = known.columns_of
    texts: list[str] = []

    for answer in (True, False):
        env = replace(model.env, answer=answer, defined={}, asked=[], open=[])
        if answer is False:
            env.report = lambda _: None

        made = expand(MARKERS.sub(lambda found: " " * len(found[0]), text), env)
        if made not in texts:
            texts.append(made)
            draft.scripts.append(
                Script(
                    with_history(made, model.header),
                    model.dialect,
                    model.header.file,
                    1,
                    model.name,
                    MODEL,
                    open=bool(env.open),
                    job=model.name,
                )
            )

        if not env.asked:
            break


def add_written(
    model: PythonModel, file: Path, dialect: str, known: ProjectColumns, draft: Draft
) -> None:
    """@model("shop.orders", is_sql=True)      the SQL that the function returns, if its text tells"""
    env = draft.environment(str(file), dialect)
    env.columns_of, env.this, env.stage = known.columns_of, model.name, "loading"
    macro = PythonMacro(model.name, str(file), model.line, model.function)
    texts = draft.python.write(macro, [], {}, env)
    if not texts:
        draft.given.append(lineage_of_text(model, file, draft))

    for text in dict.fromkeys(texts):
        script = Script(expand(text, env), dialect, str(file), model.line, model.name, MODEL, True)
        draft.scripts.append(replace(script, job=model.name))


def with_history(text: str, header: Header) -> str:
    """kind SCD_TYPE_2      the query, and the times that each row was so"""
    name, settings = kind_of(header)
    if name not in SLOWLY:
        return text

    time = unquote(settings.get("updated_at_name", "updated_at"))
    since = "CURRENT_TIMESTAMP"
    if name != "SCD_TYPE_2_BY_COLUMN":
        since = time

    keys = ", ".join(map(unquote, split_items(settings.get("unique_key", ""))))
    first = unquote(settings.get("valid_from_name", "valid_from"))
    last = unquote(settings.get("valid_to_name", "valid_to"))
    until = f"LEAD({since}) OVER (PARTITION BY {keys} ORDER BY {since})"
    begin, end = query_of(text)
    if begin is None:
        return text

    opening = f"SELECT history.*, {since} AS {first}, {until} AS {last} FROM ("  # noqa: S608
    return f"{text[:begin]}{opening}{text[begin:end]}\n) AS history{text[end:]}"


def query_of(text: str) -> tuple[int | None, int]:
    """Return where the query of a model begins and ends: its first SELECT or WITH."""
    for part in split(text, ";"):
        if re.match(r"(SELECT|WITH|FROM|\()", part.text, re.IGNORECASE):
            return part.start, part.start + len(part.text)

    return None, 0


def render_jinja(draft: Draft) -> list[str | None]:
    """Return the bodies of all models, those in Jinja rendered."""
    found: list[str | None] = []
    waiting: list[tuple[int, Template]] = []

    for number, model in enumerate(draft.sql):
        found.append(model.body)
        if JINJA.search(model.body):
            text = JINJA_NAMES + jinja_text(model.body)
            waiting.append((number, Template(text, model.header.file, this=model.name)))

    if not waiting:
        return found

    variables = {name: value.text for name, value in draft.settings.variables.items()}
    setting = Setting(draft.jinja, variables, draft.settings.file.name)
    rendered = render(second_of_each(waiting), setting)
    draft.diagnostics += rendered.diagnostics

    for (number, _), rendering in zip(waiting, rendered.renderings, strict=True):
        draft.diagnostics += rendering.diagnostics
        found[number] = first_or_none(rendering.texts)

    return found


RUN_NAMES = [
    f"{when}_{what}"
    for when in ("start", "end", "execution")
    for what in ("ds", "date", "ts", "dt", "epoch", "millis")
]
JINJA_NAMES = "".join(f"{{% set {name} = '2020-01-01' %}}" for name in RUN_NAMES) + (
    "{% set this_model = this %}{% set runtime_stage = 'evaluating' %}{% set gateway = 'default' %}"
)
"""SQLMesh's variables about the run, for templates; they are on the first line of its file."""


def jinja_text(body: str) -> str:
    """Return a body whose blocks of Jinja are rendered, and everything else is left alone."""
    written: list[str] = []
    at = 0

    for found in JINJA.finditer(body):
        before = body[at : found.start()]
        written.append(re.sub(r"\{(?=[{%#])", "{ ", before))
        written.append("\n" * (body.count("\n", found.start(), found.start(1))))
        written.append(found[1] + ";")
        written.append("\n" * body.count("\n", found.end(1), found.end()))
        at = found.end()

    return "".join(written) + re.sub(r"\{(?=[{%#])", "{ ", body[at:])


class ProjectColumns:
    """The columns of the project's tables, for macros that list them."""

    def __init__(self, draft: Draft, bodies: list[str | None]) -> None:
        self.draft = draft
        self.infos = {info.dataset.name.lower(): info for info in draft.datasets}
        self.bodies = {
            model.name.lower(): (model, body)
            for model, body in zip(draft.sql, bodies, strict=True)
            if body is not None
        }
        self.asking: set[str] = set()

    def columns_of(self, relation: str) -> dict[str, str]:
        """Return the columns of a table with their types: declared, of a seed, or of a query."""
        key = self.full_key(clean_name(relation).lower())
        info = self.infos.get(key)
        if info is not None and info.kind != MODEL:
            header = self.draft.headers.get(info.dataset, [])
            return {column.name: column.type for column in info.columns or header}

        if info is not None and info.columns and all(column.type for column in info.columns):
            return {column.name: column.type for column in info.columns}

        if key not in self.bodies or key in self.asking:
            return {}

        self.asking.add(key)

        try:
            return dict.fromkeys(self.selected_names(*self.bodies[key]), "")
        finally:
            self.asking.discard(key)

    def full_key(self, key: str) -> str:
        """orders      shop.raw.orders, if only one table of the project ends so"""
        known = {*self.infos, *self.bodies}
        if key in known:
            return key

        found = [each for each in known if each.endswith(f".{key}")]
        return found[0] if len(found) == 1 else key

    def selected_names(self, model: Model, body: str) -> list[str]:
        """Return the names that the query of a model selects; none if there is a star."""
        quiet = replace(
            model.env, report=lambda _: None, columns_of=self.columns_of, defined={}, asked=[]
        )
        text = expand(body, quiet)
        begin, end = query_of(text)
        return selected_names(text[begin:end], model.dialect)


def add_tests(draft: Draft) -> None:
    """Add the audits of models, and the standalone ones."""
    tests = Tests(draft.audits)

    for model, asked, file, dialect in draft.asked:
        env = draft.environment(file, dialect)
        draft.scripts += tests.of_model(model, asked, file, dialect, env)

    draft.scripts += tests.standalone(draft.environment("", draft.dialect))


def aliases_of(draft: Draft) -> dict[str, str]:
    """Return how SQL may write a model with the default catalog: dw.shop.orders is shop.orders."""
    catalog = draft.settings.catalog
    if not catalog:
        return {}

    names = [info.dataset.name for info in draft.datasets]
    return {f"{catalog}.{name}": name for name in names if name.count(".") == 1}
