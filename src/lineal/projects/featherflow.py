"""A project folder with `lineal.yml` or `featherflow.yml`: nodes of SQL, Python and YAML, seeds,
sources, functions.

lineal.yml                        name, dialect, vars, nodes, macros, modules, namespace,
                                  materialized, functions, …
macros/*.sql                      {% macro cents_to_dollars(column) %}…{% endmacro %}
modules/*.py                      what Python models import
nodes/<name>/<name>.yml           kind: sql | python | seed | source | function, columns, hooks
nodes/<name>/<name>.sql           the query, with Jinja; a function's body
nodes/<name>/<name>.py            def model(dbt, session), or a job that writes <name>
nodes/<name>/<name>.csv           a seed's rows
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from lineal.extract import UnknownDialect
from lineal.model.boundary import attempt, attempt_each
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.openlineage import Settings
from lineal.model.script import Corpus, Function, Meaning, Script
from lineal.model.sequences import first_of_each
from lineal.projects import files, yaml
from lineal.projects.builtins import builtin_macros
from lineal.projects.columns import TYPE_KEYS, inherit_setting, merge_infos, name_of, read_columns
from lineal.projects.configuration import FOLDER_KEYS
from lineal.projects.extensions import PROJECT_FILES
from lineal.projects.intake import first_file, walk
from lineal.projects.nodes import Node, find_nodes
from lineal.projects.python_nodes import lineage_of_yaml, read_python_node
from lineal.projects.render import Rendering, Setting, Template, render
from lineal.projects.schema import Schema, schema_datasets
from lineal.projects.seeds import read_header, with_header
from lineal.projects.settings import check_keys, read_meanings, read_openlineage
from lineal.projects.steps import MATERIALIZED_KEYS, Waiting, step_of
from lineal.projects.text import Report, read_text, start_of
from lineal.projects.yaml import Value

OWN_FILES = frozenset(("lineal.yml", "lineal.yaml"))
"""In these every key is lineal's own; the other file belongs to another tool, too."""

NODE_KEYS = ("nodes", "node_paths")
MACRO_KEYS = ("macros", "macro_paths")
MODULE_KEYS = ("modules", "module_paths")
PRE_HOOK_KEYS = ("pre_hook", "pre_hooks", "pre-hook")
PROJECT_KEYS = (
    *(
        "name",
        "version",
        "description",
        "dialect",
        "namespace",
        "vars",
        "functions",
        "spark",
        "validate",
    ),
    "openlineage",
    *FOLDER_KEYS,
    *(*NODE_KEYS, *MACRO_KEYS, *MODULE_KEYS, *MATERIALIZED_KEYS),
)
POST_HOOK_KEYS = ("post_hook", "post_hooks", "post-hook")


def matches(path: Path) -> bool:
    """A folder with a project file in it, or the project file itself."""
    return project_file(path) is not None


def load(path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
    """The project's statements, datasets and functions; the caller's dialect and schema add to what
    it says itself.
    """
    draft = Draft()
    project = read_project(path, dialect, draft.report)
    if not project.has_nodes and _has_sql(project.file.parent):
        corpus = files.load(project.file.parent, project.dialect or None, schema)
        return with_settings(corpus, project, draft.diagnostics)

    for node in find_nodes(project.node_folders, draft.report):
        attempt(
            partial(READERS[node.kind], node, project, draft),
            None,
            node.place,
            draft.report,
            "this node",
        )

    return draft.finish(project, schema)


def load_plain(folder: Path, dialect: str | None, corpus: Corpus) -> Corpus:
    """models/a.sql, models/b.sql, lineal.yml      what the project file says of them all"""
    problems: list[Diagnostic] = []
    project = read_project(folder, dialect, problems.append)
    return with_settings(corpus, project, problems)


def with_settings(corpus: Corpus, project: Project, problems: list[Diagnostic]) -> Corpus:
    """Return the corpus of a folder with what its project file says."""
    corpus.diagnostics = [*problems, *corpus.diagnostics]
    corpus.meanings, corpus.namespace, corpus.engine = (
        project.meanings,
        project.namespace,
        project.engine,
    )
    corpus.openlineage = project.openlineage
    return corpus


def project_file(path: Path) -> Path | None:
    """Return the project file of a path."""
    if path.name in PROJECT_FILES and path.is_file():
        return path

    return first_file(path, PROJECT_FILES)


@dataclass(frozen=True)
class Project:
    """The contents of the project file."""

    file: Path
    dialect: str
    namespace: str
    node_folders: list[Path]
    macro_folders: list[Path]
    module_folders: list[Path]
    variables: Mapping[str, Any]
    materialized: str
    engine: Mapping[str, Any]
    openlineage: Settings
    meanings: list[Meaning]
    has_nodes: bool
    """Whether it names folders of nodes, or has the usual one."""

    def dataset(self, name: str) -> Dataset:
        """Return the dataset of a name."""
        return Dataset(self.namespace, name)

    @property
    def import_folders(self) -> list[Path]:
        """Where the imports of every Python model start, in addition to its own folder."""
        return [*self.node_folders, *self.module_folders, self.file.parent]


def read_project(path: Path, dialect: str | None, report: Report) -> Project:
    """Read the project file."""
    file = project_file(path)
    assert file is not None, "matches() comes first"
    about = merge_other_file(file, read_about(file, report), report)
    return Project(
        file=file,
        dialect=dialect if dialect is not None else _dialect(about, report) or _usual_dialect(file),
        namespace=about.text(report, "namespace"),
        node_folders=_folders(about, NODE_KEYS, file.parent, report),
        macro_folders=_folders(about, MACRO_KEYS, file.parent, report),
        module_folders=_folders(about, MODULE_KEYS, file.parent, report),
        variables={key: value.plain() for key, value in about.mapping(report, "vars").items()},
        materialized=about.text(report, *MATERIALIZED_KEYS) or "view",
        engine={key: value.plain() for key, value in about.mapping(report, "spark").items()},
        openlineage=read_openlineage(about, report),
        meanings=read_meanings(about, report),
        has_nodes=about.get(*NODE_KEYS) is not None or (file.parent / NODE_KEYS[0]).is_dir(),
    )


def read_about(file: Path, report: Report) -> Value:
    """Read one project file."""
    about = yaml.read(file, report) or Value({}, Place(str(file), 1, 1))
    if about.data is not None and not isinstance(about.data, dict):
        report(about.report_unexpected("a mapping"))
    elif about.data and file.name in OWN_FILES:
        check_keys(about.data, PROJECT_KEYS, file.name, report)

    return about


def merge_other_file(file: Path, about: Value, report: Report) -> Value:
    """lineal.yml next to featherflow.yml: what lineal is told on top of what the other tool is told"""
    others = (
        [file.with_name(name) for name in PROJECT_FILES if name not in OWN_FILES]
        if file.name in OWN_FILES
        else []
    )
    other = next((read_about(each, report) for each in others if each.is_file()), yaml.NOTHING)
    if not other.is_mapping:
        return about

    return Value({**other.entries, **about.entries}, about.place)


def _has_sql(folder: Path) -> bool:
    """Tell whether a folder holds any script."""
    return any(True for _ in files.script_files(folder, lambda _: None))


def _usual_dialect(file: Path) -> str:
    """The dialect of a project that names none."""
    present = (
        name for name in PROJECT_FILES if name == file.name or file.with_name(name).is_file()
    )
    return next((PROJECT_FILES[name] for name in present if PROJECT_FILES[name]), "")


def _dialect(about: Value, report: Report) -> str:
    """The dialect that the project names; one that nobody knows is reported where it stands, and
    the rest goes on.
    """
    from lineal.extract.sql.dialects import facts_of

    name = about.text(report, "dialect")
    try:
        facts_of(name)
    except UnknownDialect as unknown:
        report(Diagnostic(Code.YAML_TYPE, f"dialect: {unknown}", about.at("dialect")))
        return ""

    return name


def _folders(about: Value, keys: tuple[str, ...], root: Path, report: Report) -> list[Path]:
    """nodes: nodes or node_paths: [a, b]; one that is named and not there is reported, the default
    may be missing.
    """
    named = about.items_of(*keys) or [Value(keys[0], raw=keys[0])]
    folders = {root / text: value for value in named if (text := value.as_text(report))}
    for folder, value in folders.items():
        if not folder.is_dir() and value.place.file:
            report(
                Diagnostic(
                    Code.UNREADABLE, f"{value.name}: there is no folder {folder}", value.place
                )
            )

    return [folder for folder in folders if folder.is_dir()]


Made = Callable[["Corpus", str], None]


@dataclass
class Draft:
    """A corpus in the making: templates wait here until all of them are rendered at once."""

    templates: list[tuple[Template, Made]] = field(default_factory=list)
    datasets: list[DatasetInfo] = field(default_factory=list)
    headers: dict[Dataset, list[ColumnInfo]] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    steps: list[Waiting] = field(default_factory=list)
    scripts: dict[str, Script] = field(default_factory=dict)
    """Python models and the modules that they import, by file: two models may import the same one.
    """
    given: list[Extraction] = field(default_factory=list)

    @property
    def report(self) -> Report:
        """Return the function that takes diagnostics."""
        return self.diagnostics.append

    def finish(self, project: Project, schema: Schema) -> Corpus:
        """Return the corpus of all that was read."""
        corpus = Corpus(
            project.dialect,
            meanings=project.meanings,
            diagnostics=self.diagnostics,
            namespace=project.namespace,
            engine=project.engine,
            openlineage=project.openlineage,
        )
        if not self.templates and not self.datasets and not self.diagnostics:
            place = Place(str(project.file), 1, 1)
            self.report(
                Diagnostic(Code.NO_INPUT, f"the project {project.file.parent} has no nodes", place)
            )

        given = schema_datasets(schema, project.namespace, self.report)
        corpus.datasets = list(map(self.with_header, merge_infos([*self.datasets, *given])))
        renderings = list(self.renderings(project))
        scripts: list[list[Script]] = []
        for (template, made), rendering in zip(self.templates, renderings, strict=True):
            self.diagnostics.extend(rendering.diagnostics)
            before = len(corpus.scripts)
            at = Place(template.file, template.line, 1)
            for text, expansions in rendering.parts:
                added = len(corpus.scripts)
                attempt(partial(made, corpus, text), None, at, self.report, "this template")
                if expansions:
                    corpus.scripts[added:] = [
                        replace(each, expansions=expansions) for each in corpus.scripts[added:]
                    ]

            scripts.append(corpus.scripts[before:])

        corpus.scripts += self.scripts.values()
        corpus.given += self.given
        corpus.steps = [waiting.step_with_texts(renderings, scripts) for waiting in self.steps]
        return corpus

    def template(self, template: Template, made: Made) -> int:
        """Its number."""
        self.templates.append((template, made))
        return len(self.templates) - 1

    def add_program(self, script: Script) -> None:
        """A model counts more than a module: another model may import its functions."""
        if script.target is not None or script.file not in self.scripts:
            self.scripts[script.file] = script

    def with_header(self, info: DatasetInfo) -> DatasetInfo:
        """Return a dataset with what the header of its SQL file says."""
        header = self.headers.get(info.dataset)
        if header is None:
            return info

        return with_header(info, header)

    def renderings(self, project: Project) -> Iterable[Rendering]:
        """Render all templates."""
        templates = first_of_each(self.templates)
        macros = list(_macros(project.macro_folders, self.report))
        own = builtin_macros(each.text for each in (*templates, *macros))
        rendered = render(templates, Setting([*own, *macros], project.variables, project.file.name))
        self.diagnostics.extend(rendered.diagnostics)
        return rendered.renderings


def _macros(folders: list[Path], report: Report) -> Iterable[Template]:
    """Yield the macro files below some folders as templates."""
    for folder in folders:

        def read(path: Path, folder: Path = folder) -> Template | None:
            """Return one macro file as a template."""
            text = read_text(path, report)
            name = path.relative_to(folder).as_posix()
            if text is None:
                return None

            return Template(text, str(path), import_name=name)

        yield from attempt_each(
            macro_files(folder, report), read, start_of, report, "this macro file"
        )


def macro_files(folder: Path, report: Report) -> list[Path]:
    """Return the files of macros below a folder, sorted."""
    found = [where / name for where, names in walk(folder, report) for name in names]
    return sorted(file for file in found if file.suffix == ".sql")


def sql_node(node: Node, project: Project, draft: Draft) -> None:
    """kind: sql — a query that defines the dataset of its name, and the hooks around it."""
    columns = read_columns(node.about.get("columns"), draft.report)
    draft.datasets.append(_info(node, project, columns, False, draft.report))
    before = tuple(hooks(node, PRE_HOOK_KEYS, project, draft))
    own = tuple(_own_template(node, _query(node, project), draft))
    after = tuple(hooks(node, POST_HOOK_KEYS, project, draft))
    draft.steps.append(
        Waiting(step_of(node, project.materialized, draft.report), own, before, after)
    )


def _own_template(node: Node, made: Made, draft: Draft) -> Iterable[int]:
    """Yield the template of a node's SQL."""
    text = _sql(node, draft.report)
    if text is not None:
        yield draft.template(Template(text, str(node.sql), this=node.name), made)


def _query(node: Node, project: Project) -> Made:
    """Return the step that adds the rendered query of a node."""

    def add_rendered(corpus: Corpus, rendered: str) -> None:
        """Add the rendered query as the script of the node."""
        corpus.scripts.append(
            Script(rendered, project.dialect, str(node.sql), target=node.name, kind="sql")
        )

    return add_rendered


def hooks(node: Node, keys: tuple[str, ...], project: Project, draft: Draft) -> Iterable[int]:
    """pre_hook: "…" or post_hook: ["…", {sql: "…"}], also under config: — statements of their own."""
    config = node.about.part("config")
    for hook in chain(node.about.items_of(*keys), config.items_of(*keys)):
        value = hook.get("sql") or hook
        if value.as_text(draft.report):
            template = Template(value.raw, value.place.file, value.text_line, node.name)
            yield draft.template(template, _hook(value, project))


def _hook(value: Value, project: Project) -> Made:
    """Return the step that adds a rendered hook."""

    def add_rendered(corpus: Corpus, rendered: str) -> None:
        """Add the rendered hook as a script."""
        corpus.scripts.append(Script(rendered, project.dialect, value.place.file, value.text_line))

    return add_rendered


def seed_node(node: Node, project: Project, draft: Draft) -> None:
    """kind: seed — a CSV file. Its columns are those of its YAML, else of its source entry, else of
    its header.
    """
    columns = read_columns(node.about.get("columns"), draft.report)
    info = _info(node, project, columns, bool(columns), draft.report)
    draft.datasets.append(info)
    draft.headers[info.dataset] = _header(node, draft.report)
    draft.steps.append(Waiting(step_of(node, "seed", draft.report)))


def _header(node: Node, report: Report) -> list[ColumnInfo]:
    """Return the columns in the header of a seed's CSV file."""
    if node.csv is None:
        report(
            Diagnostic(
                Code.SEED_ERROR,
                f"the seed {node.name} has no {node.name}.csv next to it",
                node.place,
            )
        )
        return []

    delimiter = node.about.get("delimiter")
    if delimiter is None:
        return read_header(node.csv, ",", report)

    if not isinstance(delimiter.data, str) or len(delimiter.data) != 1:
        report(delimiter.report_unexpected("one character"))
        return []

    return read_header(node.csv, delimiter.data, report)


def source_node(node: Node, project: Project, draft: Draft) -> None:
    """kind: source — tables that somebody else fills; the schema or database they live in is not
    part of their name.
    """
    for table in node.about.items_of("tables"):
        name = name_of(table, draft.report)
        if name:
            columns = read_columns(table.get("columns"), draft.report)
            description = table.text(draft.report, "description")
            dataset = project.dataset(name)
            draft.datasets.append(
                DatasetInfo(dataset, "source", columns, bool(columns), description, table.place)
            )


def function_node(node: Node, project: Project, draft: Draft) -> None:
    """kind: function — a scalar function's body is an expression, a table function's a query; see
    semantics §5.
    """
    returns = node.about.part("returns")
    columns = read_columns(returns.get("columns"), draft.report)
    table = bool(columns) or node.about.text(draft.report, "function_type").lower() == "table"
    if table:
        draft.datasets.append(_info(node, project, columns, bool(columns), draft.report))

    parameters = _parameters(node.about.get("arguments", "args", "parameters"), draft.report)
    value = returns.text(draft.report, *TYPE_KEYS) or returns.raw
    made = _function(
        node,
        project,
        Function(
            node.name,
            table,
            tuple(parameters),
            NO_BODY,
            tuple(columns),
            tuple(parameters.values()),
            value,
        ),
    )
    own = tuple(_own_template(node, made, draft))
    draft.steps.append(Waiting(step_of(node, "function", draft.report), own))


NO_BODY = Script("", "")


def _function(node: Node, project: Project, function: Function) -> Made:
    """Return the step that adds a rendered function."""

    def add_rendered(corpus: Corpus, rendered: str) -> None:
        """Add the rendered text as the body of the function."""
        body = Script(rendered, project.dialect, str(node.sql), target=node.name, kind="function")
        corpus.functions.append(replace(function, body=body))

    return add_rendered


def _parameters(value: Value | None, report: Report) -> dict[str, str]:
    """arguments: [{name: a, type: int}], [a, b] or {a: int}      each name and its type"""
    if value is None:
        return {}

    if isinstance(value.data, dict):
        return {name: item.raw for name, item in value.data.items()}

    if isinstance(value.data, list):
        named = [(name_of(item, report), item.text(report, *TYPE_KEYS)) for item in value.data]
        return {name: kind for name, kind in named if name}

    report(value.report_unexpected("a list of arguments"))
    return {}


def python_node(node: Node, project: Project, draft: Draft) -> None:
    """kind: python — a PySpark model or job, traced like every program; of other Python only the
    YAML is known.
    """
    python = read_python_node(node, project.import_folders, draft.report)
    columns = read_columns(node.about.get("columns"), draft.report)
    info = _info(node, project, columns, bool(columns) and not python.traced, draft.report)
    draft.datasets.append(info)
    before, after = (
        tuple(hooks(node, keys, project, draft)) for keys in (PRE_HOOK_KEYS, POST_HOOK_KEYS)
    )
    step = python.step(step_of(node, "table", draft.report), project.variables)
    draft.steps.append(Waiting(step, before=before, after=after))
    if python.traced:
        for script in python.scripts(step, draft.report):
            draft.add_program(script)
    else:
        draft.given.append(lineage_of_yaml(python, info))


READERS: Mapping[str, Callable[[Node, Project, Draft], None]] = {
    "sql": sql_node,
    "seed": seed_node,
    "source": source_node,
    "function": function_node,
    "python": python_node,
}


def _info(
    node: Node, project: Project, columns: list[ColumnInfo], complete: bool, report: Report
) -> DatasetInfo:
    """Return the dataset of a node."""
    description = node.about.text(report, "description")
    terminal = inherit_setting(node.about, "terminal", report) is True
    dataset = project.dataset(node.name)
    return DatasetInfo(
        dataset, node.kind, columns, complete, description, node.place, terminal=terminal
    )


def _sql(node: Node, report: Report) -> str | None:
    """Return the SQL of a node; None and a diagnostic if it has no file."""
    if node.sql is None:
        report(
            Diagnostic(
                Code.MISSING_SQL, f"{node.name} has no {node.name}.sql next to its YAML", node.place
            )
        )
        return None

    return read_text(node.sql, report)
