"""Clauses that decide rows: one row of this table for each, with the usage that every column in it
has.

    WHERE a > 1      a => target  FILTER

A front end takes the way of a clause from here, so that a clause means the same in SQL text, in a
DataFrame and in a plan.
"""

from __future__ import annotations

from lineal.algebra.expression import decides
from lineal.model.way import Clause, How

FILTERS = decides(How.FILTER, Clause.WHERE)
"""WHERE a > 1, df.filter(a > 1), DELETE … WHERE a > 1, MERGE … WHEN MATCHED AND a > 1"""
HAVING = decides(How.FILTER, Clause.HAVING)
"""HAVING sum(a) > 1"""
QUALIFY = decides(How.FILTER, Clause.QUALIFY)
"""QUALIFY row_number() OVER (ORDER BY a) = 1"""
LIMITS = decides(How.FILTER, Clause.LIMIT)
"""LIMIT (SELECT max(a) FROM t)"""
LIMIT_BY = decides(How.GROUP_BY, Clause.LIMIT)
"""LIMIT 1 BY a      one row for each a"""

JOINS = decides(How.JOIN, Clause.JOIN_ON)
"""a JOIN b ON a.id = b.id, MERGE … ON t.id = s.id"""
USING = decides(How.JOIN, Clause.USING)
"""a JOIN b USING (id), df.join(other, "id")"""
NATURAL = decides(How.JOIN, Clause.NATURAL)
"""a NATURAL JOIN b"""
LATERAL = decides(How.JOIN, Clause.LATERAL)
"""LATERAL VIEW explode(xs), UNNEST(xs)      xs decides how many rows there are"""

GROUPS = decides(How.GROUP_BY, Clause.GROUP_BY)
"""GROUP BY a, df.groupBy("a")"""
DISTINCT = decides(How.GROUP_BY, Clause.DISTINCT)
"""SELECT DISTINCT a      every column of the result is compared"""
DISTINCT_ON = decides(How.GROUP_BY, Clause.DISTINCT_ON)
"""DISTINCT ON (a), df.dropDuplicates(["a"])"""
SORTS = decides(How.SORT, Clause.ORDER_BY)
"""ORDER BY a"""

UNION_COMPARES = decides(How.GROUP_BY, Clause.UNION)
"""a UNION b      every column of both is compared"""
INTERSECT_COMPARES = decides(How.FILTER, Clause.INTERSECT)
"""a INTERSECT b"""
EXCEPT_COMPARES = decides(How.FILTER, Clause.EXCEPT)
"""a EXCEPT b"""

PIVOT_DECIDES = decides(How.CONDITIONAL, Clause.PIVOT)
"""PIVOT (sum(a) FOR kind IN ('x'))      kind decides which value goes where"""
PIVOT_KEYS = decides(How.GROUP_BY, Clause.PIVOT)
"""PIVOT (sum(a) FOR kind IN ('x'))      the columns that it does not name are keys"""
UNPIVOT_DROPS = decides(How.FILTER, Clause.PIVOT)
"""UNPIVOT (v FOR n IN (a, b))      a row whose value is NULL is dropped"""

MATCH_KEYS = decides(How.WINDOW, Clause.MATCH)
"""MATCH_RECOGNIZE (PARTITION BY a ORDER BY b …)"""
MATCH_CONDITIONS = decides(How.FILTER, Clause.MATCH)
"""MATCH_RECOGNIZE (… DEFINE y AS d > 0)"""
