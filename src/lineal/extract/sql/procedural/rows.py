"""Variables that hold a row: r.a, r.*, NEW.a.

FOR r IN SELECT a, b FROM t LOOP INSERT INTO u VALUES (r.*); END LOOP
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lineal.algebra.frame import Frame, PatternColumns, Slot, Star, star_slot
from lineal.algebra.lineage import NOTHING
from lineal.algebra.relation import one_row, row_fields, take_row
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.sources import Source, field_of
from lineal.model.edge import Dataset

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.values import Locals


class Records(dict[str, Source]):
    """r.a      a variable that holds a row is looked up like a source"""

    def __init__(self, scope: Locals) -> None:
        """Look records up among the variables of a body."""
        self.scope = scope

    def get(self, key: str, default: Any = None) -> Any:
        """The row that a variable holds, as a source; `default` for any other name."""
        body = self.scope.moment.body
        if key not in body.names:
            if key and key == body.owner:
                return own_parameters(self.scope)

            # MySQL's and BigQuery's tables know upper and lower case, their variables do not
            key = key.lower()
            if key not in body.names:
                return default

        return self.row(key)

    def row(self, key: str) -> Source:
        """The row that a variable holds; one that no trigger tells is reported."""
        scope = self.scope
        frame = scope.values.at(key, scope.moment, scope.evaluation)
        lacks_trigger = scope.values.lacks_trigger(key, scope.moment)
        if lacks_trigger:
            scope.report_unknown_row()

        if lacks_trigger or not frame.slots:
            return UnknownRow(scope.evaluation, row_fields(frame.slots, frame.rows), lacks_trigger)

        whole = scope.values.untyped_parameter(key, scope.moment, frame)
        if whole is not None:
            return ParameterRow(whole, frame)

        return Row(key, frame, scope)


class Row(Source):
    """A variable that holds a row: its fields by name, and all of them in order."""

    __slots__ = ("held", "scope")

    def __init__(self, key: str, frame: Frame, scope: Locals) -> None:
        """Hold the row of a record variable as a source."""
        super().__init__(key, key, take_row(frame))
        self.held = frame
        self.scope = scope

    @property
    def row_slots(self) -> Sequence[Slot]:
        """Return the columns of a row variable.

        SELECT r.*, VALUES (r.*)
        """
        scope = self.scope
        listed = scope.values.row(self.alias, scope.moment, scope.evaluation)
        return row_fields(listed, self.held.rows)


class ParameterRow(Source):
    """A parameter whose type is not known: each of its fields comes from what the caller gives."""

    __slots__ = ()

    def __init__(self, whole: Slot, frame: Frame) -> None:
        """Hold a parameter as a source."""
        super().__init__("", "", one_row())
        self.index = FieldsOfParameter(whole, frame)


class FieldsOfParameter(dict[str, Slot]):
    """p.a      a field of a parameter, whatever it is called"""

    def __init__(self, whole: Slot, frame: Frame) -> None:
        """Index the fields that were set, by their keys."""
        self.whole = whole
        self.known = {slot.key: slot for slot in frame.slots if slot is not whole}

    def get(self, key: str, default: object = None) -> Slot:
        """A field: as it was set, or a part of what the caller gives."""
        return self.known.get(key) or field_of(self.whole, [key], exp.Star())._replace(key=key)


class UnknownRow(Source):
    """A record of which only the fields that were set are known: any other has no lineage, and r.*
    stays open.
    """

    __slots__ = ("counts", "evaluation")

    def __init__(self, evaluation: Evaluation, known: list[Slot], counts: bool) -> None:
        """Hold a record whose columns are not all known."""
        super().__init__("", "", one_row())
        self.evaluation = evaluation
        self.counts = counts
        self.index = Anything(self, known)

    @property
    def row_slots(self) -> Sequence[Slot]:
        """Return the columns of a record that is not known.

        SELECT r.*      open: nobody knows the fields
        """
        self.evaluation.references += self.counts
        self.count_unresolved()
        return [star_slot(Star(Dataset("", "<dynamic>"), made=PatternColumns({}, "", "")))]

    def count_unresolved(self) -> None:
        """Count a field that no trigger fills as missing lineage; a variable without values has
        none.
        """
        self.evaluation.unresolved += self.counts


class Anything(dict[str, Slot]):
    """NEW.a in a trigger's function      a field of a record that is not known: no lineage"""

    def __init__(self, row: UnknownRow, known: list[Slot]) -> None:
        """Index the known columns; a name that is not among them is made up as it is asked for."""
        self.row = row
        self.known = {slot.key: slot for slot in known}

    def get(self, key: str, default: object = None) -> Slot:
        """A field; without lineage, if it was not set."""
        self.row.count_unresolved()
        return self.known.get(key) or Slot(key, key, NOTHING)


class Parameters(dict[str, Slot]):
    """f.a in the body of f      its parameter a"""

    def __init__(self, scope: Locals) -> None:
        """Look parameters up among the variables of a body."""
        self.scope = scope

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of a name."""
        return self.scope.variable(key, key) or default


def own_parameters(scope: Locals) -> Source:
    """Return the parameters of a function as a source.

    f.a in the body of f      f, as a source
    """
    source = Source("", "", one_row())
    source.index = Parameters(scope)
    return source
