"""Which dataset of one graph is which of the other: the same name, or another name and the same lineage."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from lineal.graph.diff.compare import Comparison
from lineal.graph.diff.side import Facts, Key, Side

Signature = tuple[object, ...]


@dataclass
class Pairs:
    """All that is compared: what both have, what only one has, and what goes by another name."""

    base: Side
    head: Side
    renamed: dict[Key, Key] = field(default_factory=dict)

    @property
    def removed(self) -> list[Key]:
        gone = (key for key in self.base.defined if key not in self.head.defined)
        return sorted(key for key in gone if key not in self.renamed)

    @property
    def added(self) -> list[Key]:
        taken = {*self.renamed.values()}
        return sorted(key for key in self.head.defined if key not in self.base.defined and key not in taken)

    @cached_property
    def common(self) -> list[Comparison]:
        both = [key for key in self.base.defined if key in self.head.defined or key in self.renamed]
        touched = self._touched(both)
        found = [Comparison(key, self.base, self.head, self.renamed, key in touched) for key in both]
        renamed = {(each.key, old): new for each in found for old, new in each.column_renames.items()}
        if not renamed:
            return found
        datasets = {key for key, _ in renamed}
        return [
            replace(each, columns_renamed=renamed) if datasets & self.base.read_by.get(each.key, {}).keys() else each
            for each in found
        ]

    def _touched(self, both: list[Key]) -> set[Key]:
        """The datasets whose types may be others: those that say something else, and all behind them."""
        found: set[Key] = set()
        border: list[Key] = [*self.removed, *self.added]
        for key in both:
            new = self.renamed.get(key, key)
            if self.base.said(key) != self.head.said(new) or not self._declared_alike(key, new):
                found.add(key)
                border.append(key)
        while border:
            here = border.pop()
            for follow in (*self.base.readers.get(here, ()), *self.head.readers.get(self.renamed.get(here, here), ())):
                if follow not in found:
                    found.add(follow)
                    border.append(follow)
        return found

    def _declared_alike(self, key: Key, new: Key) -> bool:
        """Whether what is declared is the same; types of statements are not asked for, since they take time."""
        if key in self.base.statements and new in self.head.statements:
            before, after = self.base.info(key), self.head.info(new)
            return before.complete == after.complete and before.names == after.names
        return self.base.info(key).columns == self.head.info(new).columns


def comparisons(base: Side, head: Side) -> Pairs:
    pairs = Pairs(base, head)
    while found := _renames(pairs):
        pairs.renamed |= found
    return pairs


def _renames(pairs: Pairs) -> dict[Key, Key]:
    """A dataset that is gone and a new one that are made of the same; a chain of them is found from its start."""
    old, new = _signatures(pairs.base, pairs.removed, pairs.renamed), _signatures(pairs.head, pairs.added, {})
    return {
        removed[0]: new[signature][0]
        for signature, removed in old.items()
        if len(removed) == 1 and len(new.get(signature, ())) == 1
    }


def _signatures(side: Side, keys: list[Key], renamed: dict[Key, Key]) -> dict[Signature, list[Key]]:
    found: dict[Signature, list[Key]] = {}
    for key in keys:
        columns, rows = side.lineage(key, {**renamed, key: ("", "")}, deep=True)
        listed = tuple(side.columns(key))
        if listed:
            made = tuple(sorted((name, _frozen(facts)) for name, facts in columns.items()))
            kind = () if made else tuple(info.type for info in side.columns(key).values())
            found.setdefault((listed, made, _frozen(rows), kind), []).append(key)
    return found


def _frozen(facts: Facts) -> tuple[object, ...]:
    return tuple(sorted((source, tuple(sorted(each))) for source, each in facts.items()))
