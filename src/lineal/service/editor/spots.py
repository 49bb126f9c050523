"""Spots: what a file names at an offset, whatever kind of file it is.

    spots_in(workspace, path)      every column and dataset that the file names, with its range

SQL and templates are read by the resolver of the lineage. In YAML, CSV, Python and notebooks, the
places of declarations and reads say where to look; the name must be written there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import chain, islice, product
from pathlib import Path
from typing import NamedTuple

from lineal.graph.graph import UnknownName
from lineal.model.consumers import CONSUMERS
from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset, Read
from lineal.model.names import is_same_name
from lineal.resolve.mentions import Local, Mention, Named, StatementMentions
from lineal.service.editor.positions import Text
from lineal.service.editor.workspace import Workspace

REF = re.compile(
    r"\b(?P<call>ref|source)\s*\(\s*(?P<first>['\"][^'\"]*['\"])"
    r"(?:\s*,\s*(?P<second>['\"][^'\"]*['\"]))?"
)
"""ref('orders'), ref('package', 'orders'), source('shop', 'orders')"""

YAML = (".yml", ".yaml")
PYTHON = (".py", ".ipynb")
NAME_KEYS = re.compile(r"(?:-\s*)?(?:\{\s*)?(?:name\s*:\s*)?[\"']?")


class Spot(NamedTuple):
    """A stretch of a file, from start up to end, that names a column or a dataset."""

    path: str
    start: int
    end: int
    means: tuple[Named, ...] = ()
    makes: Named | None = None
    dataset: Dataset | Local | None = None
    mention: Mention | None = None
    statement: StatementMentions | None = None
    is_written: bool = True
    """False: a macro or loop has written it, and the range is where that was called"""
    why: str = ""
    """why it cannot be edited there; '': it can"""
    names_element: bool = False
    """it is the name of an entity, dimension or measure, or that of a metric"""

    @property
    def columns(self) -> tuple[Named, ...]:
        """Every column that is named here."""
        return self.means if self.makes is None else (*self.means, self.makes)


def spots_in(workspace: Workspace, path: str) -> list[Spot]:
    """Return what a file names, in the order of its text.

    models/orders.sql     by its statements, and its ref() and source()
    models/orders.yml     by the places of declarations and tests
    jobs/daily.py         by the places of reads
    """
    suffix = Path(path).suffix.lower()
    read = READERS.get(suffix, in_sql)
    return sorted(read(workspace, path), key=lambda spot: (spot.start, -spot.end))


def spot_at(workspace: Workspace, path: str, offset: int) -> Spot | None:
    """Return the spot at an offset: the shortest, and names in the text before those that macros
    write.
    """
    several = [spot for spot in spots_in(workspace, path) if spot.start <= offset <= spot.end]
    return min(several, key=lambda spot: (not spot.is_written, spot.end - spot.start), default=None)


# -- SQL and templates -----------------------------------------------------------------------------


def in_sql(workspace: Workspace, path: str) -> Iterator[Spot]:
    """Yield what the statements of a file name.

    select {{ cents('amount') }} as amount

    the alias is written here; the amount inside the macro is not
    """
    for statement in workspace.statements(path):
        yield from in_statement(workspace, path, statement)

    yield from in_model_header(workspace, path)
    yield from in_tags(workspace, path)


MODEL_HEADER = re.compile(r"\s*MODEL\s*\((?P<settings>.*?)\)\s*;", re.I | re.S)
"""MODEL (name mart.orders, audits (not_null(columns := (id))));      at the start of a file"""


def header_words(text: str, name: str) -> list[tuple[int, int]]:
    """Return where the header of a SQLMesh model names a column: keys, audits, descriptions.

    The name of the model and strings are not columns.
    """
    header = MODEL_HEADER.match(text)
    if header is None:
        return []

    word = re.compile(rf"'[^']*'|\bname\s+[^,)]+|(?<![\w.])(?P<name>{re.escape(name)})(?!\w)", re.I)
    found = word.finditer(text, *header.span("settings"))
    return [each.span("name") for each in found if each["name"]]


def in_model_header(workspace: Workspace, path: str) -> Iterator[Spot]:
    """Yield the columns that the header of a SQLMesh model names."""
    text = workspace.text(path)
    if MODEL_HEADER.match(text) is None:
        return

    made = [dataset for dataset, file in workspace.state.made_in.items() if file == path]
    for column in chain.from_iterable(map(workspace.graph.columns, made)):
        for span in header_words(text, column.name):
            yield Spot(path, *span, means=(Named(column.dataset, column.name),))


def in_statement(workspace: Workspace, path: str, statement: StatementMentions) -> Iterator[Spot]:
    """Yield what a statement names; a word of a loop once, with what it means in every round."""
    alignment = workspace.align(path, statement.script)
    written: dict[tuple[int, int], Spot] = {}
    for mention in statement.mentions:
        found = alignment.to_file(mention.start, mention.end)
        if found is not None:
            spot = written.setdefault(found, spot_of(path, found, mention, statement))
            means = tuple(dict.fromkeys((*spot.means, *mention.means)))
            written[found] = spot._replace(means=means, makes=spot.makes or mention.makes)
            continue

        near = alignment.near(mention.start)
        macro = macro_at(statement, mention.start)
        why = f"the macro {macro} writes it" if macro else "a template writes it"
        yield spot_of(path, (near, near), mention, statement)._replace(is_written=False, why=why)

    yield from written.values()


def spot_of(
    path: str, span: tuple[int, int], mention: Mention, statement: StatementMentions
) -> Spot:
    """Return the spot of a mention."""
    return Spot(path, *span, mention.means, mention.makes, mention.dataset, mention, statement)


def macro_at(statement: StatementMentions, offset: int) -> str:
    """Return the macro that has written the text at an offset; '' for none."""
    for expansion in statement.script.expansions:
        if expansion.start <= offset < expansion.end:
            return expansion.macro

    return ""


def in_tags(workspace: Workspace, path: str) -> Iterator[Spot]:
    """Yield the datasets that ref() and source() name."""
    text = workspace.text(path)
    for found in REF.finditer(text):
        last = "second" if found["second"] else "first"
        names = [each[1:-1] for each in found.group("first", "second") if each]
        name = ".".join(names) if found["call"] == "source" else names[-1]
        dataset = find_dataset(workspace, name)
        if dataset is not None:
            yield Spot(path, found.start(last) + 1, found.end(last) - 1, dataset=dataset)


def find_dataset(workspace: Workspace, name: str) -> Dataset | None:
    """Return the dataset of a name; None if there is none, or several."""
    try:
        return workspace.graph.dataset(name)
    except UnknownName:
        return None


# -- declarations ----------------------------------------------------------------------------------


def in_declarations(workspace: Workspace, path: str) -> Iterator[Spot]:
    """Yield the datasets and columns that a YAML or CSV file declares, and what tests name."""
    text = Text(workspace.text(path))
    for dataset, info in workspace.graph.infos.items():
        last = dataset.name.rpartition(".")[2]
        for span in spans_at(path, text, info.place, last):
            yield Spot(path, *span, dataset=dataset)

        for column in (*info.columns, *info.declared_columns):
            for span in spans_at(path, text, column.place, column.name):
                yield Spot(path, *span, makes=Named(dataset, column.name))

    if path.lower().endswith(".csv"):
        yield from in_header(workspace, path, text)

    yield from in_checks(workspace, path, text)
    yield from in_layer(workspace, path, text)
    yield from in_tags(workspace, path)


def in_header(workspace: Workspace, path: str, text: Text) -> Iterator[Spot]:
    """Yield the columns that the header of a seed names, also those that YAML describes."""
    for dataset, info in workspace.graph.infos.items():
        if info.kind != "seed" or dataset.name.rpartition(".")[2] != Path(path).stem:
            continue

        for column in info.columns:
            span = name_span(text, Place(path, 1, 1), column.name)
            if span is not None and span[1] <= len(text.line(0)):
                yield Spot(path, *span, makes=Named(dataset, column.name))


NAME_KEY = re.compile(r"\bname\s*:\s*[\"']?\Z")


def in_layer(workspace: Workspace, path: str, text: Text) -> Iterator[Spot]:
    """Yield the columns that semantic models and metrics name, and those that they make.

    - name: revenue          makes the revenue of the semantic model
      expr: amount           the amount of its model
    - name: discount         without expr, both
    """
    found: dict[tuple[int, int], Spot] = {}
    for statement in workspace.statements(path):
        alignment = workspace.align(path, statement.script)
        block = block_at(text, statement.script.line)
        for mention in statement.mentions:
            span = alignment.to_file(mention.start, mention.end)
            if span is not None:
                found[span] = spot_of(path, span, mention, statement)

        for span, mention in in_calls(text.text, block, statement):
            found.setdefault(span, spot_of(path, span, mention, statement))

        for made in filter(None, (mention.makes for mention in statement.mentions)):
            for span in named_in_block(text.text, block, made.column):
                spot = found.get(span, Spot(path, *span, statement=statement))
                found[span] = spot._replace(makes=made, names_element=True)

    yield from found.values()


ELEMENT_CALL = re.compile(r"\b(?:Time)?(?:Dimension|Entity)\(\s*['\"](?:\w+__)?(?P<name>\w+)['\"]")
"""{{ Dimension('order_id__is_paid') }} = true"""


def in_calls(
    text: str, block: tuple[int, int], statement: StatementMentions
) -> Iterator[tuple[tuple[int, int], Mention]]:
    """Yield the elements that filters and groupings call by name, with what each means."""
    for found in ELEMENT_CALL.finditer(text, *block):
        named = (each for each in statement.mentions if each.means and each.name == found["name"])
        for mention in islice(named, 1):
            yield found.span("name"), mention


def named_in_block(text: str, block: tuple[int, int], name: str) -> Iterator[tuple[int, int]]:
    """Yield where an item of a block gets a name: `- name: revenue`."""
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    for found in word.finditer(text, *block):
        if NAME_KEY.search(text, text.rfind("\n", 0, found.start()) + 1, found.start()):
            yield found.span()


def spans_at(path: str, text: Text, place: Place | None, name: str) -> list[tuple[int, int]]:
    """Return where a file spells a name at a place; nothing if the place is in another file."""
    if place is None or place.file != path:
        return []

    return list(filter(None, [name_span(text, place, name)]))


def name_span(text: Text, place: Place, name: str) -> tuple[int, int] | None:
    """Return where a name is written at a place: `- name: x`, `x: INTEGER`, or in a CSV header.

    - name: amount
      type: INTEGER
    """
    for line in range(place.line, place.line + 3):
        start = text.at(line, place.column if line == place.line else 1)
        end = text.start_of(line)
        found = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text.text[start:end])
        if found is not None:
            return start + found.start(), start + found.end()

    return None


VALUES_OF_TESTS = re.compile(
    r"(?:\b(?P<key>field|column|column_name|column_[ab]|compare_column\w*|expr|partition_by|order_by)"
    r"\s*:\s*|-\s+|[\[,]\s*)[\"']?(?P<name>\w+)[\"']?(?=[ \t]*(?:$|[,\]}#]))",
    re.M,
)
"""field: customer_id, - order_id and [order_id, day]: names of columns as arguments of a test"""


EXPRESSIONS_OF_TESTS = re.compile(
    r"\b(?:expression|condition|row_condition|where)\s*:[ \t]*(?P<text>[^\n]+)"
)
"""expression: "amount - tax = net": SQL as an argument of a test"""


def words_of_test(text: str, block: tuple[int, int], name: str) -> Iterator[tuple[int, int]]:
    """Yield where the expressions of a test name a column.

    - dbt_utils.expression_is_true: {expression: "amount - tax = net"}
    """
    word = re.compile(rf"(?<![\w.'-]){re.escape(name)}(?![\w'(-])", re.I)
    for found in EXPRESSIONS_OF_TESTS.finditer(text, *block):
        yield from (each.span() for each in word.finditer(text, *found.span("text")))


def in_checks(workspace: Workspace, path: str, text: Text) -> Iterator[Spot]:
    """Yield the columns that tests name in their arguments.

    - relationships: {to: ref('customers'), field: customer_id}
    """
    spots: dict[Spot, None] = {}
    for read, place in reads_in(workspace, path):
        named = Named(read.dataset, read.column or "")
        block = block_at(text, place.line)
        for found in VALUES_OF_TESTS.finditer(text.text, *block):
            is_other = found["key"] == "field" and is_declared_above(workspace, read, place)
            if is_same_name(found["name"], named.column) and not is_other:
                spots[Spot(path, *found.span("name"), means=(named,))] = None

        for span in words_of_test(text.text, block, named.column) if named.column else ():
            spots[Spot(path, *span, means=(named,))] = None

    yield from spots


def is_declared_above(workspace: Workspace, read: Read, place: Place) -> bool:
    """Tell whether a test is declared with the dataset that it reads: `field` names a column of the
    other one.

    - name: orders
      columns: [{name: buyer, tests: [{relationships: {to: ref('customers'), field: id}}]}]
    """
    infos = workspace.graph.infos.items()
    homes = [(info.place, dataset) for dataset, info in infos if info.kind not in CONSUMERS]
    above = [
        (home, dataset)
        for home, dataset in homes
        if home is not None and home.file == place.file and home.line <= place.line
    ]
    return bool(above) and max(above)[1] == read.dataset


def reads_in(workspace: Workspace, path: str) -> Iterator[tuple[Read, Place]]:
    """Yield the reads of a file, each with its place."""
    for read in workspace.graph.reads:
        if read.place is not None and read.place.file == path:
            yield read, read.place


def block_at(text: Text, line: int) -> tuple[int, int]:
    """Return the lines of a YAML item: from its line to the next one that is not deeper.

    - name: orders        from this line
      columns: […]
    - name: customers     up to this one
    """
    first = text.line(line - 1)
    indent = len(first) - len(first.lstrip())
    last = line
    while last < len(text.starts):
        following = text.line(last)
        if following.strip() and len(following) - len(following.lstrip()) <= indent:
            break

        last += 1

    return text.start_of(line - 1), text.start_of(last)


# -- programs --------------------------------------------------------------------------------------


def in_program(workspace: Workspace, path: str) -> Iterator[Spot]:
    """Yield the columns that a program reads and makes, where it spells their names.

    df.groupBy("day").agg(F.sum("amount"))      day and amount
    """
    source = workspace.text(path)
    text = Text(source)
    literals = literals_in(source) if path.endswith(".py") else []
    for read, place in reads_in(workspace, path):
        name = read.column or read.dataset.name.rpartition(".")[2]
        start = text.at(place.line, place.column)
        span = spelled_at(text, place, name, literals)
        spot = Spot(path, *(span or (start, start)), is_written=span is not None)
        if span is None:
            spot = spot._replace(why=VARIABLE if read.from_variable else UNSPELLED)

        if read.column is None:
            yield spot._replace(dataset=read.dataset)
        else:
            yield spot._replace(means=(Named(read.dataset, read.column),))

    yield from outputs_of_program(workspace, path, text, literals)


def outputs_of_program(
    workspace: Workspace, path: str, text: Text, literals: list[Literal]
) -> Iterator[Spot]:
    """Yield where a program names the columns that it makes: .alias("total"), .withColumn("net", …)"""
    state = workspace.state
    naming = [literal for literal in literals if literal.role == NAMING]
    made = [dataset for dataset, file in state.made_in.items() if file == path]
    columns = chain.from_iterable(map(state.graph.columns, made))
    for column, literal in product(columns, naming):
        if literal.value == column.name:
            named = Named(column.dataset, column.name)
            yield Spot(path, literal.start, literal.end, makes=named)


VARIABLE, UNSPELLED = "a variable holds its name", "its name is not spelled there"
NAMING = "naming"
NAMING_CALLS = frozenset(
    ("alias", "name", "withColumn", "withColumnRenamed", "toDF", "withColumns")
)
"""Methods whose string argument names a column that they make."""


class Literal(NamedTuple):
    """A string in a program, without its quotes."""

    start: int
    end: int
    value: str
    role: str = ""


def literals_in(source: str) -> list[Literal]:
    """Return the plain strings of a program; none if it does not parse.

    F.col("amount").alias("total")      amount, and total, which names a column that is made
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []

    text = Text(source)
    naming = {id(node) for call in ast.walk(tree) for node in naming_arguments(call)}
    found: list[Literal] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            line = text.line(node.lineno - 1)
            head = line.encode()[: node.col_offset].decode(errors="replace")
            start = text.at(node.lineno, len(head) + 1)
            inside = source.find(node.value, start, start + len(node.value) + 5)
            if inside >= 0 and node.value:
                role = NAMING if id(node) in naming else ""
                found.append(Literal(inside, inside + len(node.value), node.value, role))

    return found


def naming_arguments(call: ast.AST) -> Iterator[ast.AST]:
    """Yield the arguments of a call that name columns which it makes.

    df.withColumnRenamed("a", "b")      b
    df.toDF("a", "b")                   a and b
    """
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return

    name = call.func.attr
    if name == "withColumnRenamed":
        yield from call.args[1:2]
    elif name == "toDF":
        yield from call.args
    elif name in NAMING_CALLS:
        yield from call.args[:1]


def spelled_at(
    text: Text, place: Place, name: str, literals: list[Literal]
) -> tuple[int, int] | None:
    """Return where a name is spelled at a place: right there, or in the expression that begins
    there.

    F.col("amount")                     the place of the call; the name is inside it
    spark.sql("select amount from …")   the place of the name itself
    """
    start = text.at(place.line, place.column)
    if text.text[start : start + len(name)] == name:
        return start, start + len(name)

    line_end = text.start_of(place.line)
    for literal in literals:
        if literal.start >= start and literal.value == name:
            return literal.start, literal.end

    begin = text.start_of(place.line - 1)
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    found = word.search(text.text, start, line_end) or word.search(text.text, begin, line_end)
    return found.span() if found is not None else None


READERS: dict[str, Callable[[Workspace, str], Iterator[Spot]]] = {
    **dict.fromkeys((*YAML, ".csv"), in_declarations),
    **dict.fromkeys(PYTHON, in_program),
}
"""How the spots of a file are found, by its ending; every other file is SQL."""


def column_of(named: Named) -> Column | None:
    """Return the column of a dataset; None for one of a CTE."""
    if isinstance(named.owner, Local):
        return None

    return Column(named.owner, named.column)
