"""One dataset in two graphs: the changes of its columns, its edges and its statement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from lineal.graph.diff.side import Fact, Facts, Key, Renames, Side, Source
from lineal.graph.types import same_type
from lineal.model.edge import Edge
from lineal.model.extraction import DatasetInfo, LateColumn


class Detail(NamedTuple):
    """One thing that is not as it was."""

    kind: str
    dataset: str
    column: str = ""
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        where = f"{self.dataset}.{self.column}" if self.column else self.dataset
        change = f": {self.before} → {self.after}" if self.before or self.after else ""
        return f"{self.kind} {where}{change}"


ADDED, REMOVED, CHANGED = "added", "removed", "changed"


class EdgeChange(NamedTuple):
    """An edge that is new (`before` is empty), gone (`after` is empty) or another one."""

    source: str
    target: str
    field_level: bool
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def arrow(self) -> str:
        """Return → for a column and ⇒ for rows."""
        if self.field_level:
            return "→"

        return "⇒"

    @property
    def change(self) -> str:
        """How the edge changed: added, removed or changed."""
        if not self.before:
            return ADDED

        if self.after:
            return CHANGED

        return REMOVED


OWN = frozenset(("description-changed", "classification-changed"))
"""Changes that no other dataset can have caused."""


@dataclass
class Comparison:
    """A dataset as both sides know it."""

    key: Key
    base: Side
    head: Side
    renamed: dict[Key, Key] = field(default_factory=dict)
    with_types: bool = False
    columns_renamed: Renames = field(default_factory=dict)

    @property
    def new(self) -> Key:
        """Return the key of the dataset on the head side."""
        return self.renamed.get(self.key, self.key)

    @property
    def name(self) -> str:
        """Return the name of the dataset on the head side."""
        return self.head.name(self.new)

    @cached_property
    def same_words(self) -> bool:
        """Tell whether both sides have the same statements, word by word."""
        before, after = self.base.texts(self.key), self.head.texts(self.new)
        if before and before == after:
            return True

        return self.base.words_of(self.key) == self.head.words_of(self.new)

    @property
    def is_untouched(self) -> bool:
        """Whether nothing can differ: a test of the same text has neither columns nor edges."""
        if self.renamed or self.columns_renamed or self.moved is not None:
            return False

        old, new = self.base.info(self.key), self.head.info(self.new)
        if old.columns or new.columns or old.description != new.description:
            return False

        has_edges = self.base.edges(self.key) or self.head.edges(self.new)
        return not has_edges and self.same_words

    @cached_property
    def same_meaning(self) -> bool:
        """Tell whether the statements mean the same on both sides."""
        return self.same_words or self.base.meanings_of(self.key) == self.head.meanings_of(self.new)

    @cached_property
    def rewritten(self) -> bool:
        """Tell whether the statement was edited, and is proven to return the same: other edges then
        only tell how it is written (CASE for COALESCE, a DISTINCT too many).
        """
        return self.same_meaning and not self.same_words and not self.columns_renamed

    @cached_property
    def moved(self) -> tuple[str, str] | None:
        """Return the file before and after, if no file is shared."""
        before, after = self.base.files(self.key), self.head.files(self.new)
        if before and after and before.isdisjoint(after):
            return min(before), min(after)

        return None

    @cached_property
    def _before(self) -> tuple[dict[str, Facts], Facts]:
        """Return the lineage on the base side, with its names renamed."""
        return self.base.lineage(
            self.key, self.renamed, not self.same_meaning, self.columns_renamed
        )

    @cached_property
    def _after(self) -> tuple[dict[str, Facts], Facts]:
        """Return the lineage on the head side."""
        return self.head.lineage(self.new, {}, not self.same_meaning)

    @cached_property
    def details(self) -> list[Detail]:
        """Return all that differs: columns, values, rows and documentation."""
        found = list(self._columns())
        if not self.same_edges and not self.rewritten:
            found += [*self._values(), *self._rows()]

        if not found and not self.same_meaning:
            found = [self._detail("logic-changed")]

        return [*found, *self._documentation()]

    @cached_property
    def same_edges(self) -> bool:
        """Tell whether the edges of a statement that was not touched are the same, one by one: they
        nearly always are.
        """
        if not self.same_words or self.renamed or self.columns_renamed:
            return False

        before, after = self.base.edges(self.key), self.head.edges(self.new)
        return len(before) == len(after) and all(map(_are_alike, before, after))

    def _detail(self, kind: str, column: str = "", before: str = "", after: str = "") -> Detail:
        """Return a detail of this dataset."""
        return Detail(kind, self.name, column, before, after)

    # -- columns -----------------------------------------------------------------------------------

    @cached_property
    def _lists_columns(self) -> bool:
        """Tell whether both sides list the columns. Columns known only from their use are not a
        schema.
        """
        stated = self.key in self.base.statements or self.base.info(self.key).complete
        return stated and (self.new in self.head.statements or self.head.info(self.new).complete)

    @cached_property
    def gone(self) -> list[str]:
        """Return the columns that only the base side has."""
        before, after = self.base.columns(self.key), self.head.columns(self.new)
        if self._lists_columns:
            return [name for name in before if name not in after]

        return []

    @cached_property
    def added(self) -> list[str]:
        """Return the columns that only the head side has."""
        before, after = self.base.columns(self.key), self.head.columns(self.new)
        if self._lists_columns:
            return [name for name in after if name not in before]

        return []

    @cached_property
    def column_renames(self) -> dict[str, str]:
        """A column that is gone, and a new one that is made of the same."""
        found: dict[str, str] = {}
        for name in self.gone:
            made = self._before[0].get(name)
            alike = [new for new in self.added if made and self._after[0].get(new) == made]
            if len(alike) == 1 and alike[0] not in found.values():
                found[name] = alike[0]

        return found

    def _columns(self) -> Iterator[Detail]:
        """Yield columns that were removed, added, renamed, retyped or moved."""
        before, after = self.base.columns(self.key), self.head.columns(self.new)
        renames = self.column_renames
        for name in self.gone:
            if name in renames:
                yield self._detail(
                    "column-renamed",
                    before[name].name,
                    before[name].name,
                    after[renames[name]].name,
                )
            else:
                yield self._detail("column-removed", before[name].name, before[name].type)

        for name in self.added:
            if name not in renames.values():
                yield self._detail("column-added", after[name].name, "", after[name].type)

        if self._lists_columns:
            yield from self._order(list(before), list(after))
            yield from self.types if self.with_types else ()

    def _order(self, before: list[str], after: list[str]) -> Iterator[Detail]:
        """Yield a detail if the common columns have another order."""
        old = [self.column_renames.get(name, name) for name in before]
        kept, new = [name for name in old if name in after], [name for name in after if name in old]
        if kept != new:
            yield self._detail("columns-reordered", "", ", ".join(kept), ", ".join(new))

    @cached_property
    def types(self) -> list[Detail]:
        """Return the columns whose type changed."""
        before, after = self.base.columns(self.key), self.head.columns(self.new)
        found = []
        for name, info in before.items():
            now = after.get(self.column_renames.get(name, name))
            if now is None or not self._lists_columns:
                continue

            old, new = info.type, now.type
            if old and new and not same_type(old, new):
                found.append(self._detail("type-changed", now.name, old, new))

        return found

    @property
    def same_schema(self) -> bool:
        """Tell whether nothing that is written or declared can have changed a type."""
        if self.key in self.base.statements and self.new in self.head.statements:
            before, after = self.base.info(self.key), self.head.info(self.new)
            return self.same_meaning and _declared_columns(before) == _declared_columns(after)

        return self.base.info(self.key).columns == self.head.info(self.new).columns

    # -- lineage -----------------------------------------------------------------------------------

    def _values(self) -> Iterator[Detail]:
        """Yield the columns whose values are made in another way."""
        before, after = self._before[0], self._after[0]
        new = {*self.added} - {*self.column_renames.values()}
        for name in dict.fromkeys([*before, *after]):
            whole = name.partition(".")[0]
            if whole in self.gone or whole in new or whole in self.column_renames.values():
                continue

            if before.get(name, {}) != after.get(name, {}):
                column = self.head.column(self.new, whole).name
                yield self._detail(
                    "value-changed",
                    column,
                    _sources_text(before.get(name)),
                    _sources_text(after.get(name)),
                )

    def _rows(self) -> Iterator[Detail]:
        """Yield a detail if other columns decide the rows."""
        before, after = self._before[1], self._after[1]
        if before != after:
            yield self._detail("rows-changed", "", _sources_text(before), _sources_text(after))

    def _documentation(self) -> Iterator[Detail]:
        """Yield descriptions and labels that changed."""
        old, new = self.base.info(self.key), self.head.info(self.new)
        if old.description.strip() != new.description.strip():
            yield self._detail(
                "description-changed", "", old.description.strip(), new.description.strip()
            )

        after = self.head.columns(self.new)
        for name, info in self.base.columns(self.key).items():
            now = after.get(self.column_renames.get(name, name))
            if now is None:
                continue

            if info.description.strip() != now.description.strip():
                yield self._detail(
                    "description-changed",
                    now.name,
                    info.description.strip(),
                    now.description.strip(),
                )

            if set(info.classification) != set(now.classification):
                labels = (", ".join(sorted(each.classification)) or "none" for each in (info, now))
                yield self._detail("classification-changed", now.name, *labels)

    @cached_property
    def edges(self) -> list[EdgeChange]:
        """Every edge that one side has and the other has not, or has otherwise."""
        if self.same_edges:
            return []

        before, after = _edges(self._before), _edges(self._after)
        found = []
        for source, target in sorted({*before, *after}):
            old, new = (
                before.get((source, target), frozenset()),
                after.get((source, target), frozenset()),
            )
            if old != new:
                found.append(self._edge(source, target, old, new))

        return found

    def _edge(
        self, source: Source, target: str, old: frozenset[Fact], new: frozenset[Fact]
    ) -> EdgeChange:
        """Return the change of one edge, from one set of facts to another."""
        dataset = (
            self.head.name(source.dataset)
            if source.dataset in self.head.datasets
            else source.dataset[1]
        )
        into = f"{self.name}.{target}" if target else self.name
        return EdgeChange(
            f"{dataset}.{source.column}", into, bool(target), _fact_texts(old), _fact_texts(new)
        )


def _are_alike(one: Edge, other: Edge) -> bool:
    """Tell whether two edges have the same ends and ways."""
    if one.source != other.source or one.target != other.target:
        return False

    return [usage.way for usage in one.usages] == [usage.way for usage in other.usages]


def _declared_columns(info: DatasetInfo) -> list[tuple[str, str]]:
    """Names, and the types that are declared; those that are worked out from statements take time."""
    return [(each.name, "" if isinstance(each, LateColumn) else each.type) for each in info.columns]


def edges_of_one(side: Side, key: Key, *, new: bool) -> list[EdgeChange]:
    """The edges of a dataset that the other side does not have."""
    found = []
    for (source, target), facts in _edges(side.lineage(key, {}, deep=True)).items():
        dataset = (
            side.name(source.dataset) if source.dataset in side.datasets else source.dataset[1]
        )
        into = f"{side.name(key)}.{target}" if target else side.name(key)
        said = _fact_texts(facts)
        before, after = ((), said) if new else (said, ())
        found.append(EdgeChange(f"{dataset}.{source.column}", into, bool(target), before, after))

    return found


def _edges(sides: tuple[dict[str, Facts], Facts]) -> dict[tuple[Source, str], frozenset[Fact]]:
    """Return the facts of each edge, by source and target."""
    columns, rows = sides
    found = {
        (source, name): facts for name, made in columns.items() for source, facts in made.items()
    }
    return found | {(source, ""): facts for source, facts in rows.items()}


def _fact_texts(facts: frozenset[Fact]) -> tuple[str, ...]:
    """Return facts as texts, in a fixed order."""
    return tuple(sorted(" ".join(part for part in fact if part != "direct") for fact in facts))


def _sources_text(facts: Facts | None) -> str:
    """orders.amount (AGGREGATION sum), orders.id (IDENTITY)"""
    return ", ".join(
        f"{source.dataset[1]}.{source.column} ({', '.join(_fact_texts(each))})"
        for source, each in sorted_facts(facts)
    )


def sorted_facts(facts: Facts | None) -> list[tuple[Source, frozenset[Fact]]]:
    """Return facts in the order of their sources."""
    return sorted((facts or {}).items(), key=lambda item: item[0])
