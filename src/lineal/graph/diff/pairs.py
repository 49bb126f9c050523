"""Which dataset of one graph is which of the other: the same name, or another name and the same
lineage.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from lineal.graph.diff.compare import Comparison
from lineal.graph.diff.side import Facts, Key, Side
from lineal.model.consumers import ONLY_READ
from lineal.model.sequences import first_of_each, flatten, invert

Signature = tuple[object, ...]


@dataclass
class Pairs:
    """The datasets of both sides: those on both, those on one side only, and the renamed ones."""

    base: Side
    head: Side
    renamed: dict[Key, Key] = field(default_factory=dict)

    @property
    def removed(self) -> list[Key]:
        """Return the datasets that only the base side defines."""
        gone = (key for key in self.base.defined if key not in self.head.defined)
        return sorted(key for key in gone if key not in self.renamed)

    @property
    def added(self) -> list[Key]:
        """Return the datasets that only the head side defines."""
        taken = {*self.renamed.values()}
        return sorted(
            key for key in self.head.defined if key not in self.base.defined and key not in taken
        )

    @cached_property
    def common(self) -> list[Comparison]:
        """Return a comparison of each dataset that both sides define, but for unchanged tests."""
        both = [
            key
            for key in self.base.defined
            if (key in self.head.defined or key in self.renamed) and not self._is_same_test(key)
        ]
        found = [Comparison(key, self.base, self.head, self.renamed) for key in both]
        renamed = {
            (each.key, old): new for each in found for old, new in each.column_renames.items()
        }
        datasets = set(first_of_each(renamed))
        if renamed:
            found = [
                replace(each, columns_renamed=renamed)
                if datasets & self.base.read_by.get(each.key, {}).keys()
                else each
                for each in found
            ]

        self._ask_for_types({each.key: each for each in found})
        return found

    def _is_same_test(self, key: Key) -> bool:
        """Whether both sides run the same test. Tests have neither columns nor edges, and there are
        more of them than of all other datasets.
        """
        before, after = self.base.info(key), self.head.info(key)
        if before.kind not in ONLY_READ or before.kind != after.kind or key in self.renamed:
            return False

        if before.columns or after.columns or before.description != after.description:
            return False

        if self.base.edges(key) or self.head.edges(key):
            return False

        texts = self.base.texts(key)
        same = bool(texts) and texts == self.head.texts(key)
        return same and self.base.files(key) == self.head.files(key)

    def _ask_for_types(self, both: dict[Key, Comparison]) -> None:
        """Ask for types where they may differ: in datasets whose schema changed, and downstream of
        every changed dataset.

        They are worked out when they are asked for, and that takes time.
        """
        border = flatten(map(self._behind, (*self.removed, *self.added)))
        border += [key for key, each in both.items() if not each.same_schema]
        while border:
            each = both.get(border.pop())
            if each is not None and not each.with_types:
                each.with_types = True
                if each.types or each.gone or each.added:
                    border += self._behind(each.key)

    def _behind(self, key: Key) -> list[Key]:
        """Return the readers of a dataset on both sides."""
        old = invert(self.renamed)
        after = self.head.readers.get(self.renamed.get(key, key), {})
        return [*self.base.readers.get(key, {}), *(old.get(follow, follow) for follow in after)]


def comparisons(base: Side, head: Side) -> Pairs:
    """Pair the datasets of two sides, renamed ones included."""
    pairs = Pairs(base, head)
    while found := _renames(pairs):
        pairs.renamed |= found

    return pairs


def _renames(pairs: Pairs) -> dict[Key, Key]:
    """A dataset that is gone and a new one that are made of the same; a chain of them is found from
    its start.
    """
    old, new = (
        _signatures(pairs.base, pairs.removed, pairs.renamed),
        _signatures(pairs.head, pairs.added, {}),
    )
    return {
        removed[0]: new[signature][0]
        for signature, removed in old.items()
        if len(removed) == 1 and len(new.get(signature, ())) == 1
    }


def _signatures(side: Side, keys: list[Key], renamed: dict[Key, Key]) -> dict[Signature, list[Key]]:
    """Return the datasets by what tells them apart except their names."""
    found: dict[Signature, list[Key]] = {}
    for key in keys:
        columns, rows = side.lineage(key, {**renamed, key: ("", "")}, deep=True)
        listed = tuple(side.columns(key))
        if listed:
            made = tuple(sorted((name, _as_tuple(facts)) for name, facts in columns.items()))
            kind = () if made else tuple(info.type for info in side.columns(key).values())
            found.setdefault((listed, made, _as_tuple(rows), kind), []).append(key)

    return found


def _as_tuple(facts: Facts) -> tuple[object, ...]:
    """Return facts as a tuple that can be compared."""
    return tuple(sorted((source, tuple(sorted(each))) for source, each in facts.items()))
