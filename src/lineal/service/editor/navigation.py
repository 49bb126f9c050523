"""Where a column is made, and everywhere it is read.

A column that a star passes on is the same column under the same name: definitions lead through
stars and CTEs to where the name is written, and references go along them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from glob import escape
from itertools import chain
from pathlib import Path

from lineal.graph.graph import Graph
from lineal.model.consumers import VIRTUAL
from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.names import is_same_name
from lineal.model.sequences import flatten
from lineal.resolve.mentions import Local, Named, StatementMentions
from lineal.service.editor.positions import Text
from lineal.service.editor.spots import Spot, column_of, name_span, spots_in
from lineal.service.editor.workspace import Workspace

Span = tuple[str, int, int]
"""A file, and a stretch of it."""
MOST_STEPS = 200
SOURCE = "source"


def same_named(left: Named, right: Named) -> bool:
    """Tell whether two names are those of one column."""
    return left.owner == right.owner and is_same_name(left.column, right.column)


# -- definitions -----------------------------------------------------------------------------------


def definitions_of(workspace: Workspace, spot: Spot) -> list[Span]:
    """Return where the column or dataset of a spot is defined.

    orders.amount in a model      the alias `as amount` in the model orders
    ref('orders')                 the file of the model orders
    """
    named = spot.means or tuple(filter(None, (spot.makes,)))
    makers = flatten(maker_of(workspace, each, spot.statement) for each in named)
    if isinstance(spot.dataset, Local):
        makers += relation_span(workspace, spot, spot.dataset)
    elif isinstance(spot.dataset, Dataset):
        makers += dataset_span(workspace, spot.dataset)

    return list(dict.fromkeys(makers))


def relation_span(workspace: Workspace, spot: Spot, local: Local) -> list[Span]:
    """Return where a CTE is named."""
    assert spot.statement is not None
    start, name = spot.statement.relations.get(local, (0, ""))
    span = workspace.align(spot.path, spot.statement.script).to_file(start, start + len(name))
    return [(spot.path, *span)] if name and span is not None else []


def dataset_span(workspace: Workspace, dataset: Dataset) -> list[Span]:
    """Return where a dataset is made: the file of its statement, else its declaration.

    a model      the first line of its file
    a source     its item in YAML, also if a program of the project fills it
    """
    state = workspace.state
    file = state.made_in.get(dataset)
    info = state.graph.infos.get(dataset)
    is_source = info is not None and info.kind == SOURCE and info.place is not None
    if file is not None and not is_source:
        start = start_in(workspace, file, dataset)
        return [(file, start, start)]

    if info is not None and info.place is not None:
        return [span_of_place(workspace, info.place, dataset.name.rpartition(".")[2])]

    for path in state.declared_in(dataset):
        spots = spots_of(workspace, path, dataset)
        if spots:
            start = min(each.start for each in spots)
            return [(path, start, start)]

    return []


def start_in(workspace: Workspace, file: str, dataset: Dataset) -> int:
    """Return where the statement of a dataset begins; a model is its whole file."""
    if dataset.name in workspace.state.targets:
        return 0

    return min((each.start for each in spots_of(workspace, file, dataset)), default=0)


def spots_of(workspace: Workspace, file: str, dataset: Dataset) -> list[Spot]:
    """Return the spots of the statements of a file that make a dataset."""
    spots = spots_in(workspace, file)
    return [each for each in spots if each.statement and each.statement.target == dataset]


def span_of_place(workspace: Workspace, place: Place, name: str) -> Span:
    """Return the stretch of a place: the name, if it is written there."""
    text = Text(workspace.text(place.file))
    span = name_span(text, place, name)
    if span is not None:
        return (place.file, *span)

    start = text.at(place.line, place.column)
    return place.file, start, start


def maker_of(workspace: Workspace, named: Named, statement: StatementMentions | None) -> list[Span]:
    """Return where a column gets its name: through stars, CTEs and models.

    with o as (select * from {{ ref('stg_orders') }}) select o.order_id from o

    `id as order_id` in stg_orders: the CTE and its star pass the name on
    """
    waiting = [named]
    spans: list[Span] = []
    for _ in range(MOST_STEPS):
        if not waiting:
            break

        named = waiting.pop(0)
        several = makers(workspace, named, statement)
        found = flatten(written_names(workspace, each, named) for each in several)
        passed = flatten(passed_from(each, named) for each in several)
        if not found and not passed:
            found = declared_span(workspace, named)

        spans += found
        waiting += [] if found else passed[:1]
        waiting += flatten(branches_of(each, named) for each in several)

    return spans


def branches_of(statement: StatementMentions, named: Named) -> list[Named]:
    """Return the columns of later branches of a UNION that a column is made of, too.

    select id as n from a union all select number from b      n is also the number of b
    """
    pairs = statement.branches.items()
    return [other for made, others in pairs if same_named(made, named) for other in others]


def makers(
    workspace: Workspace, named: Named, at_hand: StatementMentions | None = None
) -> list[StatementMentions]:
    """Return the statements that make a dataset or inner relation.

    orders, a model           the statements of its file
    orders, a table           also its CREATE TABLE
    the CTE of a statement    that statement
    """
    is_inner = isinstance(named.owner, Local)
    if is_inner and at_hand is not None and at_hand.target == named.dataset:
        return [at_hand]

    state = workspace.state
    files = dict.fromkeys((state.made_in.get(named.dataset, ""), *state.declared_in(named.dataset)))
    several = chain.from_iterable(map(workspace.statements, files))
    return [each for each in several if each.target == named.dataset]


def written_names(
    workspace: Workspace, statement: StatementMentions, named: Named
) -> Iterator[Span]:
    """Yield where a statement names a column that it makes.

    select id as order_id      the alias order_id
    select order_id            the item itself, which makes a column of that name
    """
    path = statement.script.file
    if statement.script.kind in VIRTUAL:
        yield from (
            (path, each.start, each.end)
            for each in spots_in(workspace, path)
            if each.names_element and is_maker(each, named)
        )
        return

    alignment = workspace.align(path, statement.script)
    for mention in statement.mentions:
        if mention.makes is not None and same_named(mention.makes, named):
            span = alignment.to_file(mention.start, mention.end)
            near = alignment.near(mention.start)
            yield (path, *span) if span is not None else (path, near, near)


def passed_from(statement: StatementMentions, named: Named) -> list[Named]:
    """Return the column that a star passes on under this name.

    select * from orders      the target's amount is that of orders
    """
    pairs = statement.passed.items()
    return [source for made, source in pairs if same_named(made, named) and source != made]


def declared_span(workspace: Workspace, named: Named) -> list[Span]:
    """Return where a program makes a column, else where it is declared, else its dataset.

    raw_orders.id      its item in YAML, or its cell in the header of a CSV file
    """
    column = column_of(named)
    if column is None:
        return []

    file = workspace.state.made_in.get(column.dataset, "")
    made = [each for each in spots_in(workspace, file) if is_maker(each, named)]
    if made:
        return [(made[0].path, made[0].start, made[0].end)]

    header = header_span(workspace, column)
    if header is not None:
        return [header]

    places = [edge.place for edge in workspace.graph.into(column)]
    declared = declaration_of(workspace.graph, column).place
    for place in filter(None, [*places, declared]):
        return [span_of_place(workspace, place, column.name)]

    return dataset_span(workspace, column.dataset)


def header_span(workspace: Workspace, column: Column) -> Span | None:
    """Return where the CSV file of a seed names a column that YAML describes.

    seeds/seeds.yml       - name: raw_orders, columns: [{name: id}]
    seeds/raw_orders.csv  id,user_id,status      the cell id
    """
    info = workspace.graph.infos.get(column.dataset)
    place = declaration_of(workspace.graph, column).place
    if info is None or info.kind != "seed" or place is None:
        return None

    folder = Path(place.file).parent
    below = workspace.root / folder
    name = escape(Path(column.dataset.name.rpartition(".")[2]).name)
    for path in sorted(below.rglob(f"{name}.csv")):
        file = (folder / path.relative_to(below)).as_posix()
        span = name_span(Text(workspace.text(file)), Place(file, 1, 1), column.name)
        if span is not None:
            return (file, *span)

    return None


def is_maker(spot: Spot, named: Named) -> bool:
    """Tell whether a column gets its name at a spot."""
    return spot.makes is not None and same_named(spot.makes, named)


# -- references ------------------------------------------------------------------------------------


class Kin:
    """The columns that are one and the same through stars, and every spot that names one of them.

    a view with `select * from orders` has orders.amount under its own name: both are kin
    """

    def __init__(self, workspace: Workspace, starts: Iterable[Named]) -> None:
        self.workspace = workspace
        self.columns: dict[Named, None] = {}
        self.spots: dict[tuple[str, int, int, bool], Spot] = {}
        waiting = list(starts)
        while waiting:
            named = waiting.pop()
            if named in self.columns:
                continue

            self.columns[named] = None
            waiting += self.neighbors(named)

        for path in self.files():
            self.add_spots(path)

    def neighbors(self, named: Named) -> Iterator[Named]:
        """Yield the columns that a star passes this one to, or takes it from.

        create view v as select * from t      t.a is v.a, under the same name
        """
        for statement in self.statements_about(named):
            pairs = [
                (made, source)
                for made, source in statement.passed.items()
                if not self.is_spelled_out(statement, made)
            ]
            yield from (made for made, source in pairs if same_named(source, named))
            yield from (source for made, source in pairs if same_named(made, named))

    def is_spelled_out(self, statement: StatementMentions, made: Named) -> bool:
        """Tell whether a statement writes the name of a column that it makes."""
        makers = filter(None, (mention.makes for mention in statement.mentions))
        return any(same_named(each, made) for each in makers)

    def statements_about(self, named: Named) -> Iterator[StatementMentions]:
        """Yield the statements that make or read the dataset of a column."""
        yield from makers(self.workspace, named)
        for path in self.reading_files(named.owner):
            yield from self.workspace.statements(path)

    def reading_files(self, owner: Dataset | Local) -> list[str]:
        """Return the files whose statements read a dataset; an inner relation is read in its own."""
        state = self.workspace.state
        if isinstance(owner, Local):
            return []

        numbers = state.readers.get(owner, set())
        return sorted({state.corpus.scripts[number].file for number in numbers})

    def files(self) -> list[str]:
        """Return every file that may name one of the columns."""
        state = self.workspace.state
        found: dict[str, None] = {}
        for named in self.columns:
            owner = named.dataset
            found |= dict.fromkeys(declaring_files(state.graph.infos.get(owner)))
            found[state.made_in.get(owner, "")] = None
            found |= dict.fromkeys(state.declared_in(owner))
            found |= dict.fromkeys(self.reading_files(named.owner))

        return sorted(filter(None, found))

    def add_spots(self, path: str) -> None:
        """Add the spots of a file that name one of the columns."""
        for spot in spots_in(self.workspace, path):
            if any(map(self.has, spot.columns)):
                self.spots.setdefault((spot.path, spot.start, spot.end, spot.is_written), spot)

    def has(self, named: Named) -> bool:
        """Tell whether a column is one of them."""
        return any(same_named(named, each) for each in self.columns)


def declaring_files(info: DatasetInfo | None) -> Iterator[str]:
    """Yield the files that declare a dataset or its columns."""
    if info is None:
        return

    columns = (*info.columns, *info.declared_columns)
    for place in (info.place, *(each.place for each in columns)):
        if place is not None:
            yield place.file


def references_to(workspace: Workspace, spot: Spot, with_declaration: bool) -> list[Span]:
    """Return every spot that reads the column or dataset of a spot.

    orders.amount      `sum(amount)` in customers, `field: amount` of a test, F.col("amount")
    """
    if not spot.columns:
        return readers_of(workspace, spot)

    kin = Kin(workspace, spot.columns)
    found = [
        (each.path, each.start, each.end)
        for each in kin.spots.values()
        if with_declaration or each.means
    ]
    return sorted(dict.fromkeys(found))


def readers_of(workspace: Workspace, spot: Spot) -> list[Span]:
    """Return every spot that names a dataset or CTE."""
    wanted = spot.dataset
    if wanted is None:
        return []

    paths = {spot.path}
    if isinstance(wanted, Dataset):
        paths.update(Kin(workspace, ()).reading_files(wanted))

    spots = chain.from_iterable(spots_in(workspace, path) for path in paths)
    found = {(each.path, each.start, each.end) for each in spots if names_dataset(each, wanted)}
    return sorted(found)


def names_dataset(spot: Spot, wanted: Dataset | Local | None) -> bool:
    """Tell whether a spot names a dataset or CTE; a qualifier of a column is not one."""
    is_alias = spot.mention is not None and spot.mention.is_alias
    return spot.dataset == wanted and spot.is_written and not is_alias


def declaration_of(graph: Graph, column: Column) -> ColumnInfo:
    """Return the declaration of a column; only its name if there is none.

    columns: [{name: total}]      also if the model makes no column total
    """
    found = graph.info(column)
    if found is not None:
        return found

    info = graph.infos.get(column.dataset)
    declared = (info.declared if info is not None else None) or []
    named = (each for each in declared if is_same_name(each.name, column.name))
    return next(named, ColumnInfo(column.name))


def column_in_graph(workspace: Workspace, named: Named) -> Column | None:
    """Return a column as the graph spells it; None for one that the graph does not have."""
    column = column_of(named)
    if column is None or column.dataset not in workspace.graph.infos:
        return None

    known = workspace.graph.columns(column.dataset)
    return next((each for each in known if is_same_name(each.name, column.name)), column)
