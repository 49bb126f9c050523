"""Expressions: one walk from the outside in, one handler per construct that is more than an
operator.

    walk          the loop, operators, and the plain leaves
    leaves        parameters, placeholders, names in texts
    conditions    CASE, IF, NULLIF, DECODE, ANY
    calls         functions by their role; rows: their rows in the function table;
                  bodies: functions whose body is known; date_parts: words among the arguments
    windows       FILTER, WITHIN GROUP, OVER
    subqueries    subqueries, EXISTS, lambdas
    parts         fields and items; structs: values that know their fields;
                  returned_rows: columns of the rows that functions give

A handler is called with a node, the way from the node to the result, and the calls around it.
"""

from __future__ import annotations

from sqlglot import exp

from lineal.extract.sql.expressions.calls import (
    ROLES,
    columns,
    conditional_aggregate,
    function,
    higher_order,
    named_call,
)
from lineal.extract.sql.expressions.conditions import any_, case, decode, if_, nullif, range_n
from lineal.extract.sql.expressions.lambdas import HIGHER_ORDER, comprehension, lambda_
from lineal.extract.sql.expressions.leaves import (
    dynamic_identifier,
    extract,
    parameter,
    placeholder,
    remainder,
)
from lineal.extract.sql.expressions.parts import dot, part
from lineal.extract.sql.expressions.rows import function_name, listed_row
from lineal.extract.sql.expressions.structs import (
    CARRYING_AGGREGATES,
    item_of,
    keep_own_part,
    struct_of,
    struct_passed_on,
    zipped_item,
)
from lineal.extract.sql.expressions.subqueries import exists, subquery
from lineal.extract.sql.expressions.walk import (
    FAMILIES,
    HANDLERS,
    Calls,
    Handler,
    Stack,
    Visit,
    binary,
    column,
    connector,
    expression_in,
    gather,
    handler_for,
    named_argument,
    operator,
    pass_children,
    pass_only_child,
    star,
    value_of,
    without_columns,
)
from lineal.extract.sql.expressions.windows import (
    filter_clause,
    order_in_aggregate,
    window,
    window_keys,
    within_group,
)
from lineal.extract.sql.paths import PATHS

__all__ = [
    "CARRYING_AGGREGATES",
    "HANDLERS",
    "ROLES",
    "Calls",
    "Handler",
    "Stack",
    "Visit",
    "binary",
    "expression_in",
    "function",
    "function_name",
    "gather",
    "handler_for",
    "inside",
    "item_of",
    "keep_own_part",
    "listed_row",
    "operator",
    "struct_of",
    "struct_passed_on",
    "through",
    "value_of",
    "window_keys",
    "zipped_item",
]

HANDLERS.update(
    {
        exp.Column: column,
        exp.Star: star,
        exp.Case: case,
        exp.If: if_,
        exp.Nvl2: if_,
        exp.Coalesce: function,
        exp.Nullif: nullif,
        exp.DecodeCase: decode,
        exp.RangeN: range_n,
        exp.Filter: filter_clause,
        exp.Order: order_in_aggregate,
        exp.Ordered: pass_only_child,
        exp.WithinGroup: within_group,
        exp.Window: window,
        exp.Subquery: subquery,
        exp.Select: subquery,
        exp.Union: subquery,
        exp.Intersect: subquery,
        exp.Except: subquery,
        exp.Insert: subquery,
        exp.Update: subquery,
        exp.Delete: subquery,
        exp.Merge: subquery,
        exp.Exists: exists,
        exp.Any: any_,
        exp.Mod: remainder,
        exp.Lambda: lambda_,
        **dict.fromkeys(HIGHER_ORDER, higher_order),
        exp.Comprehension: comprehension,
        exp.Columns: columns,
        exp.Extract: extract,
        exp.Anonymous: named_call,
        exp.CombinedAggFunc: conditional_aggregate,
        exp.CombinedParameterizedAgg: conditional_aggregate,
        **dict.fromkeys(PATHS, part),
        exp.Dot: dot,
        exp.Paren: pass_only_child,
        exp.DynamicIdentifier: dynamic_identifier,
        exp.Alias: pass_only_child,
        exp.Aliases: pass_only_child,
        exp.IgnoreNulls: pass_only_child,
        exp.RespectNulls: pass_only_child,
        exp.Distinct: pass_children,
        exp.PropertyEQ: named_argument,
        exp.Kwarg: named_argument,
        exp.Literal: without_columns,
        exp.Identifier: without_columns,
        exp.Var: without_columns,
        exp.Null: without_columns,
        exp.Boolean: without_columns,
        exp.DataType: without_columns,
        exp.Placeholder: placeholder,
        exp.Parameter: parameter,
        exp.SessionParameter: without_columns,
        exp.NextValueFor: without_columns,
        exp.JSONPath: without_columns,
    }
)

FAMILIES.update(
    {
        exp.Connector: connector,
        exp.Cast: operator,
        exp.Func: function,
        exp.Binary: binary,
        exp.Expr: operator,
        object: without_columns,  # ISNULL(), DATEPART(a): an operand that is missing
    }
)
