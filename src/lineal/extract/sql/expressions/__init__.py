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
    combined,
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
    carried,
    item_of,
    struct_of,
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
    assigned,
    binary,
    column,
    connector,
    expression_in,
    gather,
    handler_for,
    inside,
    nothing,
    operator,
    star,
    through,
    value_of,
)
from lineal.extract.sql.expressions.windows import (
    filtered,
    ordered,
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
    "carried",
    "expression_in",
    "function",
    "function_name",
    "gather",
    "handler_for",
    "inside",
    "item_of",
    "listed_row",
    "operator",
    "struct_of",
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
        exp.Filter: filtered,
        exp.Order: ordered,
        exp.Ordered: inside,
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
        exp.CombinedAggFunc: combined,
        exp.CombinedParameterizedAgg: combined,
        **dict.fromkeys(PATHS, part),
        exp.Dot: dot,
        exp.Paren: inside,
        exp.DynamicIdentifier: dynamic_identifier,
        exp.Alias: inside,
        exp.Aliases: inside,
        exp.IgnoreNulls: inside,
        exp.RespectNulls: inside,
        exp.Distinct: through,
        exp.PropertyEQ: assigned,
        exp.Kwarg: assigned,
        exp.Literal: nothing,
        exp.Identifier: nothing,
        exp.Var: nothing,
        exp.Null: nothing,
        exp.Boolean: nothing,
        exp.DataType: nothing,
        exp.Placeholder: placeholder,
        exp.Parameter: parameter,
        exp.SessionParameter: nothing,
        exp.NextValueFor: nothing,
        exp.JSONPath: nothing,
    }
)

FAMILIES.update(
    {
        exp.Connector: connector,
        exp.Cast: operator,
        exp.Func: function,
        exp.Binary: binary,
        exp.Expr: operator,
        object: nothing,  # ISNULL(), DATEPART(a): an operand that is missing
    }
)
