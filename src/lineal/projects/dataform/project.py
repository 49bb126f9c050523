"""From the folder of a Dataform project to a corpus."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from lineal.model.boundary import attempt
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Dataset
from lineal.model.extraction import DatasetInfo
from lineal.model.ledger import Reason
from lineal.model.script import Corpus, Script
from lineal.model.sequences import first_or_none, flatten
from lineal.projects import yaml
from lineal.projects.columns import merge_infos
from lineal.projects.dataform.actions import (
    ASSERTION,
    DECLARATION,
    KINDS,
    OPERATIONS,
    Action,
    Checks,
    Target,
    quote_relation,
    target_of,
    text_of,
)
from lineal.projects.dataform.javascript.trees import Node, parse_program
from lineal.projects.dataform.javascript.values import (
    ARRAY,
    JSON,
    OBJECT,
    Evaluator,
    Exhausted,
    Function,
    Native,
    Returned,
    Scope,
    Unknown,
    parse_json,
    truth,
)
from lineal.projects.dataform.javascript.values import text_of as written_as
from lineal.projects.dataform.javascript.words import JavaScriptError
from lineal.projects.dataform.settings import Settings, read_settings
from lineal.projects.dataform.sqlx import Hole, Problem, holes_of, read_sqlx
from lineal.projects.drafts import ProjectDraft
from lineal.projects.intake import current, walk
from lineal.projects.lines import line_at, on_as_many_lines
from lineal.projects.nothing import no_input
from lineal.projects.schema import Schema, schema_datasets
from lineal.projects.text import Report, read_text

DEFINITIONS, INCLUDES = "definitions", "includes"
MODEL, SOURCE, TEST = "model", "source", "test"
ACTIONS_FILES = ("actions.yaml", "actions.yml")
RENDERED = "lineal.dataform"


@dataclass
class Draft(ProjectDraft[Settings]):
    """A project in the making."""

    actions: list[Action] = field(default_factory=list)
    by_name: dict[str, list[Action]] = field(default_factory=dict)
    includes: dict[str, Any] = field(default_factory=dict)
    """The exports of each file of includes/, by the name that every file knows it by."""
    modules: dict[str, Any] = field(default_factory=dict)
    """The exports of each file of JavaScript, by its path."""
    pending: dict[str, None] = field(default_factory=dict)
    """The files of includes/, in their order."""
    unknown: dict[tuple[str, str], None] = field(default_factory=dict)

    def add(self, action: Action) -> None:
        """Add an action; one that is switched off is not due."""
        if action.is_disabled:
            current().pass_over(action.file, Reason.DISABLED)
            return

        action.dataset = action.target.dataset(self.settings)
        self.actions.append(action)
        self.by_name.setdefault(action.target.name.lower(), []).append(action)

    def find(self, target: Target) -> Action | None:
        """Return the action that a reference means."""
        several = self.by_name.get(target.name.lower(), [])
        if target.schema:
            several = [each for each in several if each.target.schema == target.schema]

        if target.database:
            several = [each for each in several if each.target.database == target.database]

        exact = [each for each in several if each.target.name == target.name]
        ordered = sorted(exact or several, key=lambda each: each.kind == ASSERTION)
        return first_or_none(ordered)

    def evaluator(self, file: str, text: str, line: int = 1) -> Evaluator:
        """Return an evaluator whose unknown values are reported with their place."""

        def tell(label: str, offset: int) -> None:
            """Report a value that is only known when the project runs."""
            where = line + line_at(text, offset) - 1
            message = f"a value that is only known when it runs: {label}"
            self.report(Diagnostic(Code.DYNAMIC, message, Place(file, where, 1)))

        return Evaluator(tell)


def load_project(folder: Path, dialect: str | None, schema: Schema) -> Corpus:
    """Return the corpus of a project; a file that fails costs only itself."""
    draft = Draft.begin(folder, dialect, read_settings)

    for file in files_below(folder / INCLUDES, draft.report):
        if file.suffix == ".js":
            draft.pending[str(file)] = None

    for name in list(draft.pending):
        attempt_file(read_include, Path(name), draft)

    described = set(actions_files(folder, draft))

    for file in files_below(folder / DEFINITIONS, draft.report):
        reader = READERS.get(file.suffix.lower())
        if reader is not None and str(file) not in described:
            attempt_file(reader, file, draft)

    corpus = Corpus(draft.dialect, diagnostics=draft.diagnostics)
    given = schema_datasets(schema, "", draft.report)
    corpus.datasets = merge_infos([*infos_of(draft), *given])

    for action in draft.actions:
        work = partial(add_scripts, action, corpus, draft)
        attempt(work, None, action.place, draft.report, "this action")

    corpus.aliases = aliases_of(draft)
    if not draft.actions and not draft.diagnostics:
        draft.report(no_input(folder, "no actions"))

    return corpus


def attempt_file(reader: Callable[[Path, Draft], None], file: Path, draft: Draft) -> None:
    """Read a file; broken JavaScript is reported where it stands."""

    def work() -> None:
        """Read a file, and report its errors."""
        try:
            reader(file, draft)
        except JavaScriptError as error:
            text = read_text(file, lambda _: None) or ""
            line = line_at(text, min(error.offset, len(text)))
            report_js(str(error), str(file), line, draft)
        except Exhausted as error:
            report_js(str(error), str(file), 1, draft)
        except Returned:
            return

    attempt(work, None, Place(str(file), 1, 1), draft.report, "this file")


def report_js(message: str, file: str, line: int, draft: Draft) -> None:
    """Report JavaScript that is not read."""
    told = f"JavaScript that is only known when it runs: {message}"
    draft.report(Diagnostic(Code.DYNAMIC, told, Place(file, line, 1)))


def files_below(folder: Path, report: Report) -> Iterator[Path]:
    """Yield the files below a folder, sorted."""
    for where, names in walk(folder, report) if folder.is_dir() else ():
        for name in names:
            yield where / name


# -- JavaScript ------------------------------------------------------------------------------------


def global_scope(draft: Draft, file: str) -> Scope:
    """Return the names that every file knows: includes, dataform, ref, publish, declare, …"""
    config = {"projectConfig": dict(draft.settings.plain)}
    builtins: dict[str, Any] = {
        "dataform": config, "session": {"config": config["projectConfig"]}, "Object": OBJECT,
        "require": Native("require", partial(require, draft, file)), "module": {"exports": {}},
        "console": {"log": Native("log", lambda given: None)},
        "String": Native("String", lambda given: written_as(given[0]) if given else ""),
        "JSON": JSON, "Array": ARRAY,
    }  # fmt: skip
    builtins.update(draft.includes)
    builtins.update(definers(draft, file))
    return Scope(builtins)


def require(draft: Draft, file: str, given: list[Any]) -> Any:
    """require("includes/dates"), require("./dates")      a file of the project; any other only a run knows"""
    path = ""
    if given and isinstance(given[0], str):
        path = given[0]

    found = module_file(draft, file, path)
    if found is not None:
        return load_module(found, draft)

    return draft.includes.get(Path(path).stem, Unknown(Path(path).stem or "module"))


ENDINGS = ("", ".js", ".json", "/index.js")


def module_file(draft: Draft, file: str, path: str) -> Path | None:
    """Return the file of the project that a path means; None for a package."""
    if not path:
        return None

    base = Path(file).parent if path.startswith(".") else draft.folder
    root = os.path.abspath(draft.folder)  # noqa: PTH100
    for ending in ENDINGS:
        found = Path(os.path.normpath(base / f"{path}{ending}"))
        inside = os.path.abspath(found).startswith(f"{root}{os.sep}")  # noqa: PTH100
        if inside and found.suffix in (".js", ".json") and found.is_file():
            return found

    return None


def load_module(file: Path, draft: Draft) -> Any:
    """Return what a file exports; it is read once, and one that requires itself is not followed."""
    key = str(file)
    if key in draft.modules:
        return draft.modules[key]

    draft.modules[key] = Unknown(file.stem)
    text = read_text(file, draft.report)
    if text is None:
        return draft.modules[key]

    if file.suffix == ".json":
        draft.modules[key] = parse_json([text])
        return draft.modules[key]

    scope = global_scope(draft, key)
    before = set(scope.names)
    held: dict[str, Any] = {"exports": {}}
    scope.names["module"] = held
    draft.evaluator(key, text).run(parse_program(text), scope)
    exported = held["exports"]
    if isinstance(exported, Function) or (isinstance(exported, dict) and exported):
        draft.modules[key] = exported
    else:
        draft.modules[key] = {
            name: value
            for name, value in scope.names.items()
            if name not in before and isinstance(value, (str, int, float, list, Function))
        }

    return draft.modules[key]


def read_include(file: Path, draft: Draft) -> None:
    """includes/dates.js      dates.DAY in every file"""
    exported = load_module(file, draft)
    if file.parent == draft.folder / INCLUDES or file.stem not in draft.includes:
        draft.includes[file.stem] = exported


def definers(draft: Draft, file: str) -> dict[str, object]:
    """publish(…), declare(…), operate(…), assert(…)      actions that JavaScript defines"""

    def maker(kind: str) -> Native:
        """Return the function that defines an action of a kind, such as `publish`."""
        return Native(kind, partial(define, draft, file, kind))

    return {
        "publish": maker("table"),
        "declare": maker(DECLARATION),
        "operate": maker(OPERATIONS),
        "assert": maker(ASSERTION),
        "notebook": Native("notebook", lambda given: None),
        "test": Native("test", lambda given: Unknown("test")),
    }


def define(draft: Draft, file: str, kind: str, given: list[Any]) -> Any:
    """publish("orders", {type: "view"}).query(ctx => `…`)"""
    first = None
    if given:
        first = given[0]

    second = None
    if len(given) > 1:
        second = given[1]

    config: dict[str, Any] = {}
    if isinstance(first, dict):
        config = dict(first)

    name = text_of(first) or text_of(config.get("name"))
    if isinstance(second, dict):
        config.update(second)
    elif isinstance(second, str) and second in KINDS:
        config["type"] = second

    if not name:
        message = "the name of this action is only known when it runs"
        draft.report(Diagnostic(Code.DYNAMIC, message, Place(file, 1, 1)))
        return Unknown("action")

    config.setdefault("name", name)
    spoken = kind
    if kind == "table":
        spoken = KINDS.get(str(config.get("type")), kind)

    line = draft_line(draft, file, name)
    target = target_of(config, name, draft.settings)
    action = Action(spoken, target, config, file, line, one_line=True)
    builder = JavaScriptAction(action, draft, file)
    if isinstance(second, (Function, str)) and "type" not in config:
        builder.query = second

    if spoken != DECLARATION:
        action.write = builder.write

    draft.add(action)
    return builder.methods()


def draft_line(draft: Draft, file: str, name: str) -> int:
    """Return the line of a file that names an action first; 1 if it is put together."""
    text = read_text(Path(file), lambda _: None) or ""
    at = max(text.find(f'"{name}"'), text.find(f"'{name}'"), text.find(f"`{name}`"))
    if at >= 0:
        return line_at(text, at)

    return 1


@dataclass
class JavaScriptAction:
    """An action that publish(…) returns: query, config and operations are given call by call."""

    action: Action
    draft: Draft
    file: str
    query: Any = None
    before: list[Any] = field(default_factory=list)
    after: list[Any] = field(default_factory=list)

    def methods(self) -> dict[str, object]:
        """Return what can be called on the action."""
        return {
            name: Native(name, partial(self.set, name))
            for name in (
                "query", "queries", "config", "preOps", "postOps", "where", "type", "tags",
                "dependencies", "schema", "database", "description", "columns", "bigquery",
                "uniqueKey", "hermetic", "disabled", "protected", "assertions",
            )
        }  # fmt: skip

    def set(self, name: str, given: list[Any]) -> Any:
        """Take what a call gives."""
        held = None
        if given:
            held = given[0]

        if name in ("query", "queries"):
            self.query = held
        elif name == "preOps":
            self.before.append(held)
        elif name == "postOps":
            self.after.append(held)
        else:
            self.configure(held if name == "config" and isinstance(held, dict) else {name: held})

        return self.methods()

    def configure(self, config: Mapping[str, object]) -> None:
        """Add to the config of the action; a new schema or type is a new name or kind."""
        action = self.action
        known = {**action.config, **config}
        action.config = known
        action.target = target_of(known, action.target.name, self.draft.settings)
        action.dataset = action.target.dataset(self.draft.settings)
        if "type" in config:
            action.kind = KINDS.get(str(config["type"]), action.kind)

    def write(self, incremental: bool) -> str:
        """Return the SQL of the action."""
        parts = [*self.before, self.query, *self.after]
        texts = flatten(self.texts(part, incremental) for part in parts)
        return ";\n".join(text for text in texts if text.strip())

    def texts(self, held: Any, incremental: bool) -> list[str]:
        """Return the texts of a query: a text, a list, or a function of the context."""
        if isinstance(held, Function):
            context = context_of(self.action, self.draft, incremental)
            evaluator = self.draft.evaluator(self.file, read_again(self.file))
            return self.texts(evaluator.call(held, [context]), incremental)

        if isinstance(held, list):
            return flatten(self.texts(each, incremental) for each in held)

        if isinstance(held, Unknown):
            report_js(f"the SQL of {self.action.dataset}", self.file, self.action.line, self.draft)
            return []

        if isinstance(held, str):
            return [held]

        return []


def read_again(file: str) -> str:
    """Return the text of a file that was read before."""
    return read_text(Path(file), lambda _: None) or ""


def context_of(action: Action, draft: Draft, incremental: bool) -> dict[str, Any]:
    """Return ref(), self(), when() and the others, as an action sees them."""

    def refer(given: list[Any]) -> str:
        """Return the quoted name of a referenced action."""
        return quote_relation(reference(given, action, draft))

    def when(given: list[Any]) -> Any:
        """Answer `when(condition, then, otherwise)`; an unknown condition counts as true."""
        chosen = given[2:3]
        if truth(first_or_none(given)) is not False:
            chosen = given[1:2]

        if chosen:
            return chosen[0]

        return ""

    own = quote_relation(action.dataset)
    return {
        "ref": Native("ref", refer),
        "resolve": Native("resolve", refer),
        "self": Native("self", lambda given: own),
        "name": Native("name", lambda given: action.target.name),
        "schema": Native("schema", lambda given: action.target.schema),
        "database": Native("database", lambda given: action.target.database),
        "incremental": Native("incremental", lambda given: incremental),
        "isIncremental": Native("isIncremental", lambda given: incremental),
        "when": Native("when", when),
        "ifIncremental": Native(
            "ifIncremental", lambda given: given[0] if given and incremental else ""
        ),
    }


def reference(given: list[Any], action: Action, draft: Draft) -> str:
    """ref("orders"), ref("raw", "orders"), ref({schema: "raw", name: "orders"})"""
    held = None
    if given:
        held = given[0]

    if isinstance(held, dict):
        target = Target(
            text_of(held.get("database") or held.get("project")),
            text_of(held.get("schema") or held.get("dataset")),
            text_of(held.get("name")),
        )
    else:
        items = given
        if isinstance(held, list):
            items = held

        names = [text_of(item) or "" for item in items]
        database, schema, name = ["", "", "", *names][-3:]
        target = Target(database, schema, name)

    found = draft.find(target)
    if found is not None:
        return found.dataset

    full = Target(
        target.database or draft.settings.database,
        target.schema or draft.settings.schema,
        target.name,
    )
    if (action.file, target.name) not in draft.unknown and "{" not in target.name:
        draft.unknown[action.file, target.name] = None
        message = f"ref('{target.name}') is not in the project"
        draft.report(Diagnostic(Code.UNKNOWN_REFERENCE, message, action.place))

    return full.dataset(draft.settings)


# -- files -----------------------------------------------------------------------------------------


def read_definition(file: Path, draft: Draft) -> None:
    """definitions/orders.sqlx"""
    text = read_text(file, draft.report)
    if text is None:
        return

    found = read_sqlx(text)
    scope = global_scope(draft, str(file))
    evaluator = draft.evaluator(str(file), text)
    holes = holes_of(found.sql, found.problems)
    placeholder = Action(OPERATIONS, Target("", "", file.stem), {}, str(file), 1)
    scope.names.update(context_of(placeholder, draft, False))
    held = config_value(evaluator, found.config, scope, found.problems)

    for problem in found.problems:
        draft.report(
            Diagnostic(Code.PARSE_ERROR, problem.message, Place(str(file), problem.line, 1))
        )

    config = {}
    if isinstance(held, dict):
        config = held

    spoken = text_of(config.get("type")) or (OPERATIONS if not config else "table")
    kind = KINDS.get(spoken, "")
    if kind == "unit":
        current().pass_over(str(file), Reason.EXCLUDED)
        return

    if not kind:
        message = f"an action of type {spoken} is not read"
        draft.report(Diagnostic(Code.NOT_TRACED, message, Place(str(file), found.config_line, 1)))
        return

    action = Action(
        kind, target_of(config, file.stem, draft.settings), config, str(file), found.config_line
    )
    if kind != DECLARATION:
        action.write = Sql(draft, action, found.sql, holes, found.scripts).write

    draft.add(action)


def config_value(
    evaluator: Evaluator, config: Node | None, scope: Scope, problems: list[Problem]
) -> Any:
    """Return the value of a config block."""
    if config is None:
        return {}

    try:
        return evaluator.value(config, scope)
    except (Exhausted, Returned) as error:
        problems.append(Problem(f"the config block is not read: {error}", 1))
        return {}


@dataclass(frozen=True)
class Sql:
    """The SQL of a file, with its expressions."""

    draft: Draft
    action: Action
    text: str
    holes: list[Hole]
    scripts: list[Node]

    def write(self, incremental: bool) -> str:
        """Return the SQL with the values of its expressions; each keeps its lines."""
        file = self.action.file
        scope = global_scope(self.draft, file)
        scope.names.update(context_of(self.action, self.draft, incremental))
        evaluator = self.draft.evaluator(file, self.text)

        try:
            evaluator.run(self.scripts, scope)
        except (Exhausted, Returned) as error:
            report_js(str(error) or "a return", file, 1, self.draft)

        written: list[str] = []
        at = 0

        for hole in self.holes:
            written.append(self.text[at : hole.start])
            made = self.value(hole, evaluator, scope)
            written.append(on_as_many_lines(made, self.text[hole.start : hole.end]))
            at = hole.end

        return "".join(written) + self.text[at:]

    def value(self, hole: Hole, evaluator: Evaluator, scope: Scope) -> str:
        """Return the text of an expression; one that fails is a placeholder."""
        try:
            return evaluator.text(hole.node, scope)
        except (Exhausted, Returned, RecursionError) as error:
            line = line_at(self.text, hole.start)
            report_js(str(error), self.action.file, line, self.draft)
            return "{expression}"


def read_javascript(file: Path, draft: Draft) -> None:
    """definitions/orders.js"""
    text = read_text(file, draft.report)
    if text is not None:
        scope = global_scope(draft, str(file))
        draft.evaluator(str(file), text).run(parse_program(text), scope)


READERS: Mapping[str, Callable[[Path, Draft], None]] = {
    ".sqlx": read_definition,
    ".js": read_javascript,
}


def actions_files(folder: Path, draft: Draft) -> Iterator[str]:
    """actions.yaml      the actions of files that are plain SQL; yields those files"""
    for file in files_below(folder / DEFINITIONS, draft.report):
        if file.name not in ACTIONS_FILES:
            continue

        held = yaml.read(file, draft.report)
        for item in held.items_of("actions") if held is not None else ():
            for kind, about in item.data.items() if isinstance(item.data, dict) else ():
                plain = about.plain()
                config = {}
                if isinstance(plain, dict):
                    config = plain

                path = file.parent / text_of(config.get("filename"))
                add_listed(kind, config, path, about.place, draft)
                yield str(path)


def add_listed(
    kind: str, config: Mapping[str, object], path: Path, place: Place, draft: Draft
) -> None:
    """Add an action that actions.yaml lists."""
    spoken = KINDS.get(kind, "")
    if not spoken:
        message = f"an action of type {kind} is not read"
        draft.report(Diagnostic(Code.NOT_TRACED, message, place))
        return

    target = target_of(config, path.stem, draft.settings)
    action = Action(spoken, target, config, place.file, place.line)
    if spoken != DECLARATION:
        text = read_text(path, draft.report)
        if text is None:
            return

        action.file, action.line = str(path), 1
        action.write = lambda incremental: text

    draft.add(action)


# -- the corpus ------------------------------------------------------------------------------------


def infos_of(draft: Draft) -> list[DatasetInfo]:
    """Return the declarations of the datasets."""
    found = []

    for action in draft.actions:
        kind = {DECLARATION: SOURCE, ASSERTION: TEST}.get(action.kind, MODEL)
        if action.kind == OPERATIONS and action.config.get("hasOutput") is not True:
            continue

        info = DatasetInfo(
            Dataset("", action.dataset), kind, action.columns(), False, action.description,
            action.place,
        )  # fmt: skip
        info.tags = action.tags
        found.append(info)

    return found


def add_scripts(action: Action, corpus: Corpus, draft: Draft) -> None:
    """Add the SQL of an action, for a first run and for an incremental one."""
    if action.write is None:
        return

    texts: list[str] = []
    ways: tuple[bool, ...] = (False,)
    if action.kind == "incremental":
        ways = (False, True)

    for incremental in ways:
        text = action.write(incremental)
        if text.strip() and text not in texts:
            texts.append(text)

    kind = MODEL
    if action.kind == ASSERTION:
        kind = TEST

    line = 1
    if action.one_line:
        line = action.line

    for text in texts:
        script = Script(
            text, draft.dialect, action.file, line, action.dataset, kind, action.one_line
        )
        corpus.scripts.append(replace(script, job=action.dataset))

    for check in Checks(action).all():
        corpus.scripts.append(
            Script(check.query, draft.dialect, action.file, action.line, check.name, TEST, True)
        )


def aliases_of(draft: Draft) -> dict[str, str]:
    """Return how SQL may write a relation with its database: `p.mart.orders` is mart.orders."""
    database = draft.settings.database
    if not database:
        return {}

    names = [action.dataset for action in draft.actions if action.target.database == database]
    return {quote_relation(f"{database}.{name}"): name for name in names}
