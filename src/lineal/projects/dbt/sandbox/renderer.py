"""The renderer of dbt's templates: ref, source, var, config, macros of packages, and all that dbt
brings along.

A job has, next to its text, the package and the node that it belongs to, the configuration of that
node and what is known of the columns that it asked for the last time. The answer has `said`: the
configuration, what it refers to, what only a run knows, and the relations whose columns it asks
for.
"""

from __future__ import annotations

import ast
import datetime
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from itertools import chain
from typing import Any, NoReturn

from jinja2 import Undefined

from lineal.projects.worker import Json, Limited, Renderer, Wrong, add_marks, nothing

from .adapter import Adapter, Api
from .macros import Library, Macro, Package, Return
from .modules import MODULES
from .relation import Column, Columns, Relation, quote_of
from .values import Dynamic, Result

DEEPEST = 3000
MISSING = object()
DEPS = "Run `dbt deps` to install the packages of the project."
ARGUMENTS, COLUMN = "_dbt_generic_test_kwargs", "column_name"
CALL = re.compile(r"\s*((?:env_var|ref|var|source|doc)\s*\(.+\))\s*\Z", re.S)
EXPRESSION = re.compile(r"\s*\{\{-?((?:(?!\}\}).)*?)-?\}\}\s*\Z", re.S)


def renderer(setup: Json) -> Dbt:
    """Return the renderer of a project."""
    return Dbt(setup)


class Missing(Undefined):
    """A name that nobody defines: no text, no items, false; only calling it is a fault."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(name)

        return Missing(name=f"{self._undefined_name}.{name}")

    def __getitem__(self, key: Any) -> Any:
        return Missing(name=f"{self._undefined_name}.{key}")

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        name = str(self._undefined_name)
        if isinstance(self._undefined_obj, Package):
            name = f"{self._undefined_obj}.{name}"

        raise Wrong(f"there is no macro {name}", DEPS if "." in name else "")


class Lenient(Limited):
    """The sandbox, which knows the package of each macro."""

    own_packages: tuple[str, ...] = ("dbt",)
    """The packages whose macros a template names without the package."""

    def macro_name(self, called: object) -> str:
        """cents, dbt_utils.star

        a macro of a package with the package, but for those of dbt itself
        """
        if not isinstance(called, Macro):
            return super().macro_name(called)

        if called.source.package in self.own_packages:
            return called.name

        return f"{called.source.package}.{called.name}"


class Names(dict[str, Any]):
    """The names that a template of a package can use; a macro is looked up on first use."""

    def __init__(self, owner: Dbt, package: str) -> None:
        super().__init__()
        self._owner = owner
        self._package = package

    def find(self, name: str) -> Any:
        """Return what a name means: a macro, a function or a package."""
        macro = self._owner.library.find(name, self._package)
        if macro is not None and name not in FIXED:
            return macro

        found = self._owner.base.get(name, MISSING)
        if found is not MISSING:
            return found

        if name in self._owner.library.packages:
            functions = {each: self._owner.base[each] for each in FIXED} if name == "dbt" else {}
            return Package(self._owner.library, name, functions)

        return self._owner.environment.globals.get(name, MISSING)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.find(name) is not MISSING

    def __getitem__(self, name: str) -> Any:
        found = self.find(name)
        if found is MISSING:
            raise KeyError(name)

        return found

    def get(self, name: str, default: Any = None) -> Any:
        """Return what a name means, or the default."""
        found = self.find(name)
        if found is MISSING:
            return default

        return found

    def keys(self) -> Any:
        """Return the names of all functions."""
        return self._owner.base.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self._owner.base)


FIXED = frozenset(
    (
        "is_incremental",
        "run_query",
        "statement",
        "load_result",
        "load_relation",
        "should_full_refresh",
    )
)
"""dbt's own macros that are functions here; a package's copy asks a database."""


class Dbt(Renderer):
    """Everything a project's templates share."""

    environment: Lenient

    def __init__(self, setup: Json) -> None:
        super().__init__(setup)
        self.environment = Lenient(
            undefined=Missing,
            keep_trailing_newline=True,
            extensions=("jinja2.ext.do", "jinja2.ext.loopcontrols"),
            cache_size=0,
            autoescape=False,
        )
        self.environment.most = setup["output"]
        self.environment.filters.update(
            as_text=str, as_bool=native, as_native=native, as_number=native
        )
        self.root: str = setup["project_name"]
        self.quote = quote_of(setup["target"]["type"])
        self.nodes: dict[str, list[Any]] = setup["nodes"]
        self.sources: dict[str, list[Any]] = setup["sources"]
        self.spots: dict[tuple[str, str], list[Any]] = {}
        for each in (
            *chain.from_iterable(self.nodes.values()),
            *self.sources.values(),
        ):
            self.spots.setdefault((each[2][1].lower(), each[2][2].lower()), each)

        self.names_of: dict[str, Names] = {}
        self.library = Library(self.environment, setup, self.names_in)
        self.package = self.root
        self.file = ""
        self.results: dict[str, Result] = {}
        self.lists: list[tuple[Columns, list[Any]]] = []
        """Lists of columns that are not all known, each with its diagnostic."""
        self.config: Json = {}
        self.said: Json = {}
        self.columns: Json = {}
        self.base: Json = {}
        self.base = self.functions_of_dbt()
        sys.setrecursionlimit(DEEPEST)

    def names_in(self, package: str) -> Names:
        """Return the names that a package sees."""
        if package not in self.names_of:
            self.names_of[package] = Names(self, package)

        return self.names_of[package]

    # -- a job -------------------------------------------------------------------------------------

    def answer(self, job: Json) -> Json:
        """Render one template, and return texts and notes."""
        self.package = job["package"]
        self.environment.own_packages = ("dbt", self.package)
        self.file = job["file"]
        self.config = dict(job["config"])
        self.columns = job.get("columns", {})
        self.results = {}
        self.lists = []
        self.said = {
            "refs": [], "unknown": [], "notes": [], "wanted": [], "placeholders": [], "doubts": [], "failed": ["", ""],
        }  # fmt: skip
        node = job["node"]
        this = Relation(tuple(node["parts"]), self.quote, node["id"])
        model = {**node, "package_name": self.package, "config": self.config, "alias": this.identifier,
                 "schema": this.schema, "database": this.database, "fqn": [], "columns": {}, "tags": [], "meta": {},
                 "depends_on": {"nodes": [], "macros": []}, "raw_code": job["text"]}  # fmt: skip
        self.base.update(
            this=this,
            model=model,
            config=Config(self),
            database=this.database,
            schema=this.schema,
            **job["names"],
        )
        answer = super().answer({**job, "this": str(this)})
        self.said["config"] = plain_value(self.config)
        self.said["doubts"] += [doubt for columns, doubt in self.lists if not columns.asked]
        return {**answer, "said": self.said}

    def render(self, job: Json, texts: list[str], faults: list[Json]) -> None:
        """A template, once for each combination of answers that it asks for: all no first."""
        if "arguments" in job:
            self.base[ARGUMENTS] = self.arguments(job["arguments"], job["file"])

        template = self.environment.compile_template(job["text"], job["file"], add_marks)
        ways = [frozenset[str]()]
        failures: list[Json] = []
        ends: list[str] = []
        for self.yes in ways:
            self.asked = set()
            ends.append("")
            try:
                context = template.new_context(self.names_in(self.package), shared=True)
                texts.append(self.without_marks(self.output_of(template, context)))
            except Exception as error:
                fault = self.fault(error, job["file"])
                failures += [fault] if fault not in failures else []
                ends[-1] = fault["message"]

            ways += [way for name in sorted(self.asked) if (way := self.yes | {name}) not in ways][
                : 8 - len(ways)
            ]

        self.said["failed"] = [ends[0], ends[-1]]
        if not texts or any(fault["limit"] for fault in failures):
            faults += failures
        else:  # what cannot be built one way is built the other
            self.said["notes"] += [[fault["message"], fault["line"]] for fault in failures]

    def arguments(self, value: Any, file: str) -> Any:
        """{"to": "ref('orders')", "field": "{{ var('key') }}"}

        what a test is called with, as values
        """
        if isinstance(value, dict):
            return {
                key: item if key == COLUMN else self.arguments(item, file)
                for key, item in value.items()
            }

        if isinstance(value, list):
            return [self.arguments(item, file) for item in value]

        if not isinstance(value, str):
            return value

        called = CALL.match(value) or EXPRESSION.match(value)
        if called is not None:
            return self.value(called[1], file)

        if "{" not in value:
            return value

        template = self.environment.compile_template(value, file, lambda tree: tree)
        return self.output_of(
            template, template.new_context(self.names_in(self.package), shared=True)
        )

    def value(self, expression: str, file: str) -> Any:
        """ref('orders')      what an expression gives, and not its text"""
        template = self.environment.compile_template(
            f"{{% set value = ({expression}) %}}", file, lambda tree: tree
        )
        return template.make_module(self.names_in(self.package), shared=True).value  # type: ignore[attr-defined]

    def output_of(self, template: Any, context: Any) -> str:
        """Return the output of a template; `return` ends it."""
        try:
            return self.output(template, context)
        except Return:
            return ""

    # -- what only this node, or only a run, knows -------------------------------------------------

    def note(self, message: str, doubt: bool = True) -> None:
        """Something of this template is only known when it runs; a doubt is one that decides its
        text.
        """
        line = current_line(self.environment.files, self.said.get("file", ""))
        if [message, line] not in self.said["notes"]:
            self.said["notes"].append([message, line])

        if doubt and [message, line] not in self.said["doubts"]:
            self.said["doubts"].append([message, line])

    def relation(self, held: list[Any]) -> Relation:
        """Return the relation of a node, and note the reference."""
        id_, _, parts, _ = held
        if id_ not in self.said["refs"]:
            self.said["refs"].append(id_)

        return Relation(tuple(parts), self.quote, id_)

    def ref(self, *args: Any, **kwargs: Any) -> Relation:
        """ref('orders'), ref('shop', 'orders'), ref('orders', v=2)"""
        if not args:
            raise Wrong("ref() needs a name", "")

        *package, name = map(str, args[:2])
        version = kwargs.get("v", kwargs.get("version"))
        several = self.nodes.get(name if version is None else f"{name}.v{version}", ())
        wanted = package or [self.package, self.root]
        for where in wanted:
            for held in several:
                if held[1] == where:
                    return self.relation(held)

        if several and not package:
            return self.relation(several[0])

        parts = (self.setup["target"]["database"], self.setup["target"]["schema"], name)
        said = ", ".join(f"'{arg}'" for arg in args)
        return self.unknown(parts, name, f"ref({said})")

    def source(self, *args: Any, **kwargs: Any) -> Relation:
        """Return the relation of a source table."""
        if len(args) < 2:
            raise Wrong("source() needs the name of a source and of a table", "")

        schema, table = str(args[0]), str(args[1])
        held = self.sources.get(f"{self.package}.{schema}.{table}") or self.sources.get(
            f"{schema}.{table}"
        )
        if held is not None:
            return self.relation(held)

        parts = (self.setup["target"]["database"], schema, table)
        return self.unknown(parts, f"{schema}.{table}", f"source('{schema}', '{table}')")

    def unknown(self, parts: tuple[str, str, str], name: str, said: str) -> Relation:
        """Return a relation that nothing defines, and note it."""
        held = [list(parts), name, said, current_line(self.environment.files, "")]
        if held not in self.said["unknown"]:
            self.said["unknown"].append(held)

        return Relation(parts, self.quote)

    def known_relation(self, schema: str, identifier: str) -> Relation | None:
        """adapter.get_relation(…)      a node of the project, if it is one"""
        this: Relation = self.base["this"]
        if (this.schema.lower(), this.identifier.lower()) == (schema.lower(), identifier.lower()):
            if self.flag("load_relation")():
                return this

            return None

        held = self.spots.get((schema.lower(), identifier.lower()))
        if held is not None:
            return self.relation(held)

        return None

    def relations_in(self, schema: str) -> list[Relation]:
        """Return the relations of a schema that the project knows."""
        found = [
            self.relation(held)
            for (where, _), held in self.spots.items()
            if where == schema.lower()
        ]
        self.note(f"which relations the schema {schema} has is only known when it runs")
        return found

    def columns_of(self, relation: Any) -> Columns:
        """Return the columns of a relation, as far as they are known."""
        node = getattr(relation, "node", "")
        if node and node not in self.said["wanted"]:
            self.said["wanted"].append(node)

        held = self.columns.get(node)
        found = Columns(
            Column(name, kind, self.quote, self.type_asked)
            for name, kind in (held[0] if held else ())
        )
        found.all_known = bool(held and held[1])
        if not found.all_known and (held is not None or not node):
            self.note(f"the columns of {relation} are not all known", doubt=False)
            self.lists.append((found, self.said["notes"][-1]))

        return found

    def type_asked(self, column: Column) -> None:
        """Note that a template asks for the type of a column, which only a run knows."""
        if not column.known_type or self.base["model"]["resource_type"] == "test":
            self.note(f"the type of the column {column.name} is only known when it runs")

    def load_relation(self, relation: object) -> Any:
        """Tell whether this very node has been built before is asked both ways."""
        if relation == self.base["this"]:
            if self.flag("load_relation")():
                return relation

            return None

        return relation

    def is_incremental(self) -> bool:
        """Answer `is_incremental()`: both branches are rendered."""
        if str(self.config.get("materialized", "")) != "incremental":
            return False

        return self.flag("is_incremental")()

    def var(self, name: str, *default: Any, **named: Any) -> Any:
        """Return a variable of the project; an unknown one is a placeholder."""
        for held in (self.setup["vars"].get(self.package, {}), self.setup["vars"].get("", {})):
            if name in held:
                return self.render_value(held[name])

        if default or named:
            if default:
                return default[0]

            return named.get("default")

        self.note(f"the variable '{name}' is not defined")
        return self.placeholder(name)

    def render_value(self, value: object) -> Any:
        """vars: {orders: "{{ source('shop', 'orders') }}"}

        a template is rendered where it is asked for
        """
        if not isinstance(value, str) or ("{{" not in value and "{%" not in value):
            return copy_value(value)

        template = self.environment.compile_template(value, self.file, lambda tree: tree)
        return self.output_of(
            template, template.new_context(self.names_in(self.package), shared=True)
        )

    def has_var(self, name: str) -> bool:
        """Tell whether the project defines a variable."""
        return name in self.setup["vars"].get(self.package, {}) or name in self.setup["vars"].get(
            "", {}
        )

    def env_var(self, name: str, *default: object) -> Any:
        """Return an environment variable; an unknown one is a placeholder."""
        if name in self.setup["environment"]:
            return self.setup["environment"][name]

        if default:
            return default[0]

        self.note(f"the environment variable {name} is not known here")
        return self.placeholder(name)

    def placeholder(self, name: Any) -> Dynamic:
        """A value that stands for what only a run knows."""
        if str(name) not in self.said["placeholders"]:
            self.said["placeholders"].append(str(name))

        return Dynamic(name)

    def run_query(self, query: object = "", *args: object, **kwargs: object) -> Result:
        """Return a stand-in for the rows of a query."""
        result = Result(str(query), self.placeholder)
        self.note(
            f"the result of run_query() is only known when it runs: '{result.value}' is used in its place"
        )
        return result

    def statement(
        self, name: Any = None, fetch_result: Any = False, *args: Any, caller: Any = None, **kw: Any
    ) -> str:
        """{% call statement('x', fetch_result=true) %} select … {% endcall %}"""
        query = str(caller()) if caller is not None else ""
        result = Result(query, self.placeholder)
        if fetch_result:
            self.note(
                f"the result of the statement '{name}' is only known when it runs: "
                f"'{result.value}' is used in its place"
            )

        self.results[str(name)] = result
        return ""

    def call_macro(self, package: str, name: str) -> Macro | None:
        """Return a macro of a package."""
        return self.library.macro_of(package, name)

    # -- what dbt brings ---------------------------------------------------------------------------

    def functions_of_dbt(self) -> Json:
        """Return every name of dbt's Jinja context."""
        setup = self.setup
        flags = {"FULL_REFRESH": False, "STORE_FAILURES": False, "WHICH": "run", "INTROSPECT": True}
        made: Json = dict.fromkeys(SILENT, nothing)
        made |= {
            "ref": self.ref, "source": self.source, "var": Var(self), "env_var": self.env_var, "doc": nothing,
            "is_incremental": self.is_incremental, "load_relation": self.load_relation, "run_query": self.run_query,
            "statement": self.statement, "load_result": self.results_named, "store_raw_result": nothing,
            "should_full_refresh": lambda: False, "return": end_macro, "execute": True, "modules": MODULES,
            "adapter": Adapter(self), "api": Api(self), "exceptions": Exceptions(self), "target": setup["target"],
            "project_name": self.root, "flags": flags, "dbt_version": "1.10.0", "invocation_id": "0",
            "run_started_at": datetime.datetime.now(datetime.UTC), "thread_id": "0",
            "invocation_args_dict": {}, "dbt_metadata_envs": {}, "selected_resources": [], "graph": setup["graph"],
            "fromjson": from_json, "tojson": to_json, "fromyaml": from_json, "toyaml": to_json,
            "set": as_set, "set_strict": set, "zip": zip_lists, "zip_strict": zip, "local_md5": md5,
            "builtins": {"ref": self.ref, "source": self.source, "config": None, "var": self.var},
            "column": [], "sql": "", "schemas": [], "pre_hooks": [], "post_hooks": [], "results": [],
            "get_columns_in_query": self.columns_in_query, "context": ContextNames(self), "caller": None,
            "render": str, "try_or_compiler_error": call_function, "dbt_project": {}, "metric": self.metric,
            "submit_python_job": nothing, "current_macro_name": "", "validation": None,
            "should_store_failures": lambda: False, "lineage_only": self.lineage_only,
        }  # fmt: skip
        return made

    def lineage_only(self, what: object = "") -> str:
        """Note that a macro of ours tells only which columns are read, not the values: a run needs
        the real macro.
        """
        doubt = [f"{what} is only known for lineage here", current_line(self.environment.files, "")]
        if doubt not in self.said["doubts"]:
            self.said["doubts"].append(doubt)

        return ""

    def metric(self, *args: object) -> str:
        """Return the name of a metric."""
        self.note("metric() is only known when it runs")
        if args:
            return str(args[-1])

        return ""

    def columns_in_query(self, query: object = "") -> list[str]:
        """Return no columns: only the database knows them."""
        self.note("get_columns_in_query() is only known when it runs")
        return []

    def results_named(self, name: object) -> Result | None:
        """Return the result of a statement block."""
        return self.results.get(str(name))


SILENT = (
    "log", "print", "write", "debug", "set_sql_header", "store_result", "create_schema", "drop_schema",
    "drop_relation", "truncate_relation", "noop_statement", "create_indexes", "persist_docs", "apply_grants",
)  # fmt: skip
"""The functions that change the database or inform the user: they write no text."""


class Config:
    """config(materialized='table'), config.get('x')"""

    def __init__(self, owner: Dbt) -> None:
        self._owner = owner

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        given = {**(args[0] if args and isinstance(args[0], dict) else {}), **kwargs}
        for key in [key for key in given if key in HOOKS]:
            held = self._owner.config.get(HOOKS[key], [])
            hooks = given.pop(key)
            more = hooks if isinstance(hooks, (list, tuple)) else [hooks]
            self._owner.config[HOOKS[key]] = [*held, *(each for each in more if each not in held)]

        self._owner.config.update(given)
        return ""

    def get(self, name: str, default: Any = None, **kwargs: Any) -> Any:
        """Return a setting, or the default."""
        found = self._owner.config.get(name)
        if found is None:
            return default

        return found

    def require(self, name: str, **kwargs: Any) -> Any:
        """Return a setting; a missing one is a placeholder."""
        return self._owner.config.get(name, Dynamic(name))

    def set(self, name: str, value: Any) -> str:
        """Set a setting."""
        self._owner.config[name] = value
        return ""

    def meta_get(self, name: str, default: object = None) -> Any:
        """Return an entry of `meta`, or the default."""
        meta = self._owner.config.get("meta")
        if isinstance(meta, dict):
            return meta.get(name, default)

        return default

    def persist_relation_docs(self) -> bool:
        """Answer that comments are not saved."""
        return False

    persist_column_docs = persist_relation_docs


HOOKS = {
    "pre_hook": "pre-hook",
    "post_hook": "post-hook",
    "pre-hook": "pre-hook",
    "post-hook": "post-hook",
}


class Var:
    """var('x'), var('x', 1), var.has_var('x')"""

    def __init__(self, owner: Dbt) -> None:
        self._owner = owner

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._owner.var(*args, **kwargs)

    def has_var(self, name: str) -> bool:
        """Tell whether the project defines a variable."""
        return self._owner.has_var(name)


class Exceptions:
    """exceptions.raise_compiler_error('…')"""

    def __init__(self, owner: Dbt) -> None:
        self._owner = owner

    def __getitem__(self, name: str) -> Any:
        if name.startswith("warn"):
            return nothing

        return refuse


class ContextNames:
    """context['x'], context.get('x')"""

    def __init__(self, owner: Dbt) -> None:
        self._owner = owner

    def __getitem__(self, name: str) -> Any:
        return self._owner.names_in(self._owner.package)[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return what a name means in the current package."""
        return self._owner.names_in(self._owner.package).get(name, default)


def refuse(message: object = "the template refuses", *args: object, **kwargs: object) -> NoReturn:
    """Raise the error that a template asks for."""
    raise Wrong(str(message).strip().split("\n", 1)[0], "")


def end_macro(value: object = None) -> NoReturn:
    """End the macro with a value."""
    raise Return(value)


def call_function(message: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function, as `try_or_compiler_error` does."""
    return function(*args, **kwargs)


def from_json(text: Any, default: Any = None) -> Any:
    """Return the value of a JSON text, or the default."""
    try:
        return json.loads(text)
    except (ValueError, TypeError):
        return default


def to_json(value: object, default: object = None, sort_keys: bool = False) -> Any:
    """Return a value as JSON, or the default."""
    try:
        return json.dumps(plain_value(value), sort_keys=sort_keys)
    except (ValueError, TypeError):
        return default


def as_set(value: Any, default: Any = None) -> Any:
    """Return the values as a set, or the default."""
    try:
        return set(value)
    except TypeError:
        return default


def zip_lists(*args: object, **kwargs: object) -> Any:
    """Return the items of several lists as tuples, or the default."""
    try:
        return list(zip(*args, strict=False))
    except TypeError:
        return kwargs.get("default")


def md5(text: object) -> str:
    """Return the MD5 digest of a text."""
    return hashlib.md5(str(text).encode(), usedforsecurity=False).hexdigest()


def native(value: Any) -> Any:
    """'true' | as_bool, '1' | as_number"""
    text = str(value).strip()
    try:
        return ast.literal_eval({"true": "True", "false": "False"}.get(text.lower(), text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value


def copy_value(value: object) -> Any:
    """A template may change the list that it is given; the next one is given its own."""
    if isinstance(value, dict):
        return {key: copy_value(item) for key, item in value.items()}

    if isinstance(value, list):
        return list(map(copy_value, value))

    return value


def plain_value(value: Any, depth: int = 0) -> Any:
    """Return a value that JSON can represent; anything else as its text."""
    if depth > 20:
        return ""

    if isinstance(value, dict):
        return {str(key): plain_value(item, depth + 1) for key, item in value.items()}

    if isinstance(value, (list, tuple, set)):
        return [plain_value(item, depth + 1) for item in value]

    if value is None or isinstance(value, (bool, int, float)):
        return value

    return str(value)


def current_line(files: dict[str, str], file: str) -> int:
    """The line of the template that is at work: the outermost one on the stack."""
    line = 1
    frame: Any = sys._getframe(1)
    while frame is not None:
        template = frame.f_globals.get("__jinja_template__")
        if template is not None:
            line = template.get_corresponding_lineno(frame.f_lineno)

        frame = frame.f_back

    return line
