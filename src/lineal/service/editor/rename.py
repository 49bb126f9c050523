"""Renames a column everywhere, or says why that is not safe.

    plan = plan_rename(workspace, spot, "net_amount")      the edits of each file, with labels

A rename changes the name of one column, with every copy that a star passes on under that name.
Columns that are made of it keep their names: `amount` becomes `net_amount as amount`. Before the
edits are handed out, the project is read once more with them: its lineage must be the same, but
for the new name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from lineal.model.consumers import CONSUMERS, TEST
from lineal.model.diagnostic import Place, Severity
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import Extraction
from lineal.model.names import is_same_name
from lineal.model.sequences import flatten
from lineal.resolve.mentions import Local, Named
from lineal.service.answers import Misasked
from lineal.service.editor.navigation import Kin
from lineal.service.editor.positions import Text
from lineal.service.editor.spots import REF, Spot, block_at
from lineal.service.editor.templates import TAG
from lineal.service.editor.workspace import Workspace
from lineal.service.project import Project

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*\Z")
QUOTES = {'"': '"', "`": "`", "[": "]"}
PACKAGES = ("dbt_packages", "dbt_modules")
CONFIG = re.compile(r"\{\{\s*config\s*\(|\{%-?\s*snapshot\b|\bconfig\s*:")
KEYS = re.compile(r"\b(?:unique_key|partition_by|cluster_by|updated_at|check_cols|order_by)\s*:")
"""Settings of a model in YAML that name its columns."""


class Refused(Misasked):
    """A rename that is not safe; the message says why."""


class Change(NamedTuple):
    """text[start:end] of a file becomes `new`; the label tells what that is for."""

    path: str
    start: int
    end: int
    new: str
    label: str


class Plan(NamedTuple):
    """The edits of a rename."""

    old: str
    columns: tuple[Column, ...]
    changes: tuple[Change, ...]


def column_to_rename(workspace: Workspace, spot: Spot) -> Named:
    """Return the column that a rename at a spot is about.

    A name in an expression is the column that is read. If that column belongs to an external
    table, an item of SELECT is the column that is made.

    sum(orders.amount)           orders.amount
    select id from {{ source() }}  the id of this model
    """
    if not spot.columns:
        raise Refused("There is no column here. Only columns can be renamed.")

    if not spot.is_written:
        raise Refused(f"This name cannot be edited here: {spot.why}.")

    several = [each for each in spot.columns if not is_external(workspace, spot, each)]
    if not several:
        raise Refused(external_reason(workspace, origin_of(spot, spot.columns[0])))

    if len(spot.means) > 1:
        listed = ", ".join(map(show_column, spot.means))
        raise Refused(f"The text does not tell which column is meant: {listed}.")

    return several[0]


def show_column(named: Named) -> str:
    """Return a column as dataset.column."""
    return f"{named.dataset.name}.{named.column}"


def plan_rename(workspace: Workspace, spot: Spot, new: str) -> Plan:
    """Return the edits that rename the column at a spot; `Refused` if that is not safe."""
    named = column_to_rename(workspace, spot)
    if not PLAIN.match(new):
        raise Refused(f"{new!r} is not a plain name: write letters, digits and underscores.")

    if workspace.is_stale or workspace.problem:
        workspace.refresh()

    kin = Kin(workspace, [named])
    columns = tuple(
        Column(each.owner, each.column) for each in kin.columns if isinstance(each.owner, Dataset)
    )
    check_columns(workspace, kin, new)
    changes = flatten(changes_at(each, kin, new) for each in kin.spots.values())
    changes += settings_changes(workspace, columns, new)
    plan = Plan(named.column, columns, tuple(dict.fromkeys(sorted(changes))))
    check_overlaps(plan)
    check_analyses(workspace, columns, named.column)
    if columns:
        verify(workspace, plan, new)

    return plan


# -- reasons to refuse -----------------------------------------------------------------------------


def is_external(workspace: Workspace, spot: Spot, named: Named) -> bool:
    """Tell whether no file of the project makes a column, be it through the star of a CTE."""
    origin = origin_of(spot, named)
    return isinstance(origin.owner, Dataset) and bool(external_reason(workspace, origin))


def origin_of(spot: Spot, named: Named) -> Named:
    """Return the column that stars of a statement pass on under this name.

    with source as (select * from {{ source('shop', 'orders') }})      source.id is shop.orders.id
    """
    passed = spot.statement.passed if spot.statement is not None else {}
    for _ in range(len(passed)):
        if named not in passed or passed[named] == named or isinstance(named.owner, Dataset):
            break

        named = passed[named]

    return named


def external_reason(workspace: Workspace, named: Named) -> str:
    """Return why a column cannot get another name; '' if the project makes it."""
    assert isinstance(named.owner, Dataset)
    state = workspace.state
    info = state.graph.infos.get(named.owner)
    kind = info.kind if info is not None else "table"
    file = state.made_in.get(named.owner, "")
    if kind in CONSUMERS:
        return f"{show_column(named)} belongs to a {kind}."

    if not file and kind == "seed":
        return (
            f"{show_column(named)} is named by the header of a CSV file, which no statement makes."
        )

    declared = [each for each in state.declared_in(named.owner) if not file]
    if declared:
        where = Path(declared[0]).name
        return f"{show_column(named)} is declared in {where}; what fills the table is not in the project."

    if not file:
        return (
            f"{show_column(named)} belongs to an external table: no file of the project makes it."
        )

    if any(part in PACKAGES for part in Path(file).parts):
        return f"{show_column(named)} belongs to an installed package: {file}."

    return ""


def check_columns(workspace: Workspace, kin: Kin, new: str) -> None:
    """Refuse if a column that is renamed along is not ours, or the new name is taken.

    select * from {{ source('shop', 'orders') }}      its columns are named outside the project
    """
    graph = workspace.graph
    for named in kin.columns:
        if isinstance(named.owner, Local):
            continue

        reason = external_reason(workspace, named)
        if reason:
            raise Refused(f"A star passes this column on. {reason}")

        if graph.is_open(named.owner):
            raise Refused(
                f"{named.owner.name} has columns that are not known: a star reads a table without "
                "a declared schema."
            )

        if any(is_same_name(each.name, new) for each in graph.columns(named.owner)):
            raise Refused(f"{named.owner.name} already has a column {new}.")


ANALYSES = ("analyses", "analysis")
"""Folders of dbt whose files are compiled by hand: lineal does not read them."""


def check_analyses(workspace: Workspace, columns: Iterable[Column], old: str) -> None:
    """Refuse if an analysis names the column: nothing else tells that it would break.

    analysis/report.sql      select amount from {{ ref('orders') }}
    """
    word = re.compile(rf"\b{re.escape(old)}\b", re.I)
    names = {column.dataset.name.rpartition(".")[2] for column in columns}
    for folder in ANALYSES:
        for path in sorted((workspace.root / folder).rglob("*.sql")):
            text = workspace.text(str(path))
            called = {(each["second"] or each["first"])[1:-1] for each in REF.finditer(text)}
            if names & called and word.search(text):
                where = path.relative_to(workspace.root)
                raise Refused(f"{where} names the column, and lineal reads no analysis.")


def check_overlaps(plan: Plan) -> None:
    """Refuse if two edits touch the same text in different ways."""
    last: Change | None = None
    for change in plan.changes:
        if last is not None and last.path == change.path and change.start < last.end:
            raise Refused(f"One name of {change.path} would have to change in two ways.")

        last = change


# -- edits -----------------------------------------------------------------------------------------


def changes_at(spot: Spot, kin: Kin, new: str) -> Iterator[Change]:
    """Yield the edit of a spot.

    sum(amount)            sum(net_amount)
    select amount          select net_amount as amount, where the column made keeps its name
    select amount          select amount as net_amount, where the column made gets the name
    as amount              as net_amount
    """
    workspace = kin.workspace
    others = [each for each in spot.means if not kin.has(each)]
    reads = len(others) < len(spot.means)
    if not spot.is_written:
        raise Refused(f"{place_of(workspace, spot)} names the column, and {spot.why}.")

    if reads and others:
        listed = ", ".join(map(show_column, others))
        raise Refused(f"{place_of(workspace, spot)} names {listed} by the same word.")

    if spot.names_element and reads:
        yield added_expression(spot, Text(workspace.text(spot.path)), new)
        return

    text = workspace.text(spot.path)[spot.start : spot.end]
    makes = spot.makes is not None and kin.has(spot.makes)
    is_item = spot.mention is not None and spot.mention.is_item
    how, label = HOW[reads, makes] if is_item else ("{new}", "names {new}")
    start = spot.end if how.startswith(" ") else spot.start
    new_text = how.format(new=quoted_like(text, new), old=text)
    yield Change(spot.path, start, spot.end, new_text, label.format(new=new, old=text))


def added_expression(spot: Spot, text: Text, new: str) -> Change:
    """Return the edit of an element of a semantic model that keeps its name.

    - name: revenue      - name: revenue
                           expr: net_revenue
    - {name: revenue}    - {name: revenue, expr: net_revenue}
    """
    line = text.position(spot.start)["line"]
    head = text.line(line)[: spot.start - text.start_of(line)]
    label = f"reads {new}, and keeps its name"
    if "{" in head:
        end = spot.end + (text.text[spot.end : spot.end + 1] in ("'", '"'))
        return Change(spot.path, end, end, f", expr: {new}", label)

    end = text.start_of(line) + len(text.line(line))
    return Change(spot.path, end, end, f"\n{' ' * head.index('name')}expr: {new}", label)


HOW = {
    (True, True): ("{new}", "reads {new}"),
    (True, False): ("{new} as {old}", "reads {new}, and still makes {old}"),
    (False, True): (" as {new}", "makes {new}"),
}
"""How an item of SELECT is edited: whether it reads the column, and whether it makes it."""


def quoted_like(text: str, new: str) -> str:
    """Return the new name in the quotes that the old one has.

    "Amount"      "net_amount"
    """
    closing = QUOTES.get(text[:1], "")
    return f"{text[:1]}{new}{closing}" if closing else new


def place_of(workspace: Workspace, spot: Spot) -> str:
    """Return a spot as file:line."""
    line = Text(workspace.text(spot.path)).position(spot.start)["line"] + 1
    path = Path(spot.path)
    root = workspace.root
    return f"{path.relative_to(root) if path.is_relative_to(root) else path}:{line}"


def settings_changes(workspace: Workspace, columns: Iterable[Column], new: str) -> Iterator[Change]:
    """Yield the edits of settings that name a column: unique_key='day'.

    {{ config(unique_key='day') }} in the model, or `unique_key: day` in its YAML
    """
    state = workspace.state
    for column in columns:
        file = state.made_in.get(column.dataset)
        if file is not None:
            yield from config_changes(file, workspace.text(file), column.name, new)

        info = state.graph.infos[column.dataset]
        if info.place is not None and info.place.file.endswith((".yml", ".yaml")):
            text = Text(workspace.text(info.place.file))
            start, end = block_at(text, info.place.line)
            yield from yaml_changes(info.place.file, text.text, (start, end), column.name, new)


def config_changes(path: str, text: str, old: str, new: str) -> Iterator[Change]:
    """{{ config(unique_key='day') }}      the day in quotes"""
    word = re.compile(rf"(?<=['\"]){re.escape(old)}(?=['\"])")
    for tag in TAG.finditer(text):
        if CONFIG.match(tag[0]):
            for found in word.finditer(text, tag.start(), tag.end()):
                yield Change(path, found.start(), found.end(), new, "setting of the model")


def yaml_changes(
    path: str, text: str, span: tuple[int, int], old: str, new: str
) -> Iterator[Change]:
    """unique_key: day      in the configuration of a model"""
    word = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])")
    for key in KEYS.finditer(text, *span):
        end = text.find("\n", key.end())
        for found in word.finditer(text, key.end(), end if end >= 0 else len(text)):
            yield Change(path, found.start(), found.end(), new, "setting of the model")


def edited_texts(workspace: Workspace, plan: Plan) -> dict[str, str]:
    """Return the texts of the files with the edits of a plan."""
    texts: dict[str, str] = {}
    for change in sorted(plan.changes, reverse=True):
        text = texts.get(change.path, workspace.text(change.path))
        texts[change.path] = text[: change.start] + change.new + text[change.end :]

    return texts


# -- proof -----------------------------------------------------------------------------------------


def verify(workspace: Workspace, plan: Plan, new: str) -> None:
    """Read the project with the edits; refuse if its lineage differs by more than the name.

    before   raw.amount -> orders.amount -> customers.spent
    after    raw.amount -> orders.net_amount -> customers.spent
    """
    before = workspace.state.extraction
    after = extraction_with(workspace, edited_texts(workspace, plan))
    renamed = {(column.dataset.name, column.name): new for column in plan.columns}
    lost = facts_of(before, renamed) - facts_of(after, {})
    gained = facts_of(after, {}) - facts_of(before, renamed)
    if lost or gained:
        reader, fact = min((lost or gained).elements())
        if reader == TEST:
            reader = lost_tests(before, after, plan, new) or "a test"

        verb = "lose" if lost else "gain"
        raise Refused(
            f"{reader} names the column in a way that lineal cannot edit: the lineage would {verb} "
            f"{fact!r}. Edit {reader} first."
        )

    worse = errors_of(after) - errors_of(before)
    if worse:
        raise Refused(f"The rename would cause {', '.join(sorted(worse))}.")


def lost_tests(before: Extraction, after: Extraction, plan: Plan, new: str) -> str:
    """Return the tests that no longer read a column under its new name, each with its place."""
    renamed = [column._replace(name=new) for column in plan.columns]
    kept = tests_of(after, renamed)
    return ", ".join(
        f"{name} ({Path(place.file).name}:{place.line})" if place is not None else name
        for name, place in sorted(tests_of(before, plan.columns).items())
        if name not in kept and name.replace(plan.old, new) not in kept
    )


def tests_of(extraction: Extraction, columns: Iterable[Column]) -> dict[str, Place | None]:
    """Return the tests that read some columns, each with the place of its read."""
    wanted = {(column.dataset, column.name) for column in columns}
    return {
        read.target.name: read.place
        for read in extraction.reads
        if extraction.datasets[read.target].kind == TEST and (read.dataset, read.column) in wanted
    }


def extraction_with(workspace: Workspace, texts: Mapping[str, str]) -> Extraction:
    """Return the lineage of the project with other texts of some files."""
    documents = workspace.documents
    kept = {path: documents.texts.get(path) for path in texts}
    try:
        for path, text in texts.items():
            documents.put(path, text)

        own = workspace.project
        return Project(own.source, own.cache).extraction()
    finally:
        for path, before in kept.items():
            documents.drop(path)
            if before is not None:
                documents.put(path, before)


def facts_of(
    extraction: Extraction, renamed: Mapping[tuple[str, str], str]
) -> Counter[tuple[str, str]]:
    """Return the edges and reads of a lineage, with other names for some columns: each is the
    dataset that reads, and a text.

    Tests are called after the columns that they check, so that only their number counts.
    """
    kinds = {dataset.name: info.kind for dataset, info in extraction.datasets.items()}
    found: Counter[tuple[str, str]] = Counter()
    for edge in extraction.edges:
        target = edge.target
        end = target.name
        if isinstance(target, Column):
            end = column_text(target.dataset.name, target.name, renamed)

        start = column_text(edge.source.dataset.name, edge.source.name, renamed)
        how = sorted(f"{each.how.value} {each.clause.value}" for each in edge.usages)
        found[edge.into.name, f"{start} -> {end} {', '.join(how)}"] += 1

    for read in extraction.reads:
        target_name = TEST if kinds.get(read.target.name) == TEST else read.target.name
        named = column_text(read.dataset.name, read.column or "", renamed)
        found[target_name, f"{target_name} reads {named} in {read.clause.value}"] += 1

    return found


def column_text(dataset: str, column: str, renamed: Mapping[tuple[str, str], str]) -> str:
    """Return dataset.column under its new name."""
    return f"{dataset}.{renamed.get((dataset, column), column)}"


def errors_of(extraction: Extraction) -> Counter[str]:
    """Return how often each error occurs."""
    return Counter(
        each.code.code for each in extraction.diagnostics if each.severity >= Severity.WARNING
    )
