"""Pieces: the parts of procedural code. SQL statements, each with its moment, and the routines that
hold them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from lineal.algebra.frame import Frame
from lineal.algebra.relation import rename
from lineal.extract.sql.procedural.flow import Assignment, Body, Moment
from lineal.extract.sql.statements.steps import Dropped, Emptied, Plan
from lineal.model.diagnostic import Diagnostic, Place


@dataclass(slots=True)
class Target:
    """RETURN QUERY SELECT …

    what a query without a name of its own defines: the result of a routine
    """

    name: str
    key: str
    columns: list[tuple[str, str]] = field(default_factory=list)
    first: bool = True
    """the first one decides the columns, the others are matched by position"""
    row_type: str = ""
    """the type of its rows, whose fields name the columns"""


@dataclass(slots=True)
class Piece:
    """A SQL statement inside procedural code."""

    tree: exp.Expr
    moment: Moment
    target: Target | None = None
    position: int = 0
    """how many steps of the script come before it"""
    result: int = 0
    """of a result set of a procedure: its number, from 1"""
    sets_row: bool = False
    """NEW.a := …"""

    def place_step(self, step: Any) -> Any:
        """Tell a step its moment; of a DROP only the branches around it count."""
        if isinstance(step, Plan):
            self.place_plan(step)
        elif isinstance(step, (Dropped, Emptied)):
            return step._replace(arms=self.moment.arms)

        return step

    def place_plan(self, plan: Plan) -> None:
        """Tell a plan its moment, and what it defines if it has no name of its own."""
        plan.moment = self.moment
        plan.sets_row = self.sets_row
        plan.temporary = plan.temporary or plan.name.startswith("@")
        target = self.target
        if target is not None and (not plan.name or plan.schema is not None):
            plan.name, plan.key, plan.kind = target.name, target.key, "function"
            plan.columns = target.columns
            plan.defines = target.first
            plan.positional = not target.first and not plan.columns
            if target.row_type and not plan.columns:
                plan.after = partial(name_by_type, target.row_type)


def name_by_type(row_type: str, frame: Frame, evaluation: Any, ctes: Any) -> Frame:
    """PIPE ROW (row_t(a, b))      the fields of row_t, which another script declares"""
    fields = evaluation.catalog.row_type(row_type)
    if len(fields) != len(frame.slots):
        return frame

    fold = evaluation.fold
    return rename(frame, [(info.name, fold(info.name, info.quoted)) for info in fields])


@dataclass(slots=True)
class Trigger:
    """CREATE TRIGGER g … ON t … EXECUTE FUNCTION f()"""

    function: str
    """the key of f"""
    row: Assignment
    """SELECT * FROM t"""
    tables: tuple[str, ...] = ()
    """REFERENCING NEW TABLE AS n: the keys of names that stand for rows of t"""
    before: bool = False
    """BEFORE INSERT: what it sets in NEW is written into t"""


@dataclass(slots=True)
class Parameter:
    """f(a INT), f(OUT b INT)"""

    name: str
    key: str
    type: str = ""
    """the name of a type that may be a row's"""
    default: list[Token] | None = None
    out: bool = False
    back: bool = False
    """OUT, INOUT, OUTPUT: a call gives its value back"""


@dataclass(slots=True)
class Routine:
    """CREATE FUNCTION f(a INT) …, CREATE PROCEDURE p …"""

    name: str
    key: str
    function: bool
    body: Body
    parameters: list[Parameter] = field(default_factory=list)
    table: bool = False
    columns: list[tuple[str, str]] = field(default_factory=list)
    shape: str = ""
    """RETURNS place, RETURNS SETOF customers: the type of the result, whose fields are its
    columns
    """
    row_type: str = ""
    """PIPE ROW (row_t(a, b)): row_t, if the script does not declare it"""
    result: str = ""
    """RETURNS @t TABLE (…): the variable that holds the result"""
    returns: list[Assignment] = field(default_factory=list)
    selects: list[Piece] = field(default_factory=list)
    rows: list[Assignment] = field(default_factory=list)
    """the queries of a table function, for what a call puts into its columns"""
    gives_back: dict[str, Routine] = field(default_factory=dict)
    """p(OUT a INT): what a procedure leaves in its parameters, as functions by their keys"""
    language: str = ""

    @property
    def inputs(self) -> list[Parameter]:
        """The parameters that a call gives."""
        return [parameter for parameter in self.parameters if not parameter.out]

    @property
    def outputs(self) -> list[Parameter]:
        """Return the output parameters.

        f(OUT b INT)      the parameters that are given back
        """
        return [parameter for parameter in self.parameters if parameter.out]


@dataclass(slots=True)
class Found:
    """Everything that a script holds."""

    pieces: dict[int, Piece] = field(default_factory=dict)
    functions: list[Routine] = field(default_factory=list)
    triggers: list[Trigger] = field(default_factory=list)
    procedures: set[str] = field(default_factory=set)
    bodies: list[Routine] = field(default_factory=list)
    """the procedures, for what calls of them leave in variables"""
    calls: list[tuple[str, Place]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def place(self, tree: exp.Expr, steps: Any, position: int) -> Any:
        """Tell what a statement does at which moment of its procedure."""
        piece = self.pieces[id(tree)]
        piece.position = position
        if isinstance(steps, list):
            return list(map(piece.place_step, steps))

        return piece.place_step(steps)
