"""Open stars: SELECT * from a table whose columns nobody declares."""

from __future__ import annotations

from functools import partial
from itertools import chain

from lineal.algebra.frame import Frame, answer
from lineal.extract.entries import Definition
from lineal.extract.sql.reading import node_of_unnamed
from lineal.model.consumers import ONLY_READ
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Column, Dataset, Doubt, Edge, Usage
from lineal.model.names import column_key
from lineal.model.way import Confidence, Way
from lineal.resolve.boundary import Boundary
from lineal.resolve.catalog import NameCatalog
from lineal.resolve.edges import Edges
from lineal.resolve.evidence import Evidence
from lineal.resolve.hooks import OutputHooks
from lineal.resolve.shown import ShownNames


class Stars:
    """The stars that stay open, and the columns that use tells of them."""

    def __init__(
        self,
        catalog: NameCatalog,
        evidence: Evidence,
        boundary: Boundary,
        shown: ShownNames,
        hooks: OutputHooks,
    ) -> None:
        self.catalog = catalog
        self.shown = shown
        self.evidence = evidence
        self.boundary = boundary
        self.hooks = hooks
        self.facts = catalog.facts

    def settle(self, edges: Edges) -> None:
        """Close the stars as far as use tells, and report the rest."""
        open_definitions = self.open_definitions()
        if not open_definitions:
            return

        frames = [each.frame for each in chain.from_iterable(open_definitions.values())]
        stars = sum(len(each.stars) for each in frames if each is not None)
        self.boundary.coverage.columns.count(stars, open=stars)
        first = next(chain.from_iterable(open_definitions.values()))
        place = first.reading.statement_near(first.plan.node)
        attempt = self.boundary.attempt
        attempt(partial(self.close_stars, open_definitions, edges), place, "the columns behind *")
        attempt(partial(self.report_open, open_definitions), place, "the report of open stars")

    def open_definitions(self) -> dict[Dataset, list[Definition]]:
        """The statements whose columns are not all known, by what they write."""
        found: dict[Dataset, list[Definition]] = {}
        for definition in self.catalog.order:
            is_silent = definition.hidden or definition.plan.kind in ONLY_READ
            if definition.failure is not None or is_silent:
                continue

            if definition.frame is not None and definition.frame.stars:
                found.setdefault(definition.target, []).append(definition)

        return found

    def close_stars(self, open_definitions: dict[Dataset, list[Definition]], edges: Edges) -> None:
        """Add the edges of columns that are used behind an open star.

        v := SELECT * FROM t, and v.a is used somewhere: then t.a → v.a, as far as use tells
        """
        learnt = self.evidence.learnt_columns()
        waiting = [
            (dataset, key, self.shown.column_name(dataset, name))
            for dataset in open_definitions
            for key, name in learnt.get(dataset, {}).items()
        ]
        while waiting:
            dataset, key, name = waiting.pop()
            for definition in open_definitions.get(dataset, ()):
                assert definition.frame is not None
                if key in definition.frame.index:
                    continue

                try:
                    origins = list(closings(definition.frame, key, name))
                    for origin, way in origins:
                        self.hooks.add_closing(
                            origin, way, Column(dataset, name), definition, edges
                        )
                except Exception as error:
                    self.boundary.fail(definition, error)
                    continue

                for origin, _ in origins:
                    origin_key = column_key(origin.name, self.facts.fold)
                    if origin_key not in learnt.setdefault(origin.dataset, {}):
                        learnt[origin.dataset][origin_key] = origin.name
                        waiting.append((origin.dataset, origin_key, origin.name))

    def report_open(self, open_definitions: dict[Dataset, list[Definition]]) -> None:
        """Report a star whose columns nothing tells.

        SELECT * FROM t, and nothing tells the columns of t: said once, where the first such star
        stands
        """
        # those are open because of what they read themselves
        met: set[Dataset] = set(open_definitions)
        self.boundary.attempt_each(
            partial(self.report_stars_of, met=met), chain.from_iterable(open_definitions.values())
        )

    def report_stars_of(self, definition: Definition, met: set[Dataset]) -> None:
        """Report the stars of one statement whose tables were not met before."""
        assert definition.frame is not None
        for star in (slot.star for slot in definition.frame.stars if slot.star is not None):
            if star.dataset not in met:
                met.add(star.dataset)
                message = open_star_message(star.dataset)
                anchored = node_of_unnamed(definition.plan.query or definition.plan.node)
                self.boundary.report(
                    Diagnostic(Code.OPEN_STAR, message, definition.reading.place_of(anchored))
                )

    def add_closing(
        self, origin: Column, way: Way, target: Column, definition: Definition, edges: Edges
    ) -> None:
        """Add an edge for one column behind a star.

        t.a → v.a, as doubtful as it is which star the column stands behind
        """
        assert definition.frame is not None
        several = len(definition.frame.stars) > 1
        level = Confidence.LOW if several else Confidence.MEDIUM
        doubt = Doubt(level, several, f"`{target.name}` is known only from its use")
        usage = Usage(way, doubt, (definition.plan.query, None, None, doubt), definition.reading)
        edges.add(target.dataset, [Edge(origin, target, (usage,))])


def open_star_message(dataset: Dataset) -> str:
    """Say that nothing tells the columns of a dataset."""
    return f"the columns of '{dataset}' are not known: * stays open"


def closings(frame: Frame, key: str, name: str) -> list[tuple[Column, Way]]:
    """The columns that a name may be, behind the stars of a frame."""
    found = [answer(slot.star, name, key) for slot in frame.stars if slot.star is not None]
    return [influence for slot in found if slot is not None for influence in slot.lineage]
