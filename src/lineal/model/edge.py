"""Datasets, columns, and the edges between them."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from lineal.model import names
from lineal.model.diagnostic import Place
from lineal.model.redaction import redact_text
from lineal.model.way import Clause, Confidence, How, Way


class Dataset(NamedTuple):
    """A table, view, model, seed, source, file, function or parameter."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return self.name


class Column(NamedTuple):
    """A column of a dataset; a nested field keeps its path. The name `*` is an open star."""

    dataset: Dataset
    name: str
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((self.dataset.name, self.name, *self.path))


class Doubt(NamedTuple):
    """Why an influence is less than certain."""

    level: Confidence
    ambiguous: bool
    evidence: str


Call = str | tuple[str, ...]
"""A function or operator, or a macro or function with the calls that its body makes: ("cents",
"divide").
"""

Calls = tuple[Call, ...]
"""The calls around a column, from the outermost inwards."""


class Reader(Protocol):
    """Looks up, when a view asks, what an extraction only pointed at."""

    @property
    def level(self) -> Confidence:
        """How sure the engine is of what it does not doubt."""
        ...

    def place(self, trail: Any) -> Place | None:
        """Return the place that a trail leads to."""
        ...

    def expression(self, trail: Any) -> str:
        """Return the text of the expression that a trail leads to."""
        ...

    def calls(self, trail: Any) -> Calls:
        """Return the calls around the column that a trail leads to."""
        ...

    def report_failure(self, error: Exception, trail: Any) -> None:
        """A look-up has failed: report it for the statement that the trail belongs to, or raise it
        again.
        """
        ...


class Usage(NamedTuple):
    """One way in which a target depends on a source column."""

    way: Way
    doubt: Doubt | None
    trail: Any
    reader: Reader

    @property
    def how(self) -> How:
        """Return the usage of the column."""
        return self.way.how

    @property
    def clause(self) -> Clause:
        """Return the clause that names the column."""
        return self.way.clause

    @property
    def masked(self) -> bool:
        """Tell whether the value can no longer be recovered."""
        return self.way.masked

    @property
    def level(self) -> Confidence:
        """Return how certain the usage is."""
        return self.doubt.level if self.doubt is not None else self.reader.level

    @property
    def place(self) -> Place | None:
        """Return the place that names the column."""
        try:
            return self.reader.place(self.trail)
        except Exception as error:
            self.reader.report_failure(error, self.trail)
            return None

    @property
    def expression(self) -> str:
        """Return the text of the expression that names the column."""
        try:
            return redact_text(self.reader.expression(self.trail))
        except Exception as error:
            self.reader.report_failure(error, self.trail)
            return ""

    @property
    def path(self) -> Calls:
        """The calls around the column; a macro, and a function whose body is known, with the calls
        of its body.
        """
        try:
            return self.reader.calls(self.trail)
        except Exception as error:
            self.reader.report_failure(error, self.trail)
            return ()

    @property
    def calls(self) -> tuple[str, ...]:
        """Everything that is done to the column: of a macro or function the calls of its body."""
        return open_calls(self.path)

    @property
    def transform(self) -> str:
        """The calls as they are written: `coalesce+sum`, `cents_to_dollars`; `direct` for a column
        taken as it is.
        """
        return "+".join(outer_calls(self.path)) or "direct"

    def __reduce__(self) -> tuple[object, ...]:
        site = Site(self.place, self.expression, self.path, self.reader.level)
        return Usage, (self.way, self.doubt, None, site)


class Site(NamedTuple):
    """A usage's place, text and calls once they have been looked up: what travels between
    processes.
    """

    at: Place | None
    text: str
    path: Calls
    level: Confidence = Confidence.HIGH

    def place(self, trail: Any) -> Place | None:
        """Return the place of the site."""
        return self.at

    def expression(self, trail: Any) -> str:
        """Return the text of the site."""
        return self.text

    def calls(self, trail: Any) -> Calls:
        """Return the calls of the site."""
        return self.path

    def report_failure(self, error: Exception, trail: Any) -> None:
        """Raise the error: a site has no statement to report it for."""
        raise error


def outer_calls(path: Calls) -> tuple[str, ...]:
    """Return the calls that the statement writes: ("coalesce", ("cents", "divide")) is coalesce and
    cents.
    """
    return tuple(call if isinstance(call, str) else call[0] for call in path)


def open_calls(path: Calls) -> tuple[str, ...]:
    """Return the calls that are made: ("coalesce", ("cents", "divide")) is coalesce and divide."""
    found: list[str] = []
    for call in path:
        if isinstance(call, str):
            found.append(call)
        else:
            found.extend(call[1:])

    return tuple(found)


BASE_SCORE = {"direct": 0.95, "aggregation": 0.90, "window_function": 0.85, "expression": 0.80}
INDIRECT_SCORE = 0.75


def dataset_of(at: Column | Dataset) -> Dataset:
    """Return the dataset that an end of an edge belongs to, or is."""
    return at.dataset if isinstance(at, Column) else at


class Edge(NamedTuple):
    """source → target with its usages: field level into a column, dataset level into a dataset."""

    source: Column
    target: Column | Dataset
    usages: tuple[Usage, ...]

    @property
    def field_level(self) -> bool:
        """Tell whether the edge leads into a column rather than into a dataset."""
        return len(self.target) == 3

    @property
    def into(self) -> Dataset:
        """The dataset that this edge leads into."""
        return self.target.dataset if isinstance(self.target, Column) else self.target

    @property
    def file(self) -> str:
        """The file of the place; '' if there is none."""
        return self.place.file if self.place is not None else ""

    @property
    def kind(self) -> str:
        """copy, rename, transform or inspect."""
        target = self.target
        if not isinstance(target, Column):
            return "inspect"

        for usage in self.usages:
            if usage.way.how is not How.IDENTITY:
                return "transform"

        return "copy" if names.is_same_name(self.source.name, target.name) else "rename"

    @property
    def transformation_type(self) -> str:
        """direct, window_function, aggregation or expression."""
        found = "direct"
        for usage in self.usages:
            way = usage.way
            if way.windowed:
                return "window_function"

            if way.how is How.AGGREGATION:
                found = "aggregation"
            elif way.how is not How.IDENTITY and found == "direct":
                found = "expression"

        return found

    @property
    def level(self) -> Confidence:
        """The least certain of the usages."""
        lowest = Confidence.EXACT
        for usage in self.usages:
            level = usage.doubt.level if usage.doubt is not None else usage.reader.level
            if level is not lowest and level < lowest:
                lowest = level

        return lowest

    @property
    def score(self) -> float:
        """Return a figure from 0 to 1 for how strong and how certain the edge is."""
        level = self.level
        if level is Confidence.EXACT:
            return 1.0

        base = INDIRECT_SCORE
        for usage in self.usages:
            if usage.way.direct:
                base = BASE_SCORE[self.transformation_type]
                break

        return base if level is Confidence.HIGH else round(base * level.factor, 4)

    @property
    def ambiguous(self) -> bool:
        """Tell whether any usage may mean another column."""
        return any(usage.doubt is not None and usage.doubt.ambiguous for usage in self.usages)

    @property
    def masked(self) -> bool:
        """A pair is masked only if every path between the two is."""
        return all(usage.way.masked for usage in self.usages)

    @property
    def used_in(self) -> tuple[str, ...]:
        """Return the clauses that name the source, in the order of a statement."""
        present = {usage.way.clause for usage in self.usages}
        return tuple(clause.value for clause in Clause if clause in present)

    @property
    def place(self) -> Place | None:
        """Return the first place that names the source."""
        return next((usage.place for usage in self.usages if usage.place), None)

    def __str__(self) -> str:
        arrow = "->" if self.field_level else "=>"
        return f"{self.source} {arrow} {self.target}  {', '.join(sorted({u.how.value for u in self.usages}))}"


class Read(NamedTuple):
    """A statement names a dataset, or a column of it, in a clause.

    SQL has one for each clause that names a column, with the first place; a program has one for
    each place.
    """

    target: Dataset
    dataset: Dataset
    column: str | None
    clause: Clause
    place: Place | None
    aggregated: bool = False
    """of a program: it is in an aggregate there"""
    from_variable: bool = False
    """of a program: a variable holds its name there"""

    @property
    def file(self) -> str:
        """The file of the place; '' if there is none."""
        return self.place.file if self.place is not None else ""
