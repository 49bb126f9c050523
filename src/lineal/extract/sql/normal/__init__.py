"""A normal form of queries: two that share one return the same rows, as bags, over any tables.

    WITH w AS (SELECT id, b FROM t WHERE b > 1) SELECT id FROM w WHERE id < 9
    SELECT id FROM t WHERE id < 9 AND 1 < b

`terms` holds expressions, `query` holds queries, `reader` makes them of a parsed statement,
`rewrite` merges subqueries and moves conditions, and `render` writes the result down without names.
A construct for which no rule is known to be sound raises `Unproven`: the statement then has no
normal form.
"""

from __future__ import annotations

from lineal.extract.sql.normal.statement import Unproven, is_ordered, normal_form

__all__ = ["Unproven", "is_ordered", "normal_form"]
