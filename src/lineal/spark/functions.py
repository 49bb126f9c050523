"""SQL functions of a project as Spark declares them."""

from __future__ import annotations

from typing import Any

from lineal.extract.sql.translate import SPOKEN, statement, type_name
from lineal.model.script import Function
from lineal.spark.names import column, quote_name


def head_and_body(function: Function, dialect: str, kind: str) -> tuple[str, str]:
    """CREATE FUNCTION f(a DOUBLE) RETURNS DOUBLE RETURN ⏎ a / 2      the head and the body"""
    parameters = _parameter_list(zip(function.parameters, function.types, strict=True), dialect)
    if function.table:
        returns = f" RETURNS TABLE({_parameter_list([(each.name, each.type) for each in function.columns], dialect)})"
    else:
        returns = f" RETURNS {type_name(function.returns, dialect)}" if function.returns else ""

    head = f"CREATE OR REPLACE {kind}FUNCTION {quote_name(function.name)}({parameters}){returns} RETURN\n"
    return head, _body(function)


def _parameter_list(pairs: Any, dialect: str) -> str:
    """Return the parameters of a function in Spark's SQL."""
    return ", ".join(
        f"{column(name)} {type_name(type_, dialect) if type_ else 'STRING'}"
        for name, type_ in pairs
    )


def _body(function: Function) -> str:
    """RETURN a / b, SELECT a / b, a / b; blanks keep the lines where they are."""
    text = function.body.text.rstrip().rstrip(";")
    lead = len(text) - len(text.lstrip())
    if text[lead : lead + 7].lower() in ("return ", "return\n"):
        text = text[:lead] + " " * 6 + text[lead + 6 :]

    scalar_query = (
        not function.table
        and text.split(None, 1)[:1]
        and text.split(None, 1)[0].lower() in ("select", "with")
    )
    if function.body.dialect.lower() not in SPOKEN:
        text = _translate_body(text, function)

    if scalar_query:
        return f"({text})"

    return text


def _translate_body(text: str, function: Function) -> str:
    """Return the body of a function in Spark's SQL."""
    if function.table or text.split(None, 1)[0].lower() in ("select", "with"):
        return statement(text, function.body.dialect)

    return statement(f"SELECT {text}", function.body.dialect).strip()[len("SELECT") :]
