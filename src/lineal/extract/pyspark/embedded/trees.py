"""Expressions of sqlglot that a macro puts together: each is the SQL that it writes.

    exp.func("COALESCE", exp.cast(column, "text"), exp.Literal.string("-"))
    exp.column(name).as_(f"{name}_total")

SQLMesh hands the arguments of a macro over as such expressions. The interpreter knows one as a
`Tree`, a text of SQL. A tuple or an array of them is a list.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lineal.extract.pyspark.dispatch import ATTRIBUTES
from lineal.extract.pyspark.embedded.selects import Query, call_query, open_query
from lineal.extract.pyspark.embedded.statements import NOT_TAKEN, Called, Collector
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Library, Method, Pattern, Tree, Unknown, Value
from lineal.model.sequences import as_list, present

LONGEST = 200_000
NAME = re.compile(r'"?\w+"?(\."?\w+"?)*')
STRING = re.compile(r"'(?:[^']|'')*'")
NUMBER = re.compile(r"-?\d+(\.\d+)?")
SIGNS = {
    "Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "EQ": "=", "NEQ": "<>", "GT": ">",
    "GTE": ">=", "LT": "<", "LTE": "<=", "And": "AND", "Or": "OR", "DPipe": "||", "Is": "IS",
    "Like": "LIKE",
}  # fmt: skip
"""Classes of sqlglot with two operands, and how SQL writes them."""


class Trees(list[Value]):
    """A tuple or an array of expressions."""


def text_of(held: Value) -> str | None:
    """Return the SQL of a value; None if only a run knows it."""
    if isinstance(held, bool):
        return str(held).upper()

    if isinstance(held, Pattern):
        return None

    if isinstance(held, Query):
        return str(held)

    if isinstance(held, (str, int, float)):
        return str(held)

    if isinstance(held, (list, tuple)):
        texts = [text_of(each) for each in held]
        if None not in texts:
            return ", ".join(text for text in texts if text)

    return None


def tree_of(parts: list[Value], write: Callable[[list[str]], str]) -> Value:
    """Return an expression made of others; one of which only a run knows a part is not known."""
    texts = list(map(text_of, parts))
    if None in texts:
        return Unknown("expression", "an expression that a macro makes")

    made = write(present(texts))
    if len(made) > LONGEST:
        return Unknown("expression", "an expression that is too long")

    return Tree(made)


# -- calls -----------------------------------------------------------------------------------------


def take_tree(run: Run, collector: Collector, called: Called) -> Value:
    """Return what a call of sqlglot, of one of its expressions or of the evaluator gives."""
    if called.name == "isinstance" and len(called.arguments) == 2:
        return is_instance(*called.arguments)

    if isinstance(called.receiver, Evaluator):
        return ask_evaluator(called)

    if isinstance(called.receiver, Query):
        return call_query(called.receiver, called, text_of)

    if isinstance(called.receiver, Tree):
        return call_method(called)

    if called.library.startswith("sqlglot"):
        return call_sqlglot(called)

    if called.name == "str" and isinstance(next(iter(called.arguments), None), Tree):
        return str(called.arguments[0])

    return NOT_TAKEN


def call_sqlglot(called: Called) -> Value:
    """exp.func(…), exp.Literal.string(…), exp.Tuple(expressions=[…])"""
    last = called.library.rpartition(".")[2]
    if last == "select":
        return open_query(called, text_of)

    maker = MAKERS.get(last)
    if maker is not None:
        return maker(called)

    if last in SIGNS:
        sides = [called.value(0, "this"), called.value(1, "expression")]
        return tree_of(sides, lambda texts: f"({texts[0]} {SIGNS[last]} {texts[1]})")

    if last[:1].isupper():
        return make_function(last, called)

    return Unknown(last, "a function of sqlglot")


OPERANDS = frozenset(("this", "expression", "expressions"))
"""The operands of a function of sqlglot. Its other arguments are constants; a class with others has
a syntax of its own.
"""


def is_constant(held: Value) -> bool:
    """Tell whether an argument is a literal, which no column can be part of."""
    if isinstance(held, Tree):
        return bool(STRING.fullmatch(held) or NUMBER.fullmatch(held))

    return isinstance(held, (bool, int, float))


def make_function(name: str, called: Called) -> Value:
    """exp.Sum(this=x), exp.Coalesce(this=a, expressions=[b, c]), exp.SHA2(this=x, length=256)"""
    inner = called.keywords.get("expressions")
    several = as_list(inner)
    settings = [held for key, held in called.keywords.items() if key not in OPERANDS]
    if not all(map(is_constant, settings)):
        return Unknown(name, "an expression that a macro makes")

    given = [called.value(0, "this"), called.keywords.get("expression"), *several, *settings]
    known = present(given)
    spelled = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
    return tree_of(known, lambda texts: f"{spelled}({', '.join(texts)})")


def make_call(called: Called) -> Value:
    """exp.func("MD5", column), exp.Anonymous(this="MD5", expressions=[column])"""
    inner = called.keywords.get("expressions")
    given = [called.value(0, "this", "name"), *called.arguments[1:]]
    if isinstance(inner, list):
        given += inner

    return tree_of(given, lambda texts: f"{texts[0]}({', '.join(texts[1:])})")


def make_cast(called: Called) -> Value:
    """exp.cast(column, "text")"""
    given = [called.value(0, "expression", "this"), called.value(1, "to")]
    return tree_of(given, lambda texts: f"CAST({texts[0]} AS {texts[1]})")


def make_string(called: Called) -> Value:
    """exp.Literal.string("a")      'a'"""
    return tree_of([called.value(0)], lambda texts: "'" + texts[0].replace("'", "''") + "'")


def take_first(called: Called) -> Value:
    """exp.to_identifier("a"), parse_one("a + b"), exp.DataType.build("int")"""
    return tree_of([called.value(0, "this", "name", "sql", "table")], lambda texts: texts[0])


def make_column(called: Called) -> Value:
    """exp.column("a", table="t")      t.a"""
    table = called.value(1, "table")
    name = called.value(0, "col", "this", "name")
    if table is None:
        return tree_of([name], lambda texts: texts[0])

    return tree_of([table, name], ".".join)


def make_alias(called: Called) -> Value:
    """exp.alias_(column, "b")      column AS b"""
    given = [called.value(0, "expression", "this"), called.value(1, "alias")]
    return tree_of(given, lambda texts: f"{texts[0]} AS {as_name(texts[1])}")


def make_case(called: Called) -> Value:
    """exp.Case(ifs=[exp.If(this=test, true=value)], default=other)"""
    parts = [called.keywords.get("this") or "", *(called.keywords.get("ifs") or ())]
    other = called.keywords.get("default")
    if other is not None:
        parts.append(tree_of([other], lambda texts: f"ELSE {texts[0]}"))

    return tree_of(parts, lambda texts: f"CASE {' '.join(filter(None, texts))} END")


def make_if(called: Called) -> Value:
    """exp.If(this=test, true=value)      a branch of CASE, or a call with a third argument"""
    given = [called.value(0, "this"), called.value(1, "true")]
    other = called.value(2, "false")
    if other is not None:
        return tree_of(
            [*given, other],
            lambda texts: f"CASE WHEN {texts[0]} THEN {texts[1]} ELSE {texts[2]} END",
        )

    return tree_of(given, lambda texts: f"WHEN {texts[0]} THEN {texts[1]}")


def make_list(called: Called) -> Value:
    """exp.Tuple(expressions=[a, b])      its members"""
    held = called.keywords.get("expressions")
    if held is None and called.arguments:
        held = list(called.arguments)

    if isinstance(held, (list, tuple)):
        return Trees(held)

    return Unknown("tuple", "a tuple")


def make_joined(word: str) -> Callable[[Called], Value]:
    """exp.and_(a, b)      (a AND b)"""

    def make(called: Called) -> Value:
        """Return the conditions joined by the word, in parentheses: `and_(a, b)`."""
        return tree_of(list(called.arguments), lambda texts: f"({f' {word} '.join(texts)})")

    return make


def make_word(text: str) -> Callable[[Called], Value]:
    """exp.null()"""
    return lambda called: Tree(text)


MAKERS: Mapping[str, Callable[[Called], Value]] = {
    "func": make_call, "Anonymous": make_call, "cast": make_cast, "Cast": make_cast,
    "string": make_string, "number": take_first, "build": take_first, "column": make_column,
    "Column": make_column, "to_column": take_first, "to_identifier": take_first,
    "Identifier": take_first, "to_table": take_first, "table_": take_first, "Table": take_first,
    "parse_one": take_first, "maybe_parse": take_first, "condition": take_first, "Var": take_first,
    "var": take_first, "alias_": make_alias, "Alias": make_alias, "Tuple": make_list,
    "Array": make_list, "array": make_list, "tuple_": make_list, "and_": make_joined("AND"),
    "or_": make_joined("OR"), "null": make_word("NULL"), "Null": make_word("NULL"),
    "Case": make_case, "If": make_if, "true": make_word("TRUE"), "false": make_word("FALSE"), "Star": make_word("*"),
}  # fmt: skip
"""Functions and classes of sqlglot that a macro makes expressions with."""


def as_name(text: str) -> str:
    """Return a name as SQL writes it: quoted, if it is more than one word."""
    if NAME.fullmatch(text):
        return text

    return '"' + text.replace('"', '""') + '"'


# -- expressions -----------------------------------------------------------------------------------


def call_method(called: Called) -> Value:
    """column.as_("b"), column.sql(), column.copy(), a.eq(b)"""
    held, first = called.receiver, called.value(0)
    if called.name in ("sql", "__str__"):
        return str(held)

    if called.name in ("copy", "unnest", "transform"):
        return held

    if called.name == "between":
        given = [held, first, called.value(1, "high")]
        return tree_of(given, lambda texts: f"{texts[0]} BETWEEN {texts[1]} AND {texts[2]}")

    if called.name == "as_":
        return tree_of([held, first], lambda texts: f"{texts[0]} AS {as_name(texts[1])}")

    if called.name.upper() in METHOD_SIGNS:
        sign = METHOD_SIGNS[called.name.upper()]
        return tree_of([held, first], lambda texts: f"({texts[0]} {sign} {texts[1]})")

    return Unknown(called.name, "a method of an expression")


METHOD_SIGNS = {**{name.upper(): sign for name, sign in SIGNS.items()}, "AND_": "AND", "OR_": "OR"}


def attribute_of_tree(run: Run, held: Tree, name: str, node: ast.AST) -> Value:
    """column.name, literal.this, call.expressions"""
    if name in ("name", "alias_or_name", "output_name", "this"):
        bare = held.rpartition(" AS ")[2] if name != "this" else str(held)
        return without_quotes(bare)

    if name == "is_string":
        return STRING.fullmatch(held) is not None

    if name == "table" and NAME.fullmatch(held):
        return ".".join(held.split(".")[:-1][-1:])

    if name == "expressions":
        return [held]

    return Method(held, name)


def without_quotes(text: str) -> str:
    """Return the last part of a name, or a literal, without its quotes."""
    if STRING.fullmatch(text):
        return text[1:-1].replace("''", "'")

    if NAME.fullmatch(text):
        return text.rpartition(".")[2].strip('"')

    return text


def attribute_of_trees(run: Run, held: Trees, name: str, node: ast.AST) -> Value:
    """columns.expressions      the members of a tuple"""
    if name == "expressions":
        return list(held)

    return Method(held, name)


def is_instance(held: Value, kinds: Value) -> Value:
    """isinstance(columns, exp.Tuple)      by the text of an expression"""
    several = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(held, (Tree, list)):
        return NOT_TAKEN

    found = [is_of_class(held, kind.name) for kind in several if isinstance(kind, Library)]
    if len(found) < len(several):
        return NOT_TAKEN

    return any(found)


def is_of_class(held: Value, name: str) -> bool:
    """Tell whether an expression is of a class of sqlglot."""
    last = name.rpartition(".")[2]
    if isinstance(held, list):
        return last in ("Tuple", "Array", "Expression", "list", "Paren", "List")

    if last in ("Column", "Identifier", "Table"):
        return NAME.fullmatch(held) is not None and NUMBER.fullmatch(held) is None

    if last == "Literal":
        return bool(STRING.fullmatch(held) or NUMBER.fullmatch(held))

    return last in ("Expression", "Condition")


# -- the evaluator ---------------------------------------------------------------------------------


def ask_evaluator(called: Called) -> Value:
    """evaluator.var("x"), evaluator.columns_to_types("t"), evaluator.parse_one("a + b")"""
    held: Evaluator = called.receiver
    first = called.value(0)
    if called.name in ("var", "blueprint_var"):
        return held.variables.get(str(first).lower(), called.value(1, "default"))

    if called.name == "columns_to_types" and isinstance(first, str):
        columns = held.columns_of(first.strip("'\""))
        if columns:
            return {name: Tree(kind or "TEXT") for name, kind in columns.items()}

    if called.name in ("parse_one", "transform", "eval_expression", "resolve_table"):
        return tree_of([first], lambda texts: texts[0])

    return Unknown(called.name, "what SQLMesh knows when it runs")


@dataclass(frozen=True)
class Evaluator:
    """The first argument of a macro: what it may ask SQLMesh for."""

    attributes: Mapping[str, Value]
    variables: Mapping[str, Value]
    columns_of: Callable[[str], Mapping[str, str]]
    """The columns of a table with their types; none if they are not known."""


def attribute_of_evaluator(run: Run, held: Evaluator, name: str, node: ast.AST) -> Value:
    """evaluator.locals, evaluator.dialect, evaluator.runtime_stage"""
    if name in held.attributes:
        return held.attributes[name]

    return Method(held, name)


ATTRIBUTES[Tree] = attribute_of_tree
ATTRIBUTES[Trees] = attribute_of_trees
ATTRIBUTES[Evaluator] = attribute_of_evaluator
