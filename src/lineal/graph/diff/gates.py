"""Demands of a policy beyond the kinds of changes: levels by reader, labels, contracts.

    consumers        a change that reaches an exposure is BLOCK
    classifications  a pii column reaches a public dataset, and nothing masks it on the way
    contracts        a column that the base promises is gone, renamed or of another type

Only what the head adds is a finding: what was there in the base is a matter of `lineal validate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from lineal.graph.classify import Classification, declared_labels
from lineal.graph.diff.causes import Finding
from lineal.graph.diff.compare import Comparison, Detail
from lineal.graph.diff.pairs import Pairs
from lineal.graph.diff.side import Key, Side, fold, key_of
from lineal.graph.graph import Graph
from lineal.graph.types import same_type
from lineal.model.consumers import CONSUMERS, LEAVES
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.grouping import group_pairs
from lineal.model.policy import Contract, LabelRule, Level, Policy, matches
from lineal.model.sequences import flatten

CONTRACT_BROKEN, LABEL_REACHED = "contract-broken", "label-reached"
DECLARED_CONTRACT = "test:contract_"
"""A contract that a dbt project declares is a test of this name."""
LOST = ("column-removed", "column-renamed", "type-changed")
MODEL = "model"


def apply_policy(pairs: Pairs, findings: Iterable[Finding], policy: Policy) -> list[Finding]:
    """Return findings with the levels that a policy demands, and what it forbids."""
    raised = [_raise_level(finding, pairs, policy) for finding in findings]
    broken = list(_broken_contracts(pairs, policy))
    reached = list(_reached_labels(pairs, policy))
    return [*raised, *broken, *reached]


# -- who reads -------------------------------------------------------------------------------------


def _raise_level(finding: Finding, pairs: Pairs, policy: Policy) -> Finding:
    """Return a finding with the level of the strictest reader that it reaches."""
    if not policy.consumers or finding.level is Level.SAFE:
        return finding

    kinds = set(map(_kind_of_reader, _kinds_reached(finding, pairs)))
    levels = [policy.consumers[kind] for kind in kinds if kind in policy.consumers]
    return replace(finding, level=max([finding.level, *levels]))


def _kind_of_reader(kind: str) -> str:
    """Return the kind under which a policy knows a reader."""
    if kind in CONSUMERS:
        return kind

    return MODEL


def _kinds_reached(finding: Finding, pairs: Pairs) -> Iterator[str]:
    """Yield the kind of everything that a finding reaches or breaks."""
    names = {*finding.reach.datasets, *finding.follows}
    for side in (pairs.base, pairs.head):
        kinds = _kinds_by_name(side)
        yield from (kinds[name] for name in names if name in kinds)
        yield from _leaves_of(finding, side)


def _kinds_by_name(side: Side) -> dict[str, str]:
    """Dataset → its kind."""
    return {dataset.name: info.kind for dataset, info in side.graph.infos.items()}


def _leaves_of(finding: Finding, side: Side) -> Iterator[str]:
    """Yield the kinds of tests and exposures that read a changed column: no edge leads to them."""
    changed = set(map(fold, finding.reach.columns))
    details = [each for each in finding.details if each.kind != "column-added"]
    changed |= {fold(f"{each.dataset}.{each.column}") for each in details if each.column}
    wide = any(not each.column for each in details)
    datasets = {fold(finding.dataset)} if wide else set()
    datasets |= set(map(fold, finding.follows))
    touched = {name.rpartition(".")[0] for name in changed} | datasets | {fold(finding.dataset)}
    for read in side.graph.reads:
        kind = side.graph.kind(read.target)
        if kind not in LEAVES:
            continue

        name = fold(read.dataset.name)
        if read.column is None:
            is_reached = name in touched
        else:
            is_reached = name in datasets or f"{name}.{fold(read.column)}" in changed

        if is_reached:
            yield kind


# -- contracts -------------------------------------------------------------------------------------


class _Promise(NamedTuple):
    """Columns that a dataset has to keep, and who says so."""

    columns: frozenset[str] | None
    """None: all of them"""
    level: Level
    by: str


def _broken_contracts(pairs: Pairs, policy: Policy) -> Iterator[Finding]:
    """Yield a finding for each dataset that no longer keeps what the base promises."""
    declared = _declared_contracts(pairs.base)
    for comparison in pairs.common:
        promises = list(_promises_for(comparison.key, pairs.base, policy.contracts, declared))
        details = flatten(_lost_columns(comparison, promise) for promise in promises)
        details += flatten(
            _changed_types(comparison, promise, {detail.column for detail in details})
            for promise in promises
        )
        if details:
            level = max(promise.level for promise in promises)
            yield _finding(CONTRACT_BROKEN, level, comparison.new, pairs.head, details)

    for key in pairs.removed:
        for promise in _promises_for(key, pairs.base, policy.contracts, declared):
            name = pairs.base.name(key)
            detail = Detail(CONTRACT_BROKEN, name, "", promise.by, "the dataset is gone")
            yield _finding(CONTRACT_BROKEN, promise.level, key, pairs.base, [detail])


def _declared_contracts(side: Side) -> dict[Key, frozenset[str]]:
    """Return the columns of every contract that the project itself declares."""
    found: dict[Key, set[str]] = {}
    readers = (name for several in side.readers.values() for _, name in several)
    if not any(name.startswith(DECLARED_CONTRACT) for name in readers):
        return {}

    for read in side.graph.reads:
        if read.target.name.startswith(DECLARED_CONTRACT) and read.column is not None:
            found.setdefault(key_of(read.dataset), set()).add(fold(read.column))

    return {key: frozenset(columns) for key, columns in found.items()}


def _promises_for(
    key: Key, side: Side, contracts: tuple[Contract, ...], declared: dict[Key, frozenset[str]]
) -> Iterator[_Promise]:
    """Yield the promises about one dataset."""
    if key in declared:
        yield _Promise(declared[key], Level.BLOCK, "a contract of the project")

    name = side.name(key)
    for contract in contracts:
        if matches(name, contract.dataset):
            columns = frozenset(map(fold, contract.columns)) if contract.columns else None
            yield _Promise(columns, contract.level, "a contract of the policy")


def _lost_columns(comparison: Comparison, promise: _Promise) -> Iterator[Detail]:
    """Yield each promised column that is gone, renamed or of another type."""
    for detail in comparison.details:
        if detail.kind not in LOST:
            continue

        column = detail.before if detail.kind == "column-renamed" else detail.column
        if promise.columns is not None and fold(column) not in promise.columns:
            continue

        change = {"column-removed": "is gone", "column-renamed": f"is now {detail.after}"}
        said = change.get(detail.kind, f"is {detail.after}, was {detail.before}")
        yield Detail(CONTRACT_BROKEN, comparison.name, column, promise.by, said)


def _changed_types(comparison: Comparison, promise: _Promise, known: set[str]) -> Iterator[Detail]:
    """Yield each promised column whose statement makes another type, whatever YAML declares."""
    if comparison.same_schema:
        return

    before = _made_types(comparison.base.info(comparison.key))
    after = _made_types(comparison.head.info(comparison.new))
    for name in sorted(before.keys() & after.keys()):
        old, new = before[name], after[name]
        is_promised = promise.columns is None or name in promise.columns
        if is_promised and old.name not in known and not same_type(old.type, new.type):
            said = f"is {new.type}, was {old.type}"
            yield Detail(CONTRACT_BROKEN, comparison.name, old.name, promise.by, said)


def _made_types(info: DatasetInfo) -> dict[str, ColumnInfo]:
    """Return the columns that statements make, as far as their types are known."""
    return {fold(each.name): each for each in info.produced_columns if each.type}


# -- labels ----------------------------------------------------------------------------------------


class _Leak(NamedTuple):
    """A label in a place that a policy keeps it from."""

    target: Dataset
    column: str
    label: str
    origin: str
    level: Level


def _reached_labels(pairs: Pairs, policy: Policy) -> Iterator[Finding]:
    """Yield a finding for each dataset that a label newly reaches.

    The labels of the base count as its policy does: a change cannot take a label away, and bring
    the column to a place that the policy keeps it from.
    """
    if not policy.labels:
        return

    base, head = pairs.base.graph, pairs.head.graph
    before = set(map(_identity, _find_leaks(Classification(base), base, policy.labels)))
    labels = Classification(head, declared_labels(base))
    new = group_pairs(
        (leak.target, leak)
        for leak in _find_leaks(labels, head, policy.labels)
        if _identity(leak) not in before
    )
    for dataset, leaks in new.items():
        details = [
            Detail(LABEL_REACHED, dataset.name, each.column, each.label, f"from {each.origin}")
            for each in leaks
        ]
        level = max(each.level for each in leaks)
        yield _finding(LABEL_REACHED, level, key_of(dataset), pairs.head, details)


def _identity(leak: _Leak) -> tuple[Key, str, str]:
    """Return what tells one leak from another."""
    return key_of(leak.target), fold(leak.column), leak.label


def _find_leaks(
    labels: Classification, graph: Graph, rules: tuple[LabelRule, ...]
) -> Iterator[_Leak]:
    """Yield every label where a rule does not allow it: in columns, and in what consumers read."""
    for rule in rules:
        covered = {
            dataset
            for dataset, info in graph.infos.items()
            if rule.covers(dataset.name, info.kind, info.tags)
        }
        for column in labels.columns(rule.label):
            if column.dataset in covered:
                origin = _origin(labels, column, rule.label)
                yield _Leak(column.dataset, column.name, rule.label, origin, rule.level)

        yield from _read_leaks(graph, labels, rule, covered)


def _read_leaks(
    graph: Graph, labels: Classification, rule: LabelRule, covered: set[Dataset]
) -> Iterator[_Leak]:
    """Yield the labels that tests and exposures see: they have no columns of their own."""
    seen = set()
    for read in graph.reads:
        if read.target not in covered or graph.kind(read.target) not in LEAVES:
            continue

        names = [read.column] if read.column is not None else _all_names(graph, read.dataset)
        for name in names:
            column = Column(read.dataset, name)
            if rule.label in labels.labels_of(column) and (read.target, column) not in seen:
                seen.add((read.target, column))
                origin = _origin(labels, column, rule.label)
                yield _Leak(read.target, str(column), rule.label, origin, rule.level)


def _all_names(graph: Graph, dataset: Dataset) -> list[str]:
    """Return the columns of a dataset that is read as a whole."""
    return [column.name for column in graph.columns(dataset)]


def _origin(labels: Classification, column: Column, label: str) -> str:
    """Return the column that declares a label."""
    brought = [each for each in labels.labels_brought(column) if each.label == label]
    return str(brought[0].origin) if brought else str(column)


def _finding(kind: str, level: Level, key: Key, side: Side, details: list[Detail]) -> Finding:
    """Return a finding about one dataset."""
    return Finding(kind, level, side.name(key), side.place(key), tuple(details))
