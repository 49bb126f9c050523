"""Audits: what must hold for a model. Each is a dataset of kind `test` that reads columns.

    audits (not_null(columns := (id, amount)), forall(criteria := (amount > 0)), no_gaps)

An audit that SQLMesh brings along reads the columns in its arguments. One of the project is a query
over `@this_model`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lineal.model.plain import as_list, as_mapping, one_or_more
from lineal.model.script import Script
from lineal.projects.sqlmesh.header import Header, assignments, split_call
from lineal.projects.sqlmesh.macros import Environment, Value, expand
from lineal.projects.sqlmesh.pieces import is_string, pieces, split, split_items, unquote

TEST = "test"
COLUMN_KEYS = (
    "column", "columns", "lower_bound_column", "upper_bound_column", "partition_clause",
    "column_expr", "columns_to_compare",
)  # fmt: skip
"""Arguments that name columns; `criteria` and `condition` are expressions over them."""

EXPRESSION_KEYS = ("criteria", "condition", "where")


@dataclass(frozen=True)
class Audit:
    """An audit of the project: its query, and where it stands."""

    name: str
    text: str
    file: str
    dialect: str
    standalone: bool
    defaults: Mapping[str, str]


@dataclass(frozen=True)
class AuditCall:
    """An audit that a model asks for, with its arguments as SQL text."""

    name: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    line: int = 1


def audit_of(header: Header, body: str, dialect: str) -> Audit:
    """Return the audit of a header."""
    return Audit(
        header.text("name").lower(),
        body,
        header.file,
        header.text("dialect") or dialect,
        header.text("standalone").lower() == "true",
        dict(assignments(header.raw("defaults"))),
    )


def asked_by(header: Header) -> list[AuditCall]:
    """Return the audits that a header asks for."""
    raw = header.raw("audits")
    inner = raw
    if raw[:1] in ("(", "["):
        inner = raw[1:-1]

    found = []

    for part in split(inner):
        name, arguments = split_call(part.text)
        if name:
            line = header.lines.get("audits", header.line) + raw.count("\n", 0, part.start)
            found.append(AuditCall(name.lower(), dict(assignments(arguments)), line))

    return found


def asked_in_python(settings: Mapping[str, Any], line: int) -> list[AuditCall]:
    """audits=[("not_null", {"columns": ["id"]}), "no_gaps"], and the lists of YAML"""
    found = []

    for each in as_list(settings.get("audits")):
        if isinstance(each, dict):
            name, given = each.get("name"), {**each}
            given.pop("name", None)
        else:
            name, *rest = one_or_more(each) or [None]
            given = as_mapping(rest[0]) if rest else {}

        if isinstance(name, str):
            texts = {str(key): text_of(item) for key, item in given.items()}
            found.append(AuditCall(name.lower(), texts, line))

    return found


def text_of(value: Any) -> str:
    """Return a value of Python or YAML as SQL text."""
    if isinstance(value, list):
        return f"({', '.join(text_of(item) for item in value if isinstance(item, (str, int)))})"

    return str(value)


@dataclass
class Tests:
    """The scripts of all audits that models ask for."""

    audits: Mapping[str, Audit]
    taken: dict[str, int] = field(default_factory=dict)

    def of_model(
        self, model: str, asked: Iterable[AuditCall], file: str, dialect: str, env: Environment
    ) -> list[Script]:
        """Return a script for each audit of a model."""
        return [self.script(model, each, file, dialect, env) for each in asked]

    def script(
        self, model: str, asked: AuditCall, file: str, dialect: str, env: Environment
    ) -> Script:
        """Return the script of one audit."""
        target = self.name_of(f"{asked.name}:{model}")
        own = self.audits.get(asked.name)
        if own is None:
            text = builtin_query(model, asked)
            return Script(text, dialect, file, asked.line, target, TEST, one_line=True)

        given = {**own.defaults, **asked.arguments}
        values = {key.lower(): argument_value(text) for key, text in given.items()}
        inner = Environment(
            {**env.variables, **values}, env.python, own.file, own.dialect, env.report, model
        )
        return Script(expand(own.text, inner), own.dialect, own.file, 1, target, TEST)

    def standalone(self, env: Environment) -> list[Script]:
        """Return a script for each audit that belongs to no model."""
        found = []

        for audit in self.audits.values():
            if audit.standalone:
                inner = Environment(
                    env.variables, env.python, audit.file, audit.dialect, env.report
                )
                text = expand(audit.text, inner)
                name = self.name_of(audit.name)
                found.append(Script(text, audit.dialect, audit.file, 1, name, TEST))

        return found

    def name_of(self, name: str) -> str:
        """Return a name that no other test has."""
        number = self.taken[name] = self.taken.get(name, 0) + 1
        if number == 1:
            return name

        return f"{name}_{number}"


def argument_value(text: str) -> Value:
    """Return an argument of an audit as a variable of its query."""
    if is_string(text):
        return Value(unquote(text), True)

    return Value(text)


def builtin_query(model: str, asked: AuditCall) -> str:
    """not_null(columns := (a, b))      SELECT a, b FROM model"""
    columns: list[str] = []
    tests: list[str] = []

    for key, text in asked.arguments.items():
        if key in COLUMN_KEYS:
            columns += [unquote(item) if is_string(item) else item for item in split_items(text)]
        elif key in EXPRESSION_KEYS:
            tests += split_items(text)

    query = f"SELECT {', '.join(columns) or '1'} FROM {model}"  # noqa: S608  it is read, never run
    if tests:
        query += f" WHERE {' AND '.join(f'NOT ({test})' for test in tests)}"

    return query


# -- metrics ---------------------------------------------------------------------------------------

METRIC = "metric"


def metric_script(header: Header, dialect: str, metrics: set[str]) -> Script | None:
    """METRIC (name paid, expression SUM(shop.orders.amount))      a dataset with one column"""
    name, expression = header.text("name"), header.raw("expression")
    if not name or not expression:
        return None

    tables = tables_in(expression, metrics)
    source = ""
    if tables:
        source = f" FROM {', '.join(tables)}"

    text = f"SELECT {expression} AS {name}{source}"
    before = "\n" * (header.lines.get("expression", header.line) - 1)
    return Script(before + text, dialect, header.file, 1, name, METRIC)


def tables_in(expression: str, metrics: set[str]) -> list[str]:
    """Return the tables and the other metrics that an expression names."""
    found: dict[str, None] = {}

    for name in names_in(expression):
        if "." in name:
            found[name.rsplit(".", 1)[0]] = None
        elif name.lower() in metrics:
            found[name] = None

    return list(found)


def names_in(expression: str) -> list[str]:
    """Return the dotted names of an expression."""
    spelled = "".join(
        piece.text if piece.kind in ("word", "quoted") or piece.text == "." else " "
        for piece in pieces(expression)
    )
    return [name for name in spelled.split() if not name[0].isdigit()]
