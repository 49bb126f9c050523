"""Several frames: merge, join, concat, combine_first, update."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

from lineal.algebra.clauses import USING
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, as_expression, unite_lineages
from lineal.algebra.relation import decided_rows, merge_key, narrow, put_side_by_side
from lineal.extract.dataframes.pandas.calls import (
    Call,
    answer_of,
    is_name,
    name_of,
    without_names,
)
from lineal.extract.dataframes.pandas.columns import coalesce, rename_column
from lineal.extract.dataframes.pandas.trees import transforming_call
from lineal.extract.dataframes.pandas.values import (
    Columns,
    DataFrame,
    Levels,
    Row,
    Series,
    Table,
)
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.relation import (
    Attribute,
    Relation,
    fresh,
    side_by_side_stars,
)
from lineal.extract.pyspark.sizes import WIDENED
from lineal.extract.pyspark.values import Unknown, Value, inputs_of
from lineal.model.sequences import all_are, flatten, only_or_none, present

HOWS = {"outer": "FULL", "right": "RIGHT", "left": "LEFT", "inner": "INNER", "cross": "CROSS"}
SUFFIXES = ("_x", "_y")


class Sides(NamedTuple):
    """Two frames that are joined, by which keys, and how."""

    left: Table
    right: Table
    left_keys: list[str]
    right_keys: list[str]
    how: str
    suffixes: tuple[str, str]

    @property
    def shared(self) -> list[str]:
        """Return the keys that both sides have under one name: they become one column."""
        pairs = zip(self.left_keys, self.right_keys, strict=False)
        return [one for one, other in pairs if one == other]


def merge(call: Call, left: Table) -> Table:
    """left.merge(right, on="id", how="left", suffixes=("", "_r"))"""
    right = table_of(call, call.get(0, "right"))
    if right is None:
        return call.unknown(left)

    keys = keys_of(call, left, right)
    how = call.get(1, "how", "inner")
    if keys is None:
        return call.unknown(left, right)

    suffixes = items_of(call.keywords.get("suffixes", SUFFIXES)) or list(SUFFIXES)
    pair = tuple(each if isinstance(each, str) else "" for each in suffixes)
    sides = Sides(left, right, *keys, HOWS.get(str(how), "INNER"), (pair[0], pair[-1]))
    made = join_sides(call, sides)
    if call.keywords.get("indicator"):
        flag = call.keywords["indicator"]
        name = flag if isinstance(flag, str) else "_merge"
        return call.assign(made, {name: transforming_call("indicator", *key_trees(call, sides))})

    return made


def key_trees(call: Call, sides: Sides) -> list[Any]:
    """Return the keys of both sides as expressions."""
    left = [call.leaf(call.column(sides.left, name)) for name in sides.left_keys]
    return left + [call.leaf(call.column(sides.right, name)) for name in sides.right_keys]


def table_of(call: Call, held: Value) -> Table | None:
    """Return the other frame of a join; one that only a run knows is reported."""
    if isinstance(held, DataFrame):
        return held.table

    if isinstance(held, Series):
        return frame_of_series(call, held)

    if isinstance(held, Row):
        return held.table

    if isinstance(held, Unknown):
        call.dynamic("a frame", held)
    else:
        call.report_unsupported("a join with this value")

    return None


def frame_of_series(call: Call, held: Series, name: str | None = None) -> Table:
    """Return a series as a frame of one column."""
    evaluation = call.evaluation()
    title = name or held.name or "0"
    made = call.make(title, held, held.table.relation, evaluation)
    relation = call.derive(held.table, [made], evaluation, None, held.parents)
    return held.table.with_relation(relation)


def merge_asof(call: Call, left: Table) -> Table:
    """pd.merge_asof(left, right, on="t", by="id")      the keys of both, in a left join"""
    given = {name: held for name, held in call.keywords.items() if name not in ASOF_KEYS}
    on = call.keywords.get("on", call.arguments[1] if len(call.arguments) > 1 else None)
    by = call.keywords.get("by")
    left_keys = [call.keywords.get("left_on", on), call.keywords.get("left_by", by)]
    right_keys = [call.keywords.get("right_on", on), call.keywords.get("right_by", by)]
    keys = {"left_on": keys_in(call, left_keys), "right_on": keys_in(call, right_keys)}
    if keys["left_on"] == keys["right_on"]:
        keys = {"on": keys["left_on"]}

    used = {name: held for name, held in keys.items() if held}
    return merge(
        Call(call.run, call.arguments[:1], {**given, **used, "how": "left"}, call.node), left
    )


ASOF_KEYS = frozenset(("on", "by", "left_on", "left_by", "right_on", "right_by", "direction"))


def keys_in(call: Call, several: list[Value]) -> Value:
    """Return names of keys as one list; the value itself where only a run knows them."""
    found: list[str] = []
    for held in several:
        names = call.names(held) if held is not None else []
        if names is None:
            return held

        found += names

    return found


def keys_of(call: Call, left: Table, right: Table) -> tuple[list[str], list[str]] | None:
    """Return the keys of both sides; None where only a run knows them."""
    if call.get(1, "how") == "cross":
        return [], []

    on = call.get(2, "on")
    if on is not None:
        names = call.names(on)
        return None if names is None else (names, names)

    left_keys = side_keys(call, call.get(3, "left_on"), call.flag("left_index"), left)
    right_keys = side_keys(call, call.get(4, "right_on"), call.flag("right_index"), right)
    if left_keys is None or right_keys is None:
        return None

    if left_keys or right_keys or call.flag("left_index"):
        return left_keys, right_keys

    return common_keys(call, left, right)


def side_keys(call: Call, given: Value, by_index: bool, table: Table) -> list[str] | None:
    """left_on="id", left_index=True"""
    if by_index:
        return [each.slot.name for each in table.index]

    if given is None:
        return []

    return call.names(given)


def common_keys(call: Call, left: Table, right: Table) -> tuple[list[str], list[str]] | None:
    """left.merge(right)      by the columns that both have"""
    if not (left.relation.complete and right.relation.complete):
        call.dynamic("the columns that two frames share, of schemas that are not known")
        return None

    names = [name for name in left.relation.names if name in right.relation.by_key]
    return names, names


def join_sides(call: Call, sides: Sides) -> Table:
    """Return the columns of both sides, keys of one name once, others of one name with suffixes."""
    left, right = sides.left, sides.right
    evaluation = call.evaluation()
    clause_rows = put_side_by_side(
        [decided_rows(left.relation.rows), decided_rows(right.relation.rows)]
    )
    left_keys = [call.column_by_name(left, name, evaluation) for name in sides.left_keys]
    right_keys = [call.column_by_name(right, name, evaluation) for name in sides.right_keys]
    compared = [as_expression(each.slot.lineage, call.node) for each in (*left_keys, *right_keys)]
    rows = narrow(clause_rows, USING, compared).rows

    merged = merged_keys(sides, left_keys, right_keys)
    attributes = side_by_side(sides, merged)
    relation = Relation(attributes, rows, (left.relation, right.relation), evaluation)
    call.run.take_diagnostics(evaluation.diagnostics)
    return Table(relation, index_after(call, sides, merged), left.order)


def index_after(call: Call, sides: Sides, merged: dict[str, Attribute]) -> tuple[Attribute, ...]:
    """Return the index of a join: kept where it is joined by the index on both sides."""
    if call.flag("left_index") and call.flag("right_index"):
        return tuple(merged.get(each.slot.name, each) for each in sides.left.index)

    if call.flag("left_index"):
        return sides.right.index

    if call.flag("right_index"):
        return sides.left.index

    return ()


def merged_keys(
    sides: Sides, left: Sequence[Attribute], right: Sequence[Attribute]
) -> dict[str, Attribute]:
    """Return the keys that both sides have under one name, each as one column."""
    found = {}
    for one, other in zip(left, right, strict=False):
        name = one.slot.name
        if name == other.slot.name:
            slot = merge_key(one.slot, other.slot, sides.how, (name, name))
            found[name] = fresh(slot._replace(name=name, key=name))

    return found


def side_by_side(sides: Sides, merged: dict[str, Attribute]) -> list[Attribute]:
    """Return the columns of both sides in their order."""
    left_index = {each.slot.name for each in sides.left.index}
    both = [
        name
        for name in sides.left.relation.names
        if name in sides.right.relation.by_key and name not in merged
    ]
    found = []
    placed: set[str] = set()
    for each in sides.left.relation.attributes:
        key = merged.get(each.key) if each.slot.star is None else None
        placed.add(each.key)
        found.append(key or add_suffix(each, both, sides.suffixes[0]))

    found = without_star_names(found, merged)
    missing = [each for name, each in merged.items() if name not in placed | left_index]
    found = [*missing, *found]
    rest = without_star_names(
        [each for each in sides.right.relation.attributes if each.key not in merged], merged
    )
    return with_few_stars([*found, *(add_suffix(each, both, sides.suffixes[1]) for each in rest)])


MOST_STARS = 16
"""Open stars of a frame; a frame that is merged with itself in a loop would double them each time."""


def with_few_stars(attributes: list[Attribute]) -> list[Attribute]:
    """Return columns; if many of them are open stars, with one star for all of those."""
    stars = [each for each in attributes if each.slot.star is not None]
    if len(stars) <= MOST_STARS:
        return attributes

    known = [each for each in attributes if each.slot.star is None]
    return [*known, *side_by_side_stars(stars[:1], stars[1:], WIDENED)]


def without_star_names(
    attributes: Sequence[Attribute], names: dict[str, Attribute]
) -> list[Attribute]:
    """Return columns; those that are not known do not include some names any more."""
    found = []
    for each in attributes:
        found += [each] if each.slot.star is None else without_names([each], names)

    return found


def add_suffix(each: Attribute, both: Sequence[str], suffix: str) -> Attribute:
    """Return a column under the name that a merge gives it."""
    if each.slot.star is not None:
        return each._replace(qualifier=(*each.qualifier, suffix))

    if each.key in both and suffix:
        return rename_column(each, f"{each.slot.name}{suffix}")

    return each


def join(call: Call, left: Table) -> Table:
    """left.join(right, on="id", how="left", lsuffix="_l", rsuffix="_r")      by the index of right"""
    other = call.get(0, "other")
    if isinstance(other, (list, tuple)):
        made = left
        for each in other:
            made = join_one(call, made, each)

        return made

    return join_one(call, left, other)


def join_one(call: Call, left: Table, other: Value) -> Table:
    """left.join(right)"""
    right = table_of(call, other)
    if right is None:
        return call.unknown(left)

    on = call.get(1, "on")
    left_keys = [each.slot.name for each in left.index] if on is None else call.names(on)
    right_keys = [each.slot.name for each in right.index]
    if left_keys is None:
        return call.unknown(left, right)

    how = HOWS.get(str(call.get(2, "how", "left")), "LEFT")
    suffixes = (call.get(3, "lsuffix", ""), call.get(4, "rsuffix", ""))
    pair = tuple(each if isinstance(each, str) else "" for each in suffixes)
    sides = Sides(left, right, left_keys, right_keys, how, (pair[0], pair[1]))
    made = join_sides(call, sides)
    index = joined_index(call, sides) if on is None else left.index
    columns = {*left.relation.by_key, *(() if on is None else left_keys)}
    kept = [
        each
        for each in made.relation.attributes
        if each.slot.star is not None or each.key in columns or each.key not in right_keys
    ]
    return Table(made.relation.derive(kept, None, made.relation.evaluation), index, left.order)


def joined_index(call: Call, sides: Sides) -> tuple[Attribute, ...]:
    """left.join(right, how="outer")      Return the index: its labels come from either side."""
    if len(sides.left_keys) != len(sides.right_keys):
        return sides.left.index

    pairs = zip(sides.left.index, sides.right.index, strict=True)
    return tuple(
        fresh(merge_key(one.slot, other.slot, sides.how, (one.slot.name, other.slot.name))._replace(
            name=one.slot.name, key=one.slot.key
        ))
        for one, other in pairs
    )  # fmt: skip


# -- concat ----------------------------------------------------------------------------------------


def concat(call: Call) -> Value:
    """pd.concat([a, b]), pd.concat([a, b], axis=1)"""
    held = call.get(0, "objs")
    items = list(held.values()) if isinstance(held, dict) else items_of(held)
    if not items:
        call.dynamic("frames", held)
        inputs = inputs_of(held)
        return DataFrame(call.unknown(*map(Table, inputs)))

    known = present(items)
    tables = [table for each in known if (table := table_of(call, each)) is not None]
    if not tables:
        return Unknown("concat()", "the frames are not known")

    if call.get(1, "axis", 0) in (1, "columns"):
        return DataFrame(number_columns(call, place_side_by_side(call, label(call, held, tables))))

    if all_are(known, Series):
        return concat_series(call, known, tables)

    made = stack_tables(call, tables)
    if len(tables) < len(known):
        made = made.with_relation(
            call.derive(made, [*made.relation.attributes, *call.unknown(made).relation.attributes],
                         call.evaluation())
        )  # fmt: skip

    if call.flag("ignore_index"):
        return DataFrame(Table(made.relation))

    return DataFrame(made)


def label(call: Call, held: Value, tables: list[Table]) -> list[Table]:
    """pd.concat({"a": frame, "b": series}, axis=1)      a key names a series, and is a level of a frame"""
    given = held if isinstance(held, dict) else call.get(-1, "keys")
    keys = items_of(given) or []
    if len(keys) != len(tables) or not all(map(is_name, keys)):
        return tables

    whole = list(held.values()) if isinstance(held, dict) else items_of(held) or []
    pairs = zip(map(name_of, keys), whole, tables, strict=True)
    return [label_columns(call, key, isinstance(each, Series), table) for key, each, table in pairs]


def label_columns(call: Call, key: str, is_series: bool, table: Table) -> Table:
    """Return a frame whose columns have a key as their name, or as the first level of it."""
    named = []
    for each in table.relation.attributes:
        if each.slot.star is None:
            name = key if is_series else Levels((key, each.slot.name))
            each = rename_column(each, name)

        named.append(each)

    return table.with_relation(call.derive(table, named, call.evaluation()))


def number_columns(call: Call, table: Table) -> Table:
    """pd.concat([a, b], axis=1, ignore_index=True)      numbers are the names of the columns"""
    if not call.flag("ignore_index"):
        return table

    if table.relation.stars:
        call.dynamic("columns by their position, of a schema that is not known")
        return call.unknown(table)

    numbered = [rename_column(each, str(at)) for at, each in enumerate(table.relation.attributes)]
    return table.with_relation(call.derive(table, numbered, call.evaluation()))


def concat_series(call: Call, several: Sequence[Series], tables: Sequence[Table]) -> Series:
    """pd.concat([df["a"], df["b"]])      one series with the rows of both"""
    columns = [table.relation.attributes[0] for table in tables]
    lineage = unite_lineages(each.slot.lineage for each in columns)
    stacked = stack_tables(call, tables)
    name = several[0].name if len({each.name for each in several}) == 1 else None
    slot = Slot(name or "0", name or "0", lineage)
    return Series(call.leaf(fresh(slot)), name, stacked)


def stack_tables(call: Call, tables: Sequence[Table]) -> Table:
    """Return the rows of several frames: columns of one name are one column."""
    relations = [table.relation for table in tables]
    names = dict.fromkeys(chain.from_iterable(each.names for each in relations))
    attributes = []
    for name in names:
        slots = [slot for each in relations if (slot := slot_in(each, name)) is not None]
        lineage: Lineage = unite_lineages(slot.lineage for slot in slots)
        attributes.append(fresh(Slot(name, name, lineage)))

    stars: list[Attribute] = []
    for each in relations:
        stars = side_by_side_stars(stars, each.stars)

    stars = without_names(stars, names) if stars else []

    rows = unite_lineages(each.rows for each in relations)
    index = tables[0].index if same_index(tables) else ()
    columns = tuple(
        fresh(Slot(one.slot.name, one.slot.key,
                   unite_lineages(table.index[at].slot.lineage for table in tables)))
        for at, one in enumerate(index)
    )  # fmt: skip
    return Table(Relation([*attributes, *stars], rows, tuple(relations)), columns)


def same_index(tables: Sequence[Table]) -> bool:
    """Tell whether frames have an index of the same names."""
    names = {tuple(each.slot.name for each in table.index) for table in tables}
    return len(names) == 1


def slot_in(relation: Relation, name: str) -> Slot | None:
    """Return the column of a frame that one of the same name is put below."""
    held = relation.by_key.get(name)
    if held:
        return held[0].slot

    answers = [slot for each in relation.stars if (slot := answer_of(each, name)) is not None]
    return only_or_none(answers)


def place_side_by_side(call: Call, tables: Sequence[Table]) -> Table:
    """pd.concat([a, b], axis=1)      rows of the same index side by side"""
    first = tables[0]
    keys = [call.leaf(each) for table in tables for each in table.index]
    attributes = flatten(table.relation.attributes for table in tables)
    rows = put_side_by_side([decided_rows(table.relation.rows) for table in tables])
    evaluation = call.evaluation()
    compared = call.expressions(first.relation, evaluation, keys, USING.clause)
    rows = narrow(rows, USING, compared)
    relation = Relation(
        attributes, rows.rows, tuple(table.relation for table in tables), evaluation
    )
    return Table(relation, first.index, first.order)


def combine_first(call: Call, left: Table) -> Table:
    """a.combine_first(b)      b's values where a has none; the rows of both, by their index"""
    right = table_of(call, call.get(0, "other"))
    if right is None:
        return left

    sides = Sides(left, right, names_in(left.index), names_in(right.index), "FULL", SUFFIXES)
    evaluation = call.evaluation()
    names = dict.fromkeys([*left.relation.names, *right.relation.names])
    attributes = []
    for name in names:
        found = [each for side in (left, right) if (each := call.find(side, name)) is not None]
        trees = call.leaves(found)
        tree = coalesce(trees[0], trees[1]) if len(trees) == 2 else trees[0]
        attributes.append(call.make(name, tree, left.relation, evaluation))

    stars = side_by_side_stars(left.relation.stars, right.relation.stars)
    rows = rows_by_index(call, sides)
    relation = call.derive(left, [*attributes, *stars], evaluation, rows, [right.relation])
    return Table(relation, joined_index(call, sides))


def names_in(index: Columns) -> list[str]:
    """Return the names of the columns of an index."""
    return [each.slot.name for each in index]


def rows_by_index(call: Call, sides: Sides) -> Lineage:
    """Return what decides the rows of two frames that are aligned by their index."""
    left, right = sides.left, sides.right
    both = put_side_by_side([decided_rows(left.relation.rows), decided_rows(right.relation.rows)])
    compared = [as_expression(each.slot.lineage, call.node) for each in (*left.index, *right.index)]
    return dict(narrow(both, USING, compared).rows)


def append(call: Call, table: Table) -> Value:
    """df.append(other, ignore_index=True)      until pandas 2: the rows of both"""
    other = call.get(0, "other")
    items = items_of(other) if isinstance(other, (list, tuple)) else [other]
    frames = [DataFrame(table) if table.relation.attributes else None, *(items or [other])]
    return concat(Call(call.run, [frames], call.keywords, call.node))


JOINS = {
    "append": append,
    "merge": merge,
    "join": join,
    "combine_first": combine_first,
}
"""Methods of a frame that take another one."""
