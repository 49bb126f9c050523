"""Summaries: what a function's value is made of, found once and put into every call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, absorb, pour
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.procedural.values import PARAMETERS, values_of
from lineal.extract.sql.reading import Body
from lineal.extract.sql.sources import field_of

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.pieces import Routine
    from lineal.model.names import Fold


class Summary:
    """The lineage of a function's value, in terms of its parameters and of what its body reads."""

    __slots__ = ("columns", "evaluation", "function", "lineage")

    def __init__(self, function: Routine, evaluation: Evaluation) -> None:
        """Gather the lineage of everything that a function returns."""
        self.function = function
        self.evaluation = evaluation
        self.lineage: Lineage = {}
        values = values_of(function.body, evaluation.catalog, True)
        for returned in function.returns:
            frame = values.frame_of(returned, evaluation)
            for slot in frame.slots:
                absorb(slot.lineage, self.lineage)

            absorb(frame.rows, self.lineage)

        self.lineage = values.symbols.follow_for(self.lineage, evaluation)
        self.columns: list[Lineage] = []
        """the share of the parameters in each column of a table function"""
        for returned in function.rows:
            for position, slot in enumerate(values.frame_of(returned, evaluation).slots):
                if position == len(self.columns):
                    self.columns.append({})

                followed = values.symbols.follow_for(slot.lineage, evaluation)
                absorb(parameters_in(followed), self.columns[position])

    def bind(self, given: list[exp.Expr], fold: Fold) -> Iterator[tuple[int, exp.Expr]]:
        """Bind the arguments of a call to parameters.

        f(a, p => b)      which parameter each argument is for
        """
        names = {parameter.key.lstrip("@"): i for i, parameter in enumerate(self.function.inputs)}
        for position, argument in enumerate(given):
            if isinstance(argument, (exp.Kwarg, exp.PropertyEQ)):
                position = names.get(fold(argument.this.name, False), position)
                argument = argument.args["expression"]

            yield position, argument

    def lineage_of_call(self, values: dict[int, Lineage]) -> Lineage:
        """Return the lineage of a call: each parameter is replaced by its argument."""
        return put_arguments(self.lineage, values)

    def given_to(self, position: int, values: dict[int, Lineage]) -> Lineage:
        """Return the lineage that the arguments of a call give to a column of a table function."""
        return put_arguments(self.columns[position], values) if self.columns[position:] else {}


def parameters_in(lineage: Lineage) -> Lineage:
    """The influences of parameters alone."""
    return {key: trail for key, trail in lineage.items() if key[0].dataset == PARAMETERS}


def put_arguments(lineage: Lineage, values: dict[int, Lineage]) -> Lineage:
    """A lineage with the argument of a call in place of each parameter."""
    found: Lineage = {}
    for (origin, way), trail in lineage.items():
        _, calls, _, doubt = trail or NO_TRAIL
        if origin.dataset != PARAMETERS:
            absorb({(origin, way): (None, Body(None, to_the_end=True), trail, doubt)}, found)
            continue

        argument = values.get(int(origin.name), {})
        if origin.path:
            argument = field_of(Slot("", "", argument), list(origin.path), None).lineage  # type: ignore[arg-type]

        around = Body(calls) if calls is not None else None
        pour(argument, way, found, None, around)

    return found


NO_TRAIL = (None, None, None, None)
"""Where a lineage came from that has lost its way."""
