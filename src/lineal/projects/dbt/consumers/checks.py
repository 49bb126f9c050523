"""Tests, unit tests and contracts as statements: each reads the columns that it names.

columns: [{name: id, data_tests: [unique, {relationships: {to: ref('orders'), field: id}}]}]
unit_tests: [{name: x, model: orders, given: [{input: ref('raw'), rows: [{id: 1}]}], expect: {…}}]
config: {contract: {enforced: true}}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lineal.extract.sql.select_names import selected_names
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.plain import as_mapping, as_text, one_or_more
from lineal.model.script import Script
from lineal.projects.dbt.consumers.dimensions import TEMPLATE
from lineal.projects.dbt.consumers.semantic import text_of
from lineal.projects.dbt.consumers.sheet import Sheet
from lineal.projects.dbt.node import Node
from lineal.projects.dbt.sandbox.relation import quote_if_needed, relation_sql
from lineal.projects.text import Report
from lineal.projects.yaml import Value

TEST = "test"
BUILTIN = frozenset(("unique", "not_null", "accepted_values", "relationships"))
"""The generic tests that dbt brings."""

COLUMN_ARGUMENTS = frozenset((
    "column_name", "field", "combination_of_columns", "column_list", "columns", "group_by_columns", "partition_by",
    "group_by", "compare_columns", "lower_bound_column", "upper_bound_column", "column_a", "column_b",
    "datetime_column", "date_col", "date_column_name", "timestamp_column", "sort_column", "order_by",
    "quantity_column",
))  # fmt: skip
"""Arguments of packages' tests that are names of columns."""

EXPRESSION_ARGUMENTS = frozenset(
    ("expression", "row_condition", "condition", "from_condition", "where")
)
"""Arguments that are SQL over the tested relation."""

OTHER_SIDE = {"to": ("field", "to_condition"), "compare_model": ("compare_columns", "")}
"""Arguments that name another relation, and those about its columns and rows."""

NAME = re.compile(r"[A-Za-z_][\w$]*\Z")
REFERENCED = re.compile(r"\s*(?P<table>[^\s(]+)\s*\((?P<columns>[^)]*)\)")

Find = Callable[[str, str], Node | None]
"""Looks up ref('orders') as a package writes it."""


@dataclass
class Statement:
    """The columns of relations that a check reads, and its conditions on them."""

    relations: dict[str, str] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)

    def script(self, place: Place, dialect: str, target: str) -> Script:
        """SELECT t.id, p.id FROM orders AS t, customers AS p WHERE …"""
        sheet = Sheet(place)
        sheet.put(f"SELECT {', '.join(dict.fromkeys(self.columns)) or '1'}", place)
        sources = [f"{relation} AS {alias}" for alias, relation in self.relations.items()]
        sheet.put(f" FROM {', '.join(sources)}" if sources else "")
        conditions = " AND ".join(f"({text})" for text in self.conditions)
        sheet.put(f" WHERE {conditions}" if conditions else "")
        return sheet.script(dialect, target, TEST)


class UnitTest(NamedTuple):
    """A unit test as a file or a manifest has it."""

    package: str
    about: Value
    fixtures: Mapping[str, list[str]]
    """The columns of fixture files, by the files' names."""


class Checks:
    """Writes the statements of tests, unit tests and contracts."""

    def __init__(self, dialect: str, quote: str, find: Find, report: Report) -> None:
        self.dialect = dialect
        self.quote = quote
        self.find = find
        self.report = report
        self.taken: set[str] = set()

    def dataset(self, name: str) -> str:
        """test:not_null_orders_id      a name that no other check has"""
        number, wanted = 1, f"{TEST}:{name}"
        shown = wanted
        while shown.lower() in self.taken:
            number += 1
            shown = f"{wanted}_{number}"

        self.taken.add(shown.lower())
        return shown

    def relation(self, node: Node) -> str:
        """Return a node as SQL writes it."""
        return relation_sql(node.parts, self.quote)

    def name(self, text: str) -> str:
        """Return the name of a column as SQL writes it."""
        if text[:1] in '"`[' or not NAME.match(text):
            return text if text[:1] in '"`[' else f"{self.quote}{text}{self.quote}"

        return quote_if_needed(text, self.quote)

    # -- generic tests -----------------------------------------------------------------------------

    def generic(self, node: Node, attached: Node, target: str) -> Script:
        """Return what a generic test reads, by its arguments."""
        test = node.test
        assert test is not None
        arguments = dict(test.arguments or {})
        statement = Statement({"t": self.relation(attached)})
        column = test.column or str(arguments.get("column_name") or "")
        if column:
            statement.columns.append(f"t.{self.name(column)}")

        others: set[str] = set()
        for key, (fields, condition) in OTHER_SIDE.items():
            if key in arguments:
                self.add_other(node, statement, arguments, (key, fields, condition))
                others |= {key, condition} | ({fields} if key == "to" else set())

        for key, value in arguments.items():
            if key.lower() in COLUMN_ARGUMENTS and key not in others:
                statement.columns += [f"t.{self.name(each)}" for each in texts_in(value)]
            elif key.lower() in EXPRESSION_ARGUMENTS and key not in others:
                statement.conditions += [
                    over_column(each, column if test.name.endswith("expression_is_true") else "")
                    for each in texts_in(value)
                ]

        where = as_text(node.config.get("where"))
        if where.strip():
            statement.conditions += map(without_templates, branches_of(where))

        return statement.script(test.place or Place(node.file, 1, 1), self.dialect, target)

    def add_other(
        self,
        node: Node,
        statement: Statement,
        arguments: Mapping[str, object],
        keys: tuple[str, str, str],
    ) -> None:
        """relationships: {to: ref('customers'), field: id}      the other side"""
        key, fields, _ = keys
        said = str(arguments[key])
        other = self.find(node.package, said)
        if other is None:
            message = f"{said} is not in the project"
            place = node.test.place if node.test is not None else None
            self.report(Diagnostic(Code.UNKNOWN_REFERENCE, message, place))
            return

        alias = f"o{len(statement.relations)}"
        statement.relations[alias] = self.relation(other)
        statement.columns += [
            f"{alias}.{self.name(each)}" for each in texts_in(arguments.get(fields))
        ]

    # -- unit tests --------------------------------------------------------------------------------

    def unit(self, test: UnitTest, target: str) -> Script:
        """given: the columns of the inputs; expect: those of the model"""
        about, statement = test.about, Statement()
        tested = text_of(about.get("model"))
        self.add_rows(test, statement, f"ref('{tested}')", about.part("expect"))
        for given in about.items_of("given"):
            said = text_of(given.get("input"))
            if said == "this":
                said = f"ref('{tested}')"

            self.add_rows(test, statement, said, given)

        return statement.script(about.place, self.dialect, target)

    def add_rows(self, test: UnitTest, statement: Statement, said: str, about: Value) -> None:
        """Add the columns that the rows of a relation name."""
        node = self.find(test.package, said)
        if node is None:
            message = f"{said} is not in the project"
            self.report(Diagnostic(Code.UNKNOWN_REFERENCE, message, test.about.place))
            return

        alias = f"u{len(statement.relations) + 1}"
        statement.relations[alias] = self.relation(node)
        for name in self.columns_in(test, about):
            statement.columns.append(f"{alias}.{self.name(name)}")

    def columns_in(self, test: UnitTest, about: Value) -> Iterator[str]:
        """rows: [{id: 1}], rows: "id,name\\n1,a", rows: "select 1 as id", fixture: file"""
        fixture = text_of(about.get("fixture"))
        if fixture:
            yield from test.fixtures.get(fixture.rpartition("/")[2].partition(".")[0], ())

        rows = about.part("rows")
        if rows.is_scalar and text_of(about.get("format")).lower() == "sql":
            yield from selected_names(without_templates(text_of(rows)), self.dialect)
        else:
            header = text_of(rows).split("\n")[0].split(",")
            yield from filter(None, map(str.strip, header))

        for row in rows.items:
            yield from row.entries

    # -- contracts ---------------------------------------------------------------------------------

    def contract(self, node: Node, target: str) -> Script:
        """Return what an enforced contract reads: every column that it lists, and its constraints."""
        statement = Statement({"t": self.relation(node)})
        statement.columns += [f"t.{self.name(column.name)}" for column in node.columns]
        for constraint in node.constraints:
            self.add_constraint(node, statement, constraint)

        return statement.script(node.known_place, self.dialect, target)

    def add_constraint(
        self, node: Node, statement: Statement, constraint: Mapping[str, object]
    ) -> None:
        """{type: foreign_key, to: ref('customers'), to_columns: [id]}, {type: check, expression: …}"""
        statement.columns += [
            f"t.{self.name(each)}" for each in texts_in(constraint.get("columns"))
        ]
        kind, text = str(constraint.get("type") or ""), str(constraint.get("expression") or "")
        if kind == "check" and text:
            statement.conditions.append(without_templates(text))

        if kind != "foreign_key":
            return

        said, columns = str(constraint.get("to") or ""), texts_in(constraint.get("to_columns"))
        other = self.find(node.package, said) if said else None
        if not said and (found := REFERENCED.match(text)):
            name = found["table"].rpartition(".")[2].strip('"`[]')
            other = self.find(node.package, f"ref('{name}')")
            columns = [each.strip() for each in found["columns"].split(",")]

        if other is not None:
            alias = f"o{len(statement.relations)}"
            statement.relations[alias] = self.relation(other)
            statement.columns += [f"{alias}.{self.name(each)}" for each in columns]


def is_enforced(node: Node) -> bool:
    """config: {contract: {enforced: true}}"""
    told = as_mapping(node.config.get("contract")).get("enforced")
    return str(told).strip().lower() == "true"


def texts_in(value: object) -> list[str]:
    """a, [a, b]      the texts"""
    texts = (as_text(each).strip() for each in one_or_more(value))
    return list(filter(None, texts))


def without_templates(text: str) -> str:
    """date > '{{ var("x") }}'      what only a run knows decides nothing about columns"""
    return TEMPLATE.sub("NULL", text)


BRANCHES = re.compile(
    r"\{%-?\s*if\b[^%]*%\}(?P<then>[^{]*(?:\{\{[^{]*)*)"
    r"(?:\{%-?\s*else\s*-?%\}(?P<else>[^{]*(?:\{\{[^{]*)*))?\{%-?\s*endif\s*-?%\}"
)


def branches_of(text: str) -> list[str]:
    """{% if var('all') %}1=1{% else %}day > 2{% endif %}      1=1 and day > 2: either may be meant"""
    found = {BRANCHES.sub(kept, text) for kept in (r"\g<then>", r"\g<else>")}
    return sorted(each for each in found if each.strip())


def over_column(expression: str, column: str) -> str:
    """>= 0      of a test that belongs to a column: amount >= 0"""
    return without_templates(f"{column} {expression}" if column else expression)


def test_name(name: str, owner: Node, arguments: Mapping[str, object]) -> str:
    """not_null_orders_id      the name that dbt gives to a generic test"""
    flat: list[str] = []
    for key in sorted(arguments):
        value = arguments[key]
        if key == "model":
            continue

        parts = list(value.values()) if isinstance(value, dict) else one_or_more(value)
        flat += [re.sub(r"[^0-9a-zA-Z_]+", "_", str(each)) for each in parts]

    owned = owner.name.replace(".", "_")
    source = "source_" if owner.kind == "source" else ""
    return f"{source}{name.replace('.', '_')}_{owned}_{'__'.join(flat)}"
