"""Columns as YAML declares them, and datasets that are declared in more than one place."""

from __future__ import annotations

from collections.abc import Iterable

from lineal.model import names
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.projects.text import Report
from lineal.projects.yaml import Value

TYPE_KEYS = ("type", "data_type")

RANKS = {
    "sql": 0,
    "model": 0,
    "snapshot": 0,
    "python": 1,
    "function": 2,
    "seed": 3,
    "source": 4,
    "table": 5,
}
"""Of two declarations of one dataset the first of these kinds counts; the other fills its gaps."""

DEFINED_ELSEWHERE = {"sql", "model", "snapshot", "python"}
"""Kinds whose columns a definition decides: what YAML says of them is never complete."""


def read_columns(value: Value | None, report: Report) -> list[ColumnInfo]:
    """The columns of a `columns:` section, whichever way it is written.

    [{name: id, type: int}]      [id, amount]      {id: int}      {id: {type: int, description:
                                 Key}}
    """
    if value is None:
        return []

    columns: dict[str, ColumnInfo] = {}
    for name, column in pairs(value, report):
        key = names.insensitive(name, False)
        if key in columns:
            report(
                Diagnostic(
                    Code.DUPLICATE_KEY,
                    f"{value.name}: the column '{name}' is listed twice",
                    column.place,
                )
            )

        columns.setdefault(key, _column(name, column, report))

    return list(columns.values())


def pairs(value: Value, report: Report) -> list[tuple[str, Value]]:
    """Each column's name, and the value that describes it."""
    if isinstance(value.data, dict):
        return list(value.data.items())

    if isinstance(value.data, list):
        found = ((name_of(item, report), item) for item in value.data)
        return [
            (name, item if isinstance(item.data, dict) else Value({}, item.place))
            for name, item in found
            if name
        ]

    report(value.report_unexpected("a list of columns"))
    return []


def name_of(item: Value, report: Report) -> str:
    """The name of a list's item: the text itself, or its `name:`; '' and a diagnostic if there is
    none.
    """
    if item.is_scalar:
        return item.as_text(report)

    name = item.get("name")
    if name is None:
        report(item.report_unexpected("a name"))
        return ""

    return name.as_text(report)


def _column(name: str, value: Value, report: Report) -> ColumnInfo:
    """Return a column from its YAML, which may be only its type."""
    place = value.known_place
    if isinstance(value.data, dict):
        return ColumnInfo(
            name,
            value.text(report, *TYPE_KEYS),
            value.text(report, "description"),
            labels(value.items_of("classification"), report),
            place,
            inherits=inherit_setting(value, "inherit", report) is not False,
        )

    return ColumnInfo(name, value.as_text(report), place=place)


def inherit_setting(value: Value, key: str, report: Report) -> bool | None:
    """meta: {lineal: {inherit: false}}, also under config: — what a node or column says to lineal
    alone
    """
    for holder in (value, value.part("config")):
        said = holder.part("meta").part("lineal").get(key)
        if said is not None and not isinstance(said.data, bool):
            report(said.report_unexpected("true or false"))
        elif said is not None:
            return bool(said.data)

    return None


def labels(values: list[Value], report: Report) -> tuple[str, ...]:
    """classification: PII and classification: [PII, internal]"""
    found = (value.as_text(report).lower() for value in values)
    return tuple(dict.fromkeys(filter(None, found)))


def merge_infos(infos: Iterable[DatasetInfo]) -> list[DatasetInfo]:
    """One DatasetInfo per dataset: a seed and the source table of the same name are one dataset, a
    seed.
    """
    found: dict[tuple[str, str, bool], DatasetInfo] = {}
    for info in infos:
        name = info.dataset.name if info.exact else names.insensitive(info.dataset.name, False)
        key = (info.dataset.namespace, name, info.exact)
        found[key] = _merge_pair(found[key], info) if key in found else info

    return list(found.values())


def _merge_pair(left: DatasetInfo, right: DatasetInfo) -> DatasetInfo:
    """Unite two descriptions of a dataset; the kind that is nearer to the data wins."""
    info, other = sorted((left, right), key=lambda each: RANKS.get(each.kind, len(RANKS)))
    bare = not info.columns
    return DatasetInfo(
        dataset=info.dataset,
        kind=info.kind,
        columns=_fill_columns(info.columns, other.columns),
        complete=info.complete or (bare and other.complete and info.kind not in DEFINED_ELSEWHERE),
        description=info.description or other.description,
        place=info.place or other.place,
        exact=info.exact,
        terminal=info.terminal or other.terminal,
        tags=tuple(dict.fromkeys((*info.tags, *other.tags))),
    )


def _fill_columns(columns: list[ColumnInfo], others: list[ColumnInfo]) -> list[ColumnInfo]:
    """The columns, with what only the other declaration says about them."""
    if not columns:
        return others

    known = {names.insensitive(other.name, False): other for other in others}
    pairs = ((column, known.get(names.insensitive(column.name, False))) for column in columns)
    return [column if other is None else _complete_column(column, other) for column, other in pairs]


def _complete_column(column: ColumnInfo, other: ColumnInfo) -> ColumnInfo:
    """Fill the gaps of a column from another description of it."""
    return ColumnInfo(
        column.name,
        column.type or other.type,
        column.description or other.description,
        column.classification or other.classification,
        column.place or other.place,
        inherits=column.inherits and other.inherits,
    )
