"""Expressions of Spark's plans: one walk from the outside in, over Spark's own classes.

    walk          the loop; scope: where attributes are looked up; stack: how arguments are pushed
    leaves        attributes, variables, constants, aliases
    casts         CAST, and what the engine casts itself
    conditions    CASE, if, coalesce
    calls         functions by the function table; class_names: what the table calls a class
    replaceable   nvl, left and others of which the engine keeps something else
    aggregates    FILTER, GROUPING, pivots
    windows       OVER, windows of time
    fields        s.y, m['k'], xs[0]; paths: their names; structs: values that know their fields
    refits        what the engine fits to a type
    lambdas       x -> x + 1, functions written in SQL
    subqueries    (SELECT …), EXISTS (…)

A handler is called with a node, the way from the node to the result, and the calls around it.
"""

from __future__ import annotations

from lineal.extract.catalyst.expressions.aggregates import (
    aggregate_expression,
    pivot_first,
    shift_right,
)
from lineal.extract.catalyst.expressions.casts import static_invoke, user_cast
from lineal.extract.catalyst.expressions.class_names import class_function_name
from lineal.extract.catalyst.expressions.conditions import case_when, first_not_null, if_else
from lineal.extract.catalyst.expressions.fields import struct_field
from lineal.extract.catalyst.expressions.lambdas import (
    items_or_entries,
    lambda_function,
    read_items,
    scalar_function,
)
from lineal.extract.catalyst.expressions.leaves import (
    attribute_reference,
    outer_reference,
    pass_through,
    variable_reference,
    without_columns,
)
from lineal.extract.catalyst.expressions.paths import (
    FIELDS,
    is_part,
    is_part_of_column,
    path_from_column,
)
from lineal.extract.catalyst.expressions.scope import Scope
from lineal.extract.catalyst.expressions.structs import (
    lineage_with_parts,
    listed_item,
    zipped_item,
)
from lineal.extract.catalyst.expressions.subqueries import exists_subquery, subquery_value
from lineal.extract.catalyst.expressions.walk import (
    EXPRESSIONS,
    expression_over,
    expressions_over,
    gather,
    influences_of,
)
from lineal.extract.catalyst.expressions.windows import engine_time_window, window_expression

__all__ = [
    "EXPRESSIONS",
    "Scope",
    "class_function_name",
    "expression_over",
    "expressions_over",
    "gather",
    "influences_of",
    "is_part",
    "is_part_of_column",
    "lineage_with_parts",
    "listed_item",
    "path_from_column",
    "zipped_item",
]

SAME_VALUE = (
    "Alias", "MultiAlias", "SortOrder", "KnownNotNull", "KnownNullable", "AssertNotNull", "UpCast", "CheckOverflow",
    "CheckOverflowInTableInsert", "CheckOverflowInTableWrite", "PromotePrecision", "TempResolvedColumn", "Collate",
    "NormalizeNaNAndZero",
)  # fmt: skip
"""a AS b, and what the analyzer adds without changing a value"""

EXPRESSIONS.update(
    {
        **dict.fromkeys(SAME_VALUE, pass_through),
        **dict.fromkeys(FIELDS, struct_field),
        "AttributeReference": attribute_reference,
        "OuterReference": outer_reference,
        "VariableReference": variable_reference,
        "Literal": without_columns,
        "NamedLambdaVariable": without_columns,
        "Cast": user_cast,
        "TryCast": user_cast,
        "AnsiCast": user_cast,
        "CaseWhen": case_when,
        "If": if_else,
        "Coalesce": first_not_null,
        "AggregateExpression": aggregate_expression,
        "PivotFirst": pivot_first,
        "WindowExpression": window_expression,
        "LambdaFunction": lambda_function,
        "PreciseTimestampConversion": engine_time_window,
        "ScalarSubquery": subquery_value,
        "ListQuery": subquery_value,
        "LateralSubquery": subquery_value,
        "Exists": exists_subquery,
        "ShiftRight": shift_right,
        "SQLScalarFunction": scalar_function,
        "StaticInvoke": static_invoke,
        "ArrayTransform": items_or_entries,
        "ArrayExists": read_items,
        "ArrayForAll": read_items,
        "ZipWith": read_items,
        "ArrayAggregate": read_items,
        "MapFromArrays": items_or_entries,
    }
)
