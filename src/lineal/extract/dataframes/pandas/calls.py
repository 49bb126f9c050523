"""A call of pandas: the run, the arguments and the place, and what every method asks of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lineal.algebra.expression import AGGREGATED, VALUE
from lineal.algebra.frame import Slot, answer, star_slot
from lineal.algebra.lineage import (
    Expression,
    Lineage,
    add_doubt,
    pour,
    pour_and_decide,
    unite_lineages,
)
from lineal.extract.dataframes.pandas.trees import leaf, literal, transforming_call
from lineal.extract.dataframes.pandas.values import Columns, DataFrame, Levels, Row, Series, Table
from lineal.extract.pyspark.collected import subquery
from lineal.extract.pyspark.frame_scope import FrameEvaluation, FrameScope
from lineal.extract.pyspark.invocation import Arguments, Keywords
from lineal.extract.pyspark.knowledge import is_text, items_of
from lineal.extract.pyspark.relation import Attribute, Draft, Relation, fresh, open_star
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Choice, Pattern, Unknown, Value, note_of
from lineal.extract.sql.expressions import expression_in, gather
from lineal.extract.sql.nodes import meta_of
from lineal.model.diagnostic import Code
from lineal.model.edge import Doubt
from lineal.model.sequences import all_are, present
from lineal.model.way import IDENTITY, Clause, Confidence

FROM_VARIABLE = Doubt(
    Confidence.MEDIUM, False, "the list of columns is a variable, over a schema that is not known"
)


@dataclass(frozen=True)
class Call:
    """One call, or one step of the program that works like a call: an item, an assignment."""

    run: Run
    arguments: Arguments
    keywords: Keywords
    node: Any

    def get(self, position: int, name: str, default: Value = None) -> Value:
        """Return an argument by its name or position; a negative position is never given."""
        if name in self.keywords:
            return self.keywords[name]

        if 0 <= position < len(self.arguments):
            return self.arguments[position]

        return default

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a keyword that is True or False."""
        held = self.keywords.get(name, default)
        return held if isinstance(held, bool) else default

    # -- diagnostics -------------------------------------------------------------------------------

    def report_unsupported(self, what: str) -> None:
        """Report a method or an argument that is not traced."""
        self.run.report(Code.UNSUPPORTED_CONSTRUCT, f"{what} is not traced", self.node)

    def dynamic(self, what: str, held: Value = None) -> None:
        """Report a place that only a run can tell."""
        level = getattr(held, "level", Confidence.UNKNOWN)
        text = note_of(what, held) if held is not None else what
        self.run.dynamic(text, self.node, level)

    # -- names of columns --------------------------------------------------------------------------

    def names(self, held: Value) -> list[str] | None:
        """Return a list of column names; None, and a diagnostic, where only a run knows them.

        "a", ["a", "b"], ("a", "b")
        """
        if is_name(held):
            return [name_of(held)]

        items = items_of(held) if isinstance(held, (list, tuple, set, frozenset, dict)) else None
        if items is not None and all(map(is_name, items)):
            return list(map(name_of, items))

        self.dynamic("columns", held if isinstance(held, (Unknown, Pattern)) else None)
        return None

    def evaluation(self) -> FrameEvaluation:
        """Return an evaluation of expressions."""
        return self.run.evaluation()

    # -- columns of a table ------------------------------------------------------------------------

    def find(self, table: Table, name: str) -> Attribute | None:
        """Return the column of a name: of the frame or its index, else what an open star answers."""
        relation = table.relation
        held = relation.by_key.get(name)
        if held:
            return held[0]

        for each in (*table.index, *relation.hidden):
            if each.slot.name == name:
                return each

        return self.from_stars(relation, name)

    def from_stars(self, relation: Relation, name: str) -> Attribute | None:
        """Return the column that frames of unknown columns have under a name."""
        answers = [slot for each in relation.stars if (slot := answer_of(each, name)) is not None]
        if len(answers) < 2:
            return fresh(answers[0]) if answers else None

        told = [each for each in relation.stars if is_suffixed(each, name)]
        if len(told) == 1:
            found = answer_of(told[0], name)
            return fresh(found) if found is not None else None

        return self.candidates_for(relation, name, answers)

    def candidates_for(self, relation: Relation, name: str, answers: list[Slot]) -> Attribute:
        """Return a column that several frames may have: what the corpus says, else all of them."""
        evaluation = relation.evaluation
        if evaluation is None:
            evaluation = relation.evaluation = self.evaluation()

        origins = {origin: slot for slot in answers for origin, _ in slot.lineage}
        if len(origins) < 2:
            return fresh(Slot(name, name, unite_lineages(slot.lineage for slot in answers)))

        named = {origin: slot for origin, slot in origins.items() if origin.name == name}
        best = evaluation.witness(name.lower(), named)
        if best is not None:
            doubt = Doubt(Confidence.MEDIUM, False, best[1])
            return fresh(Slot(name, name, add_doubt(origins[best[0]].lineage, doubt)))

        evaluation.undecided = True
        evaluation.ambiguous += 1
        self.run.report(Code.AMBIGUOUS_COLUMN, f"several frames may have '{name}'", self.node)
        doubt = Doubt(Confidence.LOW, True, "several frames may have it")
        lineage: Lineage = {}
        for slot in answers:
            lineage.update(add_doubt(slot.lineage, doubt))

        return fresh(Slot(name, name, lineage))

    def column(self, table: Table, name: str) -> Attribute:
        """Return the column of a name; one that cannot be there is reported, and has no source."""
        found = self.find(table, name)
        if found is not None:
            return found

        self.run.report(Code.UNRESOLVED_COLUMN, f"the DataFrame has no column '{name}'", self.node)
        return fresh(Slot(name, name, {}))

    def series(self, table: Table, name: str) -> Series:
        """Return a column as a series."""
        return Series(leaf(self.run, self.column(table, name).slot, self.node), name, table)

    def leaf(self, attribute: Attribute) -> Any:
        """Return a column as an expression."""
        return leaf(self.run, attribute.slot, self.node)

    def leaves(self, attributes: Iterable[Attribute]) -> list[Any]:
        """Return columns as expressions."""
        return list(map(self.leaf, attributes))

    def tree(self, held: Value) -> Any:
        """Return a value as an expression: a series, or a constant."""
        if isinstance(held, Series):
            return held.tree

        return literal(held)

    # -- tables that are made ----------------------------------------------------------------------

    def lineage(self, tree: Any, relation: Relation, evaluation: FrameEvaluation,
                clause: Clause = Clause.SELECT) -> Lineage:  # fmt: skip
        """Return the lineage of an expression, and take note of what it reads."""
        scope = FrameScope(relation, evaluation, clause)
        found: Lineage = {}
        gather(tree, IDENTITY, found, scope)
        return found

    def expressions(self, relation: Relation, evaluation: FrameEvaluation, trees: Iterable[Any],
                    clause: Clause) -> list[Expression]:  # fmt: skip
        """Return expressions that decide rows."""
        scope = FrameScope(relation, evaluation, clause)
        return [expression_in(scope, tree) for tree in trees]

    def make(self, name: str, held: Series | Any, relation: Relation,
             evaluation: FrameEvaluation) -> Attribute:  # fmt: skip
        """Return a new column with the value of a series or an expression."""
        tree = held.tree if isinstance(held, Series) else held
        lineage = self.lineage(tree, relation, evaluation)
        if isinstance(held, Series) and held.doubt is not None:
            lineage = add_doubt(lineage, held.doubt)

        return fresh(Slot(name, name, lineage))

    def derive(self, table: Table, attributes: Sequence[Attribute] | None, evaluation: FrameEvaluation,
                rows: Lineage | None = None, parents: Iterable[Relation] = ()) -> Relation:  # fmt: skip
        """Return the next relation of a chain, with what its evaluation has found."""
        self.run.take_diagnostics(evaluation.diagnostics)
        made = table.relation.derive(attributes, rows, evaluation, tuple(parents))
        made.under = None
        return made

    def column_by_name(self, table: Table, name: str, evaluation: FrameEvaluation) -> Attribute:
        """Return a column as it is, read by name.

        df[["a"]]
        """
        held = self.column(table, name)
        lineage = self.lineage(self.leaf(held), table.relation, evaluation)
        slot = Slot(held.slot.name, held.slot.key, lineage, None, held.slot.scanned)
        return held._replace(slot=slot)

    def select(self, table: Table, names: Sequence[str]) -> Table:
        """Return a table with these columns."""
        evaluation = self.evaluation()
        kept = [self.column_by_name(table, name, evaluation) for name in names]
        return table.with_relation(self.derive(table, kept, evaluation))

    def assign(self, table: Table, given: Mapping[str, Series | Any],
               parents: Iterable[Relation] = ()) -> Table:  # fmt: skip
        """Return a table with columns set, each in its place or behind the others."""
        evaluation = self.evaluation()
        draft = Draft(table.relation)
        further = [*parents]
        for name, held in given.items():
            if isinstance(held, Series):
                held = held.with_tree(self.fit_series(held, table.relation.rows))
                further += [held.table.relation, *held.parents]

            set_column(draft, self.make(name, held, table.relation, evaluation))

        others = {id(each): each for each in further if each is not table.relation}
        relation = self.derive(table, draft.attributes, evaluation, None, others.values())
        relation.index(draft.index, draft.places)
        return table.with_relation(relation)

    def fit_series(self, held: Series, rows: Lineage) -> Any:
        """Return the expression of a series, for rows that other columns may decide than its own.

        df["share"] = df["x"] / paid["x"].sum()      what decides the rows of `paid` decides the sum
        """
        own = held.table.relation
        more = {key: trail for key, trail in own.rows.items() if key not in rows}
        if not held.is_scalar or not more:
            return held.tree

        evaluation = self.evaluation()
        lineage = self.lineage(held.tree, own, evaluation)
        return subquery(
            Relation([fresh(Slot("value", "value", lineage))], more, (own,), evaluation)
        )

    def unknown(self, *tables: Table) -> Table:
        """Return a table of which only a run knows the columns; what it is made of is read."""
        rows: Lineage = {}
        for table in tables:
            rows.update(table.relation.rows)

        return Table(Relation([open_star()], rows, tuple(table.relation for table in tables)))


def as_series(held: Value) -> Value:
    """Return a value that only the data knows as a series, where it is a key of groups.

    for dept, part in df.groupby("dept"): rows.append({"dept": dept, "title": f"{dept}!"})
    """
    if isinstance(held, Pattern):
        return text_as_series(held)

    column = held.collected.column if isinstance(held, Unknown) and held.collected else None
    table = meta_of(column.tree).get("table") if column is not None else None
    if column is None or table is None:
        return held

    return Series(column.tree, None, table, is_scalar=True)


def text_as_series(held: Pattern) -> Value:
    """f"{dept}!"      Return a text of keys of groups as a series; any other text as it is."""
    trees = list(held.values.values())
    tables = present(meta_of(each).get("table") for each in trees)
    if not tables or len(tables) < len(trees):
        return held

    return Series(transforming_call("text", *trees), None, tables[0], is_scalar=True)


def set_column(draft: Draft, made: Attribute) -> None:
    """Put a column in the place of the one with its name, else behind the others."""
    if made.key not in draft.index:
        draft.add(made, narrow_star)
        return

    draft.attributes = [
        made if each.slot.key == made.key and each.slot.star is None else each
        for each in draft.attributes
    ]
    draft.index[made.key] = [made] * len(draft.index[made.key])


def narrow_star(attribute: Attribute, name: str) -> Attribute:
    """Return an open star that does not hold the column of a name any more."""
    return without_names((attribute,), (name,))[0]


def without_names(attributes: Sequence[Attribute], names: Iterable[str]) -> list[Attribute]:
    """Return the columns without those of some names; open stars do not hold them any more."""
    gone = set(names)
    kept = []
    for each in attributes:
        star = each.slot.star
        if star is None:
            if each.key not in gone:
                kept.append(each)

            continue

        for name in gone:
            star = star.without(name).without(name.lower())

        kept.append(each._replace(slot=star_slot(star)._replace(lineage=each.slot.lineage)))

    return kept


def doubt_stars(attributes: Sequence[Attribute], doubt: Doubt) -> list[Attribute]:
    """Return columns, with those that are not known less certain."""
    return [
        each._replace(
            slot=each.slot._replace(lineage=add_doubt(each.slot.lineage, doubt)), doubt=doubt
        )
        if each.slot.star is not None
        else each
        for each in attributes
    ]


def is_suffixed(star: Attribute, name: str) -> bool:
    """Tell whether a name has the suffix that a merge gives to columns of one side.

    amount_x
    """
    return any(name.endswith(each) for each in star.qualifier if each not in MARKS)


FILLED, CHANGED, SUMMED = "<filled>", "<changed>", "<aggregated>"
MARKS = ("", FILLED, CHANGED, SUMMED)
"""The changes of every column of a frame whose columns are not known, as marks of its star."""


def changed_lineage(lineage: Lineage, marks: tuple[str, ...]) -> Lineage:
    """Return the lineage of a column that was changed together with all others.

    df.fillna(0), df.astype(str)
    """
    found: Lineage = {}
    if FILLED in marks:
        pour_and_decide(lineage, IDENTITY, found)
    elif SUMMED in marks:
        pour(lineage, AGGREGATED, found)
    else:
        pour(lineage, VALUE, found)

    return found


def mark_stars(attributes: Sequence[Attribute], mark: str) -> list[Attribute]:
    """Return columns, with those that are not known marked as changed."""
    return [
        each._replace(
            slot=each.slot._replace(lineage=changed_lineage(each.slot.lineage, (mark,))),
            qualifier=(*each.qualifier, mark),
        )
        if each.slot.star is not None
        else each
        for each in attributes
    ]


def answer_of(each: Attribute, name: str) -> Slot | None:
    """Return what a frame whose columns are not known has under a name."""
    star = each.slot.star
    assert star is not None
    asked = name
    if star.made is None:
        for suffix in each.qualifier:
            asked = asked.removesuffix(suffix)

    slot = answer(star, asked, asked)
    if slot is None:
        return None

    if not {*MARKS[1:]}.isdisjoint(each.qualifier):
        slot = slot._replace(lineage=changed_lineage(slot.lineage, each.qualifier))

    if each.doubt is not None:
        slot = slot._replace(lineage=add_doubt(slot.lineage, each.doubt))

    return slot._replace(name=name, key=name)


def is_name(held: Value) -> bool:
    """Tell whether a value may be the name of a column."""
    if isinstance(held, (Pattern, Unknown, Choice)):
        return False

    if isinstance(held, tuple):
        return bool(held) and all_are(held, (str, int))

    return isinstance(held, (str, int)) and not isinstance(held, bool)


def name_of(held: Value) -> str:
    """Return the name of a column as a text; a tuple names the levels of one column."""
    if isinstance(held, tuple):
        return Levels(tuple(map(str, held)))

    if isinstance(held, str):
        return held

    return str(held)


def names_in(columns: Columns) -> list[str]:
    """Return the names of some columns."""
    return [each.slot.name for each in columns]


def texts_of(held: Value) -> list[str] | None:
    """Return a name or a list of names; None where only a run knows them."""
    if is_text(held):
        return [held]

    items = items_of(held)
    if items is None or not all(map(is_text, items)):
        return None

    return items


def relations_of(held: Iterable[Value]) -> list[Relation]:
    """Return the relations of the frames and series among some values."""
    found = []
    for each in held:
        if isinstance(each, (DataFrame, Row)):
            found.append(each.table.relation)
        elif isinstance(each, Series):
            found += [each.table.relation, *each.parents]

    return found


Method = Callable[[Call, Any], Value]
"""A function that evaluates a method, given the call and the value that the method belongs to."""
