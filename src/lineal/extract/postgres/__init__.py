"""PostgreSQL's plans: from what EXPLAIN (VERBOSE, FORMAT JSON) prints to the origins of every
output column.

    value_flow(plan, shapes, relations)      what flows into each output, and what the plan does not
    tell

A plan speaks of values only: which rows there are is the planner's business, and what it has proved
away is gone. Its expressions are SQL, and are walked as such.
"""

from lineal.extract.postgres.plan import Output, ValueFlow, value_flow
from lineal.extract.postgres.shapes import Shapes

__all__ = ["Output", "Shapes", "ValueFlow", "value_flow"]
