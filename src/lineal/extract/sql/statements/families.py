"""Every family of statements: with them the table of planners is full."""

from __future__ import annotations

from lineal.extract.sql.statements import (
    alter,
    change,
    command,
    copy,
    create,
    generated,
    insert,
    left_out,
    returning,
    select,
    use,
)
from lineal.extract.sql.statements.planning import ADDITIONS, PLANNERS, plan_of

__all__ = ["PLANNERS", "plan_of"]

for family in (select, create, insert, change, alter, copy, use, command):
    PLANNERS.update(family.PLANNERS)

ADDITIONS += [generated.with_generated, returning.with_others, left_out.less_certain]
