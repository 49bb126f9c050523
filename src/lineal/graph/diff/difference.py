"""The result of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from lineal.graph.diff.causes import Finding, Restyled
from lineal.graph.diff.compare import Detail, EdgeChange, edges_of_one
from lineal.graph.diff.pairs import Pairs
from lineal.model.ledger import Coverage
from lineal.model.policy import Level
from lineal.model.sequences import flatten


@dataclass(frozen=True)
class Difference:
    """The findings of a comparison, and every column and edge that changed."""

    pairs: Pairs
    findings: tuple[Finding, ...]
    notes: tuple[Detail, ...]
    restyled: tuple[Restyled, ...]

    @property
    def verdict(self) -> Level:
        """Return the highest level of all findings."""
        return max((finding.level for finding in self.findings), default=Level.SAFE)

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing differs."""
        return not (self.findings or self.notes or self.restyled)

    @property
    def coverage(self) -> tuple[Coverage, Coverage]:
        """Return the coverage of both sides."""
        return self.pairs.base.graph.extraction.coverage, self.pairs.head.graph.extraction.coverage

    @cached_property
    def columns(self) -> list[Detail]:
        """Every column that is new, gone, renamed or of another type, of all datasets that both
        sides have.
        """
        kinds = ("column-added", "column-removed", "column-renamed", "type-changed")
        pairs = self.pairs
        own = [detail for each in pairs.common for detail in each.details if detail.kind in kinds]
        own += [
            Detail("column-added", pairs.head.name(key), info.name, "", info.type)
            for key in pairs.added
            for info in pairs.head.columns(key).values()
        ]
        own += [
            Detail("column-removed", pairs.base.name(key), info.name, info.type)
            for key in pairs.removed
            for info in pairs.base.columns(key).values()
        ]
        return sorted(own, key=lambda detail: (detail.dataset, detail.column, detail.kind))

    @cached_property
    def edges(self) -> list[EdgeChange]:
        """Return every edge that was added, removed or changed."""
        pairs = self.pairs
        changed = flatten(each.edges for each in pairs.common)
        changed += flatten(edges_of_one(pairs.head, key, new=True) for key in pairs.added)
        changed += flatten(edges_of_one(pairs.base, key, new=False) for key in pairs.removed)
        return sorted(changed)
