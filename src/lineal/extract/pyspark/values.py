"""Abstract values: what a name of the analyzed program may stand for.

Strings, numbers, lists, tuples, dicts and sets are themselves; the values inside them are abstract
again.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard

from lineal.extract.pyspark.relation import Relation
from lineal.model.edge import Doubt
from lineal.model.sequences import instances
from lineal.model.way import Confidence

if TYPE_CHECKING:
    from lineal.extract.pyspark.files import File
    from lineal.extract.pyspark.invocation import Invocation
    from lineal.extract.pyspark.run import Run

Value = Any
"""A constant, a container of values, or one of the classes below."""


SCHEMA_UNKNOWN = "the schema is not known"
"""Why the names of a DataFrame's columns are not known: they are all of its columns."""

ANY_COLUMN = "…"
"""The label of a name, or of a list of expressions, that stands for every column of such a DataFrame"""

NAMED_TUPLE = "typing.NamedTuple"


@dataclass(frozen=True, eq=False)
class Collected:
    """The columns that a value comes from which the program has collected."""

    column: ColumnValue | None = None
    """df.agg(max("x")).first()[0]: the expression that has the same value"""
    row: Relation | None = None
    """df.first(): one row of a DataFrame"""
    each: Value = None
    """df.collect(): one of its items; all are alike"""


class Unknown:
    """A value that only a run can tell: configuration (LOW), or computed (UNKNOWN)."""

    __slots__ = ("collected", "home", "inputs", "label", "level", "opened", "reason", "variable")

    def __init__(
        self,
        label: str,
        reason: str,
        level: Confidence = Confidence.UNKNOWN,
        variable: str = "",
        home: str = "",
        inputs: tuple[Relation, ...] = (),
        collected: Collected | None = None,
    ) -> None:
        """Build a value that only a run knows, with the reason that messages give."""
        self.label = label
        self.reason = reason
        self.level = level
        self.variable = variable
        """its name where it is used: cols, config.columns, settings["cols"]"""
        self.home = home
        """the file and function that first named it: jobs/daily.py::main"""
        self.inputs = inputs
        """the DataFrames that the call was given which made it"""
        self.collected = collected
        """the columns that its value was taken from"""
        self.opened: Value = None
        """the path of an open file"""

    def rename(self, label: str = "", variable: str = "", home: str = "") -> Unknown:
        """Return the same unknown value under another name."""
        made = Unknown(
            label or self.label,
            self.reason,
            self.level,
            variable or self.variable,
            self.home or home,
            self.inputs,
            self.collected,
        )
        made.opened = self.opened
        return made

    def __repr__(self) -> str:
        """Show the value as texts hold it: `{label}`."""
        return f"{{{self.label}}}"


class Pattern(str):
    """A text of which parts are only known when it runs: "{env}_raw.meters"."""

    level: Confidence
    reason: str
    variable: str
    """the first of the parts that are not known, as the program calls it"""
    home: str
    """the file and function that first named that part"""
    values: dict[str, Any]
    """the expressions of the parts that the program has collected, by their placeholders"""

    def __new__(
        cls,
        text: str,
        level: Confidence = Confidence.LOW,
        reason: str = "",
        variable: str = "",
        home: str = "",
        values: dict[str, Any] | None = None,
    ) -> Pattern:
        """Build a text of which parts are unknown; these are in braces."""
        made = super().__new__(cls, text)
        made.level = level
        made.reason = reason
        made.variable = variable
        made.home = home
        made.values = values or {}
        return made

    def retold(self, text: str) -> Pattern:
        """Return another text whose parts are known as far as those of this one."""
        return Pattern(text, self.level, self.reason, self.variable, self.home, self.values)


@dataclass(frozen=True)
class Transposed:
    """zip(*rows): the columns that it gives, handed to it as its only argument."""

    columns: list[Value]


@dataclass(frozen=True)
class Choice:
    """One of several known values: what an `if` left open."""

    options: tuple[Value, ...]


@dataclass(frozen=True)
class TypeValue:
    """T.StringType(), T.DecimalType(10, 2)"""

    type_name: str


@dataclass(frozen=True)
class FieldValue:
    """StructField("id", IntegerType())"""

    name: str
    type_name: str
    nullable: Value = True


@dataclass(slots=True, unsafe_hash=True)
class ColumnValue:
    """A Column: an expression that means nothing until a DataFrame is given."""

    tree: Any
    names: tuple[str, ...] = ()
    doubt: Doubt | None = None
    pending_case: Any = None
    """F.when(…): may go on with .when and .otherwise"""


@dataclass
class WindowSpec:
    """Window.partitionBy(…).orderBy(…)"""

    partition: tuple[Any, ...] = ()
    order: tuple[Any, ...] = ()


@dataclass
class Grouped:
    """df.groupBy(…), rollup, cube; .pivot(…) is still to come or has come."""

    relation: Relation
    keys: list[ColumnValue]
    pivot: ColumnValue | None = None
    pivot_values: list[Value] | None = None
    sides: tuple[Relation, ...] = ()
    """of groups of two DataFrames, each of them"""


@dataclass
class Builder:
    """spark.read…, df.write…, DeltaTable…merge(…): options that are collected until something is
    done with them.
    """

    kind: str
    parts: dict[str, Value] = field(default_factory=dict)

    def with_(self, **parts: Value) -> Builder:
        """Return a copy with these parts."""
        return Builder(self.kind, {**self.parts, **parts})

    def with_options(self, arguments: list[Value], keywords: dict[str, Value]) -> Builder:
        """Return a builder with options.

        .option("header", True), .options(header=True), .options({"header": True})
        """
        options = dict(self.parts.get("options", {}))
        if len(arguments) == 2 and isinstance(arguments[0], str):
            options[arguments[0].lower()] = arguments[1]

        options.update({key.lower(): value for key, value in keywords.items()})
        if arguments and isinstance(arguments[0], dict):
            options.update({str(key).lower(): value for key, value in arguments[0].items()})

        return self.with_(options=options)


@dataclass
class Function:
    """def, lambda: a closure."""

    node: Any
    file: File
    closure: Any
    name: str
    defaults: list[Value] = field(default_factory=list)
    keyword_defaults: dict[str, Value] = field(default_factory=dict)
    decorators: tuple[str, ...] = ()
    home: Class | None = None
    setter: Function | None = None
    notes: dict[str, Value] = field(default_factory=dict)
    """build.target = "mart.orders"      what the program writes on it"""
    variants: list[tuple[Value, Function]] | None = None
    """@singledispatch      the functions that are registered for types of its first argument"""


@dataclass
class Class:
    """class C: its methods and attributes, and its bases as far as they are known."""

    name: str
    bases: list[Value]
    names: dict[str, Value]
    fields: list[tuple[str, Value]] = field(default_factory=list)
    """of a dataclass or NamedTuple: its annotated fields with their defaults"""
    file: File | None = None
    heirs: list[Class] = field(default_factory=list)
    has_fields: bool = True
    """@dataclass, or a base of a library that makes fields of annotations; else they are names like
    others
    """
    heirs_have_fields: bool = False
    made_by: Class | None = None
    """the metaclass, if it is a class of the program"""

    def find(self, name: str) -> Value | None:
        """Return a member of the class or of one that it derives from."""
        if name in self.names:
            return self.names[name]

        return next((made.names[name] for made in self.order[1:] if name in made.names), None)

    @cached_property
    def order(self) -> list[Class]:
        """The class and its bases in the order in which a name is looked up: a base after all of
        its heirs.
        """
        return [
            self,
            *merged_orders(
                [base.order for base in self.bases if isinstance(base, Class)], self.bases
            ),
        ]

    @property
    def all_fields(self) -> list[tuple[str, Value]]:
        """Return the fields of a dataclass, those it inherits first."""
        inherited = [
            item for base in self.bases if isinstance(base, Class) for item in base.all_fields
        ]
        own = dict(self.fields) if self.has_fields else {}
        return [item for item in inherited if item[0] not in own] + list(own.items())

    @property
    def is_tuple(self) -> bool:
        """Tell whether this is a named tuple."""
        return any(
            (isinstance(base, Library) and base.name == NAMED_TUPLE)
            or (isinstance(base, Class) and base.is_tuple)
            for base in self.bases
        )

    @property
    def enumerates(self) -> bool:
        """Tell whether this is an enumeration."""
        return any(
            (
                isinstance(base, Library)
                and base.name.rsplit(".", 1)[-1] in ("Enum", "StrEnum", "IntEnum")
            )
            or (isinstance(base, Class) and base.enumerates)
            for base in self.bases
        )

    @property
    def of_texts(self) -> bool:
        """Tell whether an enumeration's members are texts.

        class Kind(str, Enum), class Kind(StrEnum)
        """
        return any(
            (isinstance(base, Library) and base.name in ("builtins.str", "enum.StrEnum"))
            or (isinstance(base, Class) and base.of_texts)
            for base in self.bases
        )


def merged_orders(orders: list[list[Class]], bases: list[Value]) -> list[Class]:
    """C3: the first head that is in no other tail; where a program has no such order, any remaining
    head.
    """
    if len(orders) == 1:
        return orders[0]

    waiting = [*map(list, orders), instances(bases, Class)]
    found: list[Class] = []

    while waiting := [order for order in waiting if order]:
        heads = [order[0] for order in waiting]
        free = (
            head
            for head in heads
            if not any(head is late for order in waiting for late in order[1:])
        )
        taken = next(free, heads[0])
        found.append(taken)
        waiting = [[made for made in order if made is not taken] for order in waiting]

    return found


@dataclass(eq=False)
class Instance:
    """C(): its class and what self holds. It is equal to itself: a member of an Enum may be a key."""

    home: Class
    names: dict[str, Value] = field(default_factory=dict)


class TextMember(str):
    """A member of `class Kind(str, Enum)`: a text with a name."""

    home: Class
    name: str

    @classmethod
    def from_text(cls, text: str, home: Class, name: str) -> TextMember:
        """Return a member of an enumeration of texts."""
        made = cls(text)
        made.home, made.name = home, name
        return made


class Tree(str):
    """An expression of sqlglot that a macro is given or makes, as the SQL that it writes."""

    __slots__ = ()


@dataclass(frozen=True)
class Super:
    """super(): the methods of the classes that come after one, called on the same self."""

    after: tuple[Class, ...]
    receiver: Value

    def find(self, name: str) -> Value | None:
        """Return a member of the class or of one that it derives from."""
        return next((made.names[name] for made in self.after if name in made.names), None)


@dataclass(slots=True)
class Method:
    """receiver.name, ready to be called."""

    receiver: Value
    name: str
    function: Function | None = None


@dataclass(frozen=True)
class Library:
    """A name of a library: pyspark.sql.functions.sum, os.environ, functools.reduce."""

    name: str


@dataclass
class Module:
    """A module of the analyzed tree."""

    file: File
    names: dict[str, Value]


@dataclass(frozen=True)
class Session:
    """spark"""


@dataclass(frozen=True)
class Udf:
    """F.udf(f), @pandas_udf: whatever it does, it does it to its arguments."""

    name: str
    aggregates: bool = False
    body: Value = field(default=None, compare=False)
    """the function: of a pandas UDF it works on series"""
    is_iterator: bool = False
    """the function takes an iterator of series"""
    by_row: bool = False
    """the function works on the values of one row"""


@dataclass(frozen=True)
class TableFunction:
    """@udtf(returnType="word string") class SplitWords: a class whose eval yields rows."""

    name: str
    schema: SchemaValue | None
    body: Value = field(default=None, compare=False)


@dataclass
class SchemaValue:
    """StructType([…]), "id INT, name STRING", df.schema: names and types."""

    fields: list[tuple[str, str]]
    nullable: dict[str, Value] | None = None
    """of a schema that a program builds: whether each field may be NULL"""

    @property
    def field_values(self) -> list[FieldValue]:
        """Return the fields as a program sees them."""
        if self.nullable is None:
            unknown = Unknown("nullable", "a property of a field")
            return [FieldValue(name, kind, unknown) for name, kind in self.fields]

        return [FieldValue(name, kind, self.nullable.get(name)) for name, kind in self.fields]


@dataclass(frozen=True)
class Native:
    """A function that the interpreter itself knows."""

    name: str
    call: Callable[[Run, Invocation], Value]


@dataclass(frozen=True)
class Partial:
    """functools.partial(f, …)"""

    function: Value
    arguments: tuple[Value, ...]
    keywords: Mapping[str, Value]


@dataclass(frozen=True)
class PartialMethod(Partial):
    """functools.partialmethod(f, …)      self comes before the given arguments"""


class DefaultDict(dict[Any, Any]):
    """collections.defaultdict(list)"""

    factory: Value = None

    def copy(self) -> DefaultDict:
        """Return a copy with the same factory."""
        made = DefaultDict(self)
        made.factory = self.factory
        return made


class Generator:
    """An iterator over known values."""

    __slots__ = ("items",)

    def __init__(self, items: list[Value]) -> None:
        """Hold the items that are yet to be taken."""
        self.items = items


FOLLOWED = frozenset((*sys.stdlib_module_names, "builtins", "pyspark", "delta", "io", "dlt", "awsglue",
    "databricks", "dbutils", "pandas", "numpy", "yaml", "toml", "tomllib", "dbt", "sqlglot", "polars",
    "snowflake", "sklearn", "xgboost", "lightgbm", "joblib", "graphframes"))  # fmt: skip
"""Packages whose names the interpreter knows, or that hold no names of columns."""


def is_elsewhere(held: Library) -> bool:
    """from company.schema import Cols      Return whether a name belongs to unknown code."""
    return held.name.partition(".")[0] not in FOLLOWED


def reason_for_import(held: Library) -> str:
    """Why the value of a name of another module is not known."""
    return f"{held.name.partition('.')[0]} is not a part of the input"


def note_of(what: str, held: object) -> str:
    """Return the note on where columns come from.

    columns from variable 'cols' (the command line), columns that only a run knows (what f()
    gives is not known)
    """
    variable, reason = getattr(held, "variable", ""), getattr(held, "reason", "")
    if isinstance(held, Library):
        variable, reason = held.name, reason_for_import(held)
    elif isinstance(held, Unknown) and not variable and held.label.isidentifier():
        variable = held.label

    which = f"from variable '{variable}'" if variable else "that only a run knows"
    if reason:
        return f"{what} {which} ({reason})"

    return f"{what} {which}"


def trees_of(columns: Iterable[Any]) -> list[Any]:
    """Return the expressions of columns."""
    return [column.tree for column in columns]


def inputs_of(held: Value) -> tuple[Relation, ...]:
    """Return the relations that a value was computed from that only a run knows."""
    if isinstance(held, Unknown):
        return held.inputs

    return ()


def positional_names(parameters: ast.arguments) -> list[str]:
    """Return the names of the parameters that can be given by position.

    def clean(df, column, *, strict=False)      df, column
    """
    return [each.arg for each in (*parameters.posonlyargs, *parameters.args)]


def label_of(node: ast.AST) -> str:
    """Return the name of a placeholder: the last name of its expression."""
    if isinstance(node, ast.Name):
        return node.id

    if isinstance(node, ast.Attribute):
        return node.attr

    if isinstance(node, ast.Subscript):
        if isinstance(node.slice, ast.Constant):
            return str(node.slice.value)

        return label_of(node.value)

    if isinstance(node, ast.Call):
        named = [
            arg.value
            for arg in node.args
            if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
        ]
        if named and len(node.args) <= 2 and named[0].isidentifier():
            return named[0]

        return f"{label_of(node.func)}()"

    return "…"


def stands_for_columns(held: Value) -> TypeGuard[Unknown]:
    """Tell whether a value stands for columns of a DataFrame whose schema is not known."""
    return isinstance(held, Unknown) and held.reason == SCHEMA_UNKNOWN and bool(held.inputs)


def method_of(held: Value, name: str) -> Function | None:
    """Return a method that the class of an object defines."""
    if not isinstance(held, Instance):
        return None

    found = held.home.find(name)
    if isinstance(found, Function):
        return found

    return None


def parameters_of(function: Value) -> list[str]:
    """Return the names of the parameters of a function."""
    if isinstance(function, Partial):
        return parameters_of(function.function)[len(function.arguments) :]

    if isinstance(function, Function):
        return positional_names(function.node.args)

    return ["x"]
