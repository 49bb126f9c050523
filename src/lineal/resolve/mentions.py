"""Mentions: every spot of a script that names a column or a dataset, and what it means there.

    statements_in(corpus)      for each statement its target, its mentions, and what stars pass on

The statements are evaluated by the verbs and scopes that make edges; what a name means here is what
it means in the lineage. An editor asks: for hovers, definitions, references and renames.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.algebra.frame import Frame, Slot, slot_at
from lineal.extract.entries import Definition, Entry
from lineal.extract.sql.evaluation import Evaluation, Notes
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import Source
from lineal.extract.sql.statements.steps import Plan
from lineal.model.boundary import internal_error
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script
from lineal.model.sequences import present
from lineal.resolve.definitions import Definitions


class Local(NamedTuple):
    """A relation inside a statement: a CTE or a subquery.

    WITH o AS (…)      Local(statement, 0), if o is the first relation that is met
    """

    statement: Dataset
    number: int


class Named(NamedTuple):
    """A column that a text can name: of a dataset, or of a relation inside a statement.

    orders.amount      Named(orders, "amount")
    """

    owner: Dataset | Local
    column: str

    @property
    def dataset(self) -> Dataset:
        """The dataset, or the target of the statement around an inner relation."""
        if isinstance(self.owner, Local):
            return self.owner.statement

        return self.owner


class Mention(NamedTuple):
    """A spot in the text of a script, from start up to end.

    SELECT o.amount AS total

    o        dataset: the source
    amount   means: the column of the source
    total    makes: the column of the statement's target
    """

    start: int
    end: int
    name: str
    means: tuple[Named, ...] = ()
    """the column that is read there; several where the text does not decide"""
    makes: Named | None = None
    """the column that gets its name there"""
    dataset: Dataset | Local | None = None
    """the dataset or CTE that is named there"""
    is_item: bool = False
    """it is an item of SELECT without an alias, so that the column made takes its name"""
    is_key: bool = False
    """it is in USING: both sides have a column of that name"""
    is_alias: bool = False
    """it is a qualifier, o in o.amount, that stands for the dataset"""


class Star(NamedTuple):
    """A star, or t.*, with the columns that it stands for.

    SELECT o.*      the range of `o.*`, with id and amount
    """

    start: int
    end: int
    columns: tuple[str, ...]
    is_open: bool
    qualifiers: tuple[str, ...] = ()
    """how the text names the source of each column"""


class VisibleSources(NamedTuple):
    """The sources of a SELECT with their columns.

    SELECT | FROM orders AS o      o, with its columns, between SELECT and the end of the query
    """

    start: int
    end: int
    sources: tuple[tuple[str, Dataset | Local | None, tuple[str, ...]], ...]


@dataclass
class StatementMentions:
    """The mentions of one statement."""

    target: Dataset
    script: Script
    mentions: list[Mention] = field(default_factory=list)
    stars: list[Star] = field(default_factory=list)
    scopes: list[VisibleSources] = field(default_factory=list)
    passed: dict[Named, Named] = field(default_factory=dict)
    """the columns that a star passes on under their names, and what they are of"""
    branches: dict[Named, list[Named]] = field(default_factory=dict)
    """the columns of a UNION, named by its first branch, and those of the other branches"""
    made_of: dict[Named, list[tuple[Column, str]]] = field(default_factory=dict)
    """the columns of inner relations, and what their values come from"""
    relations: dict[Local, tuple[int, str]] = field(default_factory=dict)
    """where each inner relation is named, and its name"""
    fills: dict[Named, Named] = field(default_factory=dict)
    """the columns of an INSERT's query, and those of the target that they fill by position"""


class CorpusMentions(NamedTuple):
    """The mentions of a corpus, and the lineage that was found on the way."""

    statements: list[StatementMentions]
    extraction: Extraction


def statements_in(corpus: Corpus) -> CorpusMentions:
    """Evaluate a corpus, and return what its SQL statements mention.

    WITH o AS (SELECT id FROM orders) SELECT o.id FROM o

    both `id` are mentions: the first means orders.id, the second the id of the CTE
    """
    noting = Noting(corpus)
    extraction = noting.extract()
    found = [declared_names(*each, noting) for each in noting.declarations]
    for definition in noting.catalog.order:
        notes = definition.evaluation.notes if definition.evaluation is not None else None
        if notes is not None and isinstance(definition.plan.node, exp.Expr):
            target = noting.output.shown.dataset(definition.target)
            try:
                found.append(Binder(definition, notes, target, noting).bind())
            except Exception as error:
                place = definition.reading.statement_near(definition.plan.node)
                extraction.diagnostics.append(internal_error(error, place))

    return CorpusMentions(found, extraction)


def declared_names(plan: Plan, reading: Reading, entry: Entry, noting: Noting) -> StatementMentions:
    """Return the columns that a statement declares without making a value of them.

    CREATE TABLE orders (id INT, amount INT)      orders.id and orders.amount
    """
    shown = noting.output.shown
    found = StatementMentions(shown.dataset(entry.dataset), reading.script)
    for identifier in target_names(plan.node) if isinstance(plan.node, exp.Expr) else ():
        spot = spot_in(reading.script.text, identifier)
        if spot is not None:
            column = shown.column(Column(entry.dataset, identifier.name))
            made = Named(found.target, column.name)
            found.mentions.append(Mention(*spot, identifier.name, makes=made))

    return found


class Noting(Definitions):
    """Definitions whose evaluations write down what each name means."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self.declarations: list[tuple[Plan, Reading, Entry]] = []
        self.gatherer.on_declare = lambda *each: self.declarations.append(each)

    def frame_of(self, definition: Definition, evaluation: Evaluation) -> Frame:
        """Work out what a statement writes, with notes."""
        evaluation.notes = Notes()
        return super().frame_of(definition, evaluation)


NO_SELECT: tuple[Any, list[Slot]] = (None, [])
SOURCES_FIRST = ("expressions", "where", "joins", "group", "having")
"""The clauses in which a column of a source hides an alias of the SELECT."""


class Binder:
    """Finds out what the mentions of one statement have to do with each other."""

    def __init__(
        self, definition: Definition, notes: Notes, target: Dataset, noting: Noting
    ) -> None:
        self.definition = definition
        self.notes = notes
        self.fold = definition.facts.fold
        self.fold_table = definition.facts.fold_table
        self.shown = noting.output.shown
        self.text = definition.reading.script.text
        self.found = StatementMentions(target, definition.reading.script)
        self.scopes = {id(scope): (node, slots) for node, scope, slots in notes.selects}
        self.numbers: dict[int, int] = {}
        self.seen: set[tuple[int, Named | None]] = set()
        is_named_inside = definition.plan.defines and not definition.plan.columns
        self.root = first_select(definition.plan.query) if is_named_inside else None

    def bind(self) -> StatementMentions:
        """Return the mentions of the statement."""
        for column, slot, scope in self.notes.columns:
            self.add_column(column, slot, scope)

        for select, scope, slots in self.notes.selects:
            self.add_outputs(select, scope, slots)
            self.add_sources(select, scope)
            self.add_keys(select, scope)

        for union in self.definition.plan.node.find_all(exp.Union):
            self.add_branches(union)

        self.add_targets(self.definition.plan.node)
        self.add_fills()
        self.found.mentions = sorted(dict.fromkeys(self.found.mentions), key=itemgetter(0, 1, 2))
        return self.found

    # -- columns that are read ---------------------------------------------------------------------

    def add_column(self, node: exp.Column, slot: Slot, scope: Scope) -> None:
        """Add a mention of a column that is read, and of its qualifier.

        SELECT o.amount      amount, and o as the qualifier of amount
        """
        select, _ = self.scopes.get(id(scope), NO_SELECT)
        means = tuple(dict.fromkeys(self.meanings(node, slot, scope)))
        is_item = node.parent is select and node.arg_key == "expressions"
        makes = None
        if is_item:
            makes = self.output(node.parent, slot_key(node, self.fold), node.name)

        self.add(node.this, means=means, makes=makes, is_item=is_item)
        owners = {each.owner for each in means}
        if len(owners) == 1:
            self.add(node.args.get("table"), dataset=owners.pop(), is_alias=True)

    def add(self, identifier: Any, **about: Any) -> None:
        """Add a mention, if its identifier is written in the text."""
        spot = self.spot(identifier)
        if spot is not None:
            self.found.mentions.append(Mention(*spot, identifier.name, **about))

    def scopes_around(self, scope: Scope | None) -> Iterator[tuple[Scope, Any, list[Slot]]]:
        """Yield a scope with its SELECT and its columns, and those around it."""
        while scope is not None:
            yield scope, *self.scopes.get(id(scope), NO_SELECT)
            scope = scope.parent

    def meanings(self, node: exp.Column, slot: Slot, scope: Scope) -> list[Named]:
        """Return the columns that a mention may mean: that of a source, or of the SELECT itself.

        SELECT a + 1 AS b … ORDER BY b      b is the column of this SELECT, a that of a source
        SELECT *, a + 1 AS b                a is that of a source, though the star has one, too
        """
        key = slot_key(node, self.fold)
        for around, select, slots in self.scopes_around(scope):
            homes = [source for source in around.order if has_slot(source, slot, key)]
            found = [self.column_of(source, slot, node.name, select) for source in homes[:1]]
            if not found or not prefers_sources(node, select):
                own = (each for each in slots if each is slot)
                found += [self.output(select, slot.key, slot.name) for each in own]

            if found:
                return present(found)

        return self.candidates(node, key, scope)

    def candidates(self, node: exp.Column, key: str, scope: Scope) -> list[Named]:
        """Return every column of that name among the sources: of a USING both sides have it.

        FROM a JOIN b USING (id) … id      the id of a, and that of b
        """
        table = node.args.get("table")
        for around, select, _ in self.scopes_around(scope):
            several = around.order
            if table is not None:
                several = self.sources_called(table, several)

            found = present(self.column_called(each, key, node.name, select) for each in several)
            if found:
                return found

        return []

    def sources_called(self, table: exp.Expr, several: list[Source]) -> list[Source]:
        """Return the sources that a qualifier names."""
        wanted = self.fold_table(table.name, bool(table.args.get("quoted")))
        return [each for each in several if wanted in (each.alias, each.name)]

    def column_called(self, source: Source, key: str, name: str, select: Any) -> Named | None:
        """Return the column of a source that has this key."""
        slot = slot_at(source.index, key)
        if slot is None:
            return None

        return self.column_of(source, slot, name, select)

    def column_of(self, source: Source, slot: Slot, name: str, select: Any) -> Named | None:
        """Return the column of a source that a slot stands for.

        FROM orders            a column of the dataset orders
        FROM (SELECT …) AS s   a column of the inner SELECT
        """
        if source.dataset is not None:
            shown = self.shown.column(slot.scanned or Column(source.dataset, name))
            return Named(shown.dataset, shown.name)

        body = self.body_of(source, select)
        if body is None:
            return None

        return self.output(body, slot.key, slot.name)

    def add_branches(self, union: exp.Union) -> None:
        """Link the columns of a UNION's first branch to those of its last one, by position.

        SELECT a AS x FROM t UNION ALL SELECT b FROM u      x is made of a, and of b
        """
        outputs = {id(node): slots for node, slots in self.scopes.values()}
        first, last = first_select(union), first_select(union.expression)
        named, others = outputs.get(id(first), []), outputs.get(id(last), [])
        if union.args.get("by_name") or len(named) != len(others):
            return

        for slot, other in zip(named, others, strict=True):
            made = self.output(first, slot.key, slot.name)
            branch = self.output(last, other.key, other.name)
            self.found.branches.setdefault(made, []).append(branch)

    # -- relations inside the statement ---------------------------------------------------------

    def body_of(self, source: Source, select: Any) -> exp.Expr | None:
        """Return the node that names the columns of a CTE or subquery: its list, or its SELECT.

        FROM (SELECT a AS x FROM t) AS s           the inner SELECT
        FROM (SELECT a FROM t) AS s (x)            the list (x)
        """
        for node in relations_of(select):
            if self.fold_table(node.alias_or_name, False) in (source.alias, source.name):
                return self.naming_node(node)

        return None

    def naming_node(self, node: exp.Expr) -> exp.Expr | None:
        """Return the node that names the columns of a member of FROM; None for a dataset."""
        if isinstance(node, exp.Table):
            cte = self.cte_of(node)
            return None if cte is None else self.naming_node(cte)

        alias = node.args.get("alias")
        if alias is not None and alias.args.get("columns"):
            return alias  # type: ignore[no-any-return]

        return first_select(node)

    def cte_of(self, table: exp.Table) -> exp.CTE | None:
        """Return the CTE that a table means; None if it is a dataset.

        WITH o AS (…) SELECT … FROM o      the CTE o; of several of that name, the innermost
        """
        wanted = self.fold_table(table.name, False)
        around: exp.Expr | None = table if table.args.get("db") is None else None
        while around is not None:
            with_ = around.args.get("with_") or exp.With(expressions=[])
            for cte in with_.expressions:
                if self.fold_table(cte.alias, False) == wanted:
                    return cte  # type: ignore[no-any-return]

            around = around.parent

        return None

    def output(self, body: Any, key: str, name: str) -> Named:
        """Return the column that a SELECT makes; the last one's are those of the target.

        INSERT INTO mart SELECT amount AS total …      mart.total, for the outermost SELECT
        """
        if body is self.root:
            column = self.shown.column(Column(self.definition.target, name))
            return Named(self.found.target, column.name)

        number = self.numbers.setdefault(id(body), len(self.numbers))
        return Named(Local(self.found.target, number), key)

    # -- columns that are made ---------------------------------------------------------------------

    def add_outputs(self, node: exp.Select, scope: Scope, slots: list[Slot]) -> None:
        """Add the aliases and the stars of a SELECT list.

        SELECT sum(amount) AS total, o.*
        """
        for slot in slots:
            self.add_output(self.output(node, slot.key, slot.name), slot, node, scope)

        for item in node.expressions:
            if isinstance(item, exp.Alias):
                alias = item.args["alias"]
                key = self.fold(item.alias, bool(alias.args.get("quoted")))
                self.add(alias, makes=self.output(node, key, item.alias))
            elif item.is_star:
                self.add_star(item, scope, slots)

    def add_output(self, made: Named, slot: Slot, node: exp.Select, scope: Scope) -> None:
        """Add a column that a SELECT makes: its sources, and the one that a star passes on."""
        if isinstance(made.owner, Local):
            origins = [(self.shown.column(origin), way.how.value) for origin, way in slot.lineage]
            self.found.made_of[made] = origins

        homes = [each for each in scope.order if has_slot(each, slot, slot.key)]
        for passed in present(self.column_of(each, slot, slot.name, node) for each in homes[:1]):
            self.found.passed[made] = passed

    def add_star(self, item: exp.Expr, scope: Scope, slots: list[Slot]) -> None:
        """Add a star that the text could spell out.

        SELECT *              every source in FROM
        SELECT o.*            the source o alone
        """
        table = item.args.get("table")
        start = self.star_at(item)
        if start is None or any(star_of(item).args.values()):
            return

        sources = self.sources_called(table, scope.order) if table else scope.order
        kept = set(map(id, slots))
        pairs = [
            (slot.name, each.alias or each.name)
            for each in sources
            for slot in each.row_slots
            if id(slot) in kept
        ]
        first = (self.spot(table) or (start,))[0]
        columns, qualifiers = zip(*pairs, strict=True) if pairs else ((), ())
        is_open = any(each.stars for each in sources)
        self.found.stars.append(Star(first, start + 1, columns, is_open, qualifiers))

    def star_at(self, item: exp.Expr) -> int | None:
        """Return where a star is written; its node does not always say."""
        meta = star_of(item)._meta or {}
        spot = self.spot(item.args.get("table"))
        if spot is None:
            return meta.get("start")

        return self.text.find("*", spot[1])

    def add_sources(self, node: exp.Select, scope: Scope) -> None:
        """Add the names of datasets and CTEs in FROM, and what can be named here.

        FROM orders AS o JOIN payments AS p
        """
        visible = [
            (each.alias or each.name, self.owner_of(each, node), column_names(each))
            for each in scope.order
        ]
        for relation in filter(is_table, relations_of(node)):
            self.add_table(relation, scope)

        spots = [*starts_below(node)] or [0, len(self.text)]
        self.found.scopes.append(VisibleSources(min(spots), max(spots), tuple(visible)))

    def owner_of(self, source: Source, node: exp.Select) -> Dataset | Local | None:
        """Return the dataset or inner relation that a member of FROM is."""
        if source.dataset is not None:
            return self.shown.dataset(source.dataset)

        body = self.body_of(source, node)
        if body is None:
            return None

        return self.output(body, "", "").owner

    def add_table(self, relation: Any, scope: Scope) -> None:
        """Add the name of a dataset or CTE."""
        cte = self.cte_of(relation)
        if cte is None:
            for source in self.sources_called(relation, scope.order):
                self.add(relation.this, dataset=self.owner_of(source, relation))

            for source in self.sources_called(exp.to_identifier(relation.alias), scope.order):
                self.add(relation.this, dataset=self.owner_of(source, relation))

            return

        body = self.naming_node(cte)
        owner = self.output(body, "", "").owner if body is not None else None
        named = cte.args["alias"].this
        self.add(named, dataset=owner)
        self.add(relation.this, dataset=owner)
        spot = self.spot(named)
        if isinstance(owner, Local) and spot is not None:
            self.found.relations[owner] = (spot[0], cte.alias)

    def add_keys(self, node: exp.Select, scope: Scope) -> None:
        """USING (id)      a column of both sides"""
        joins = node.args.get("joins") or ()
        for item in chain.from_iterable(join.args.get("using") or () for join in joins):
            named = item.this if isinstance(item, exp.Column) else item
            key = self.fold(named.name, bool(named.args.get("quoted")))
            means = present(self.column_called(each, key, named.name, node) for each in scope.order)
            self.add(named, means=tuple(means), is_key=True)

    def add_targets(self, node: exp.Expr) -> None:
        """Add the columns of the target that a statement lists, sets or declares.

        INSERT INTO mart (id, total) …
        UPDATE mart SET total = …
        CREATE TABLE mart (id INT, total INT)
        """
        for identifier in target_names(node):
            column = self.shown.column(Column(self.definition.target, identifier.name))
            self.add(identifier, makes=Named(self.found.target, column.name))

    def add_fills(self) -> None:
        """Link the columns of an INSERT's query to those of its target, by position.

        INSERT INTO mart SELECT sum(amount) AS total …      fills the first column of mart
        """
        plan, entry = self.definition.plan, self.definition.entry
        select = first_select(plan.query)
        if not plan.positional or select is None:
            return

        names = [each.name for each in target_names(plan.node)]
        if not names and entry.declared is not None:
            names = entry.declared.names

        outputs = next((slots for node, _, slots in self.notes.selects if node is select), [])
        for slot, name in zip(outputs, names, strict=False):
            column = self.shown.column(Column(self.definition.target, name))
            made = self.output(select, slot.key, slot.name)
            self.found.fills[made] = Named(self.found.target, column.name)

    # -- spots -------------------------------------------------------------------------------------

    def spot(self, identifier: Any) -> tuple[int, int] | None:
        """Return where an identifier is written; None if it is not in the text."""
        return spot_in(self.text, identifier)


def spot_in(text: str, identifier: Any) -> tuple[int, int] | None:
    """Return where a text has an identifier; None if it is not written there."""
    meta = (identifier._meta or {}) if isinstance(identifier, exp.Expr) else {}
    if "start" not in meta:
        return None

    start, end = int(meta["start"]), int(meta["end"]) + 1
    if text[start:end].strip("\"`[]'").lower() != identifier.name.lower():
        return None

    return start, end


def slot_key(node: exp.Column, fold: Any) -> str:
    """Return the key of a column's name."""
    return str(fold(node.name, bool(node.this.args.get("quoted"))))


def prefers_sources(node: exp.Column, select: Any) -> bool:
    """Tell whether a name means a column of a source before it means an alias of its SELECT."""
    inner: Any = node
    while inner is not None and inner.parent is not select:
        inner = inner.parent

    return inner is not None and inner.arg_key in SOURCES_FIRST


def has_slot(source: Source, slot: Slot, key: str) -> bool:
    """Tell whether a slot is one of a source's."""
    if slot_at(source.index, slot.key) is slot or source.answers.get(key) is slot:
        return True

    return slot.scanned is not None and slot.scanned.dataset == source.dataset


def column_names(source: Source) -> tuple[str, ...]:
    """Return the names of the columns of a source, as far as they are known."""
    return tuple(slot.name for slot in source.row_slots if slot.star is None)


def first_select(node: Any) -> exp.Select | None:
    """Return the SELECT that names the columns of a query: of a set operation the first.

    SELECT a FROM t UNION ALL SELECT b FROM u      the columns are called as in the first
    """
    while isinstance(node, (exp.Subquery, exp.CTE, exp.SetOperation)):
        node = node.this

    return node if isinstance(node, exp.Select) else None


def star_of(item: exp.Expr) -> exp.Expr:
    """Return the star of t.*, or the star itself."""
    return item.this if isinstance(item, exp.Column) else item


def is_table(node: exp.Expr) -> bool:
    """Tell whether a member of FROM is a name."""
    return isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier)


def relations_of(select: Any) -> Iterator[exp.Expr]:
    """Yield the members of FROM, also those of a join in parentheses.

    FROM a JOIN b ON … JOIN (SELECT …) AS c      a, b and c
    """
    if select is None:
        return

    waiting = [select.args.get("from_"), *(select.args.get("joins") or ())]
    for holder in filter(None, waiting):
        node = holder.this
        yield node
        inner = [node.this] if isinstance(node, exp.Subquery) else []
        yield from filter(is_table, inner)
        yield from (join.this for join in node.args.get("joins") or ())


def starts_below(node: exp.Expr) -> Iterator[int]:
    """Yield the offsets of the words below a node."""
    for each in node.walk():
        meta = each._meta or {}
        if "start" in meta:
            yield meta["start"]
            yield meta["end"] + 1


def target_names(node: exp.Expr) -> Iterator[exp.Identifier]:
    """Yield the identifiers that name columns of the target: of a list, of SET, of a declaration.

    A half-written statement may have a number or a call in their place.
    """
    return (each for each in names_in_place(node) if isinstance(each, exp.Identifier))


def names_in_place(node: exp.Expr) -> Iterator[Any]:
    """Yield the nodes in the places of the target's column names."""
    lists: list[Any] = [node.this] if isinstance(node.this, exp.Schema) else []
    lists += [each.this for each in node.find_all(exp.Insert) if isinstance(each.this, exp.Tuple)]
    for item in chain.from_iterable(each.expressions for each in lists):
        yield item if isinstance(item, exp.Identifier) else item.this

    for update in node.find_all(exp.Update):
        assigned = filter(is_assignment, assignments_of(update))
        yield from (each.this.this for each in assigned)


def assignments_of(update: exp.Update) -> list[Any]:
    """Return what SET lists; a star, as in `WHEN MATCHED THEN UPDATE *`, assigns no column by name."""
    listed = update.args.get("expressions")
    return listed if isinstance(listed, list) else []


def is_assignment(node: Any) -> bool:
    """SET a = 1      whether a column is assigned"""
    return isinstance(node, exp.EQ) and isinstance(node.this, exp.Column)
