"""Rules that give equal queries one shape. Each keeps the bag of rows: values, NULLs and how often.

An expression that may fail (a division, a cast) is never moved past a condition, and never dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from lineal.extract.sql.normal.query import Block, Item, Left, Query, SetOperation, Source
from lineal.extract.sql.normal.terms import (
    COMPARISONS,
    Subquery,
    Term,
    as_filter,
    column,
    has_aggregate,
    has_window,
    may_fail,
    operands,
    replace_columns,
    sources_of,
    strict_columns,
    terms_in,
)
from lineal.model.sequences import flatten

ROUNDS = 8
"""How often the rules are tried: each round merges one more level."""


def normalize(query: Query, as_set: bool = False) -> Query:
    """Return a query in its normal shape; of `as_set`, how often a row is there does not count."""
    if isinstance(query, SetOperation):
        return normalize_set(query, as_set)

    assert isinstance(query, Block)
    return normalize_block(query, as_set)


def normalize_set(query: SetOperation, as_set: bool) -> Query:
    """Return a set operation; nested unions are one."""
    alike = as_set or query.distinct
    branches = [normalize(branch, alike) for branch in query.branches]
    if query.kind != "union":
        return replace(query, branches=branches)

    distinct = query.distinct and not as_set
    flat = flatten(union_branches(branch, distinct, alike) for branch in branches)
    return replace(query, branches=flat, distinct=distinct)


def union_branches(branch: Query, distinct: bool, alike: bool) -> Iterator[Query]:
    """a UNION ALL (b UNION ALL c) has three branches; so has a UNION (b UNION ALL c)."""
    nested = isinstance(branch, SetOperation) and branch.kind == "union"
    if nested and isinstance(branch, SetOperation) and (branch.distinct == distinct or alike):
        yield from branch.branches
    else:
        yield branch


def normalize_block(block: Block, as_set: bool) -> Query:
    """Return a SELECT in its normal shape."""
    block = replace(
        block,
        sources=list(block.sources),
        lefts=[Left(left.source, list(left.conditions)) for left in block.lefts],
    )
    drop_group_without_aggregates(block)
    if as_set and not block.order:
        block.distinct = False

    for _ in range(ROUNDS):
        before = shape_of(block)
        normalize_sources(block, as_set)
        block = merge_sources(block)
        push_conditions(block)
        join_inside(block)
        tidy(block)
        if shape_of(block) == before:
            break

    normalize_subqueries(block)
    return unwrap_set(block)


def unwrap_set(block: Block) -> Query:
    """SELECT b, a FROM (SELECT a, b … UNION ALL …) reads each branch in another order; with
    DISTINCT it is UNION.
    """
    source = block.sources[0] if len(block.all_sources) == 1 and block.sources else None
    if source is None or not isinstance(source.query, SetOperation):
        return block

    united = block.distinct and source.query.kind == "union"
    if not is_wrapper(replace(block, distinct=False) if united else block):
        return block

    query, names = source.query, source.query.names or []
    wanted = [item.term[2] for item in block.items]
    branches = [each for each in query.branches if isinstance(each, Block) and not each.distinct]
    fails = any(may_fail(item.term) for each in branches for item in each.items)
    pruned = set(wanted) != set(names) or len(wanted) != len(names)
    if len(branches) != len(query.branches) or (
        pruned and (fails or (query.distinct and not united))
    ):
        return block

    if pruned and query.kind != "union":
        return block

    places = list(map(names.index, wanted))
    made: list[Query] = [
        replace(each, items=[each.items[at] for at in places]) for each in branches
    ]
    first = made[0]
    assert isinstance(first, Block)
    renamed = zip(first.items, block.items, strict=True)
    first.items = [Item(item.name, old.term) for old, item in renamed]
    return replace(query, branches=made, distinct=query.distinct or united)


def is_wrapper(block: Block) -> bool:
    """Tell whether a query returns columns of its only source, and nothing else."""
    bare = all(item.term[0] == "col" for item in block.items) and bool(block.items)
    return bare and block.is_plain and not block.conditions and not block.lefts


def shape_of(block: Block) -> tuple[int, ...]:
    """Return what a rule that does something changes."""
    derived = sum(source.query is not None for source in block.all_sources)
    return (
        len(block.sources), len(block.lefts), derived, len(block.conditions), len(block.having),
        block.keys is None, block.distinct,
    )  # fmt: skip


def normalize_sources(block: Block, as_set: bool) -> None:
    """Normalize the derived tables; under DISTINCT, duplicates in them do not count."""
    single = not block.has_aggregates and block.keys is None
    alike = single and (as_set or block.distinct)
    for source in block.all_sources:
        if source.query is not None:
            source.query = normalize(source.query, alike)


def normalize_subqueries(block: Block) -> None:
    """Normalize the subqueries in expressions."""
    block.conditions = list(map(normalize_term, block.conditions))
    block.having = list(map(normalize_term, block.having))
    block.items = [Item(item.name, normalize_term(item.term)) for item in block.items]
    for left in block.lefts:
        left.conditions = list(map(normalize_term, left.conditions))


def normalize_term(term: Any) -> Any:
    """Return a term whose subqueries have their normal shape."""
    if isinstance(term, Query):
        return normalize(term)

    if not isinstance(term, tuple):
        return term

    if term and term[0] == "exists":
        return ("exists", normalize_exists(term[1]))

    if term and term[0] == "in":
        return ("in", normalize_term(term[1]), normalize(term[2], as_set=True))

    return tuple(normalize_term(each) for each in term)


def normalize_exists(query: Query) -> Query:
    """EXISTS asks only whether there is a row: what it returns does not count."""
    if isinstance(query, Block):
        fails = any(may_fail(item.term) for item in query.items)
        if not fails and query.keys is None and not query.has_aggregates:
            query = replace(query, items=[], distinct=False, order=[])

    return normalize(query, as_set=True)


# -- groups and DISTINCT ---------------------------------------------------------------------------


def drop_group_without_aggregates(block: Block) -> None:
    """SELECT a, b … GROUP BY a, b is SELECT DISTINCT a, b"""
    if not block.keys or block.having or block.has_aggregates or block.order:
        return

    if {item.term for item in block.items} == set(block.keys):
        block.keys = None
        block.distinct = True


def tidy(block: Block) -> None:
    """Drop what does not count: a DISTINCT of groups, a condition that another one implies."""
    drop_redundant_distinct(block)
    move_having(block)
    block.conditions = without_implied(block.conditions)
    for left in block.lefts:
        left.conditions = without_implied(left.conditions)


def drop_redundant_distinct(block: Block) -> None:
    """Each group is one row: DISTINCT over all of its keys changes nothing."""
    if block.distinct and block.keys is not None:
        listed = {item.term for item in block.items}
        if all(key in listed for key in block.keys):
            block.distinct = False


def move_having(block: Block) -> None:
    """HAVING over keys is WHERE; a group of all rows has none."""
    if not block.keys:
        return

    moved = [each for each in block.having if depends_on(each, block.keys) and not may_fail(each)]
    block.having = [each for each in block.having if each not in moved]
    block.conditions += moved


def depends_on(term: Any, keys: list[Term]) -> bool:
    """Tell whether a term is made of keys and constants only."""
    if isinstance(term, Subquery):
        return False

    if not isinstance(term, tuple):
        return True

    if term in keys:
        return True

    if term and isinstance(term[0], str) and (term[0] in ("col", "star") or has_aggregate(term)):
        return False

    return all(depends_on(each, keys) for each in term)


def without_implied(conditions: list[Term]) -> list[Term]:
    """a = 1 AND a IS NOT NULL is a = 1"""
    flat = list(dict.fromkeys(chain.from_iterable(operands("and", one) for one in conditions)))
    compared = {side for each in flat if each[0] in COMPARISONS for side in each[1:]}
    return [
        each
        for each in flat
        if not (each[0] == "not" and each[1][0] == "isnull" and each[1][1] in compared)
        and each != ("lit", "boolean", "true")
    ]


# -- subqueries in FROM ----------------------------------------------------------------------------


def merge_sources(block: Block) -> Block:
    """FROM (SELECT a FROM t WHERE b > 1) is FROM t WHERE b > 1, where nothing is in the way."""
    for source in list(block.sources):
        inner = source.query
        if not isinstance(inner, Block) or inner.order:
            continue

        if inner.is_plain and can_move(block, inner, source):
            block = merge_plain(block, inner, source)
        elif is_only_source(block) and can_move(block, inner, source):
            block = merge_only(block, inner, source)

    for number in [left.source.number for left in block.lefts]:
        left = next(each for each in block.lefts if each.source.number == number)
        inner = left.source.query
        if isinstance(inner, Block) and is_renaming(inner) and not block.filters_may_fail:
            block = merge_left(block, inner, left)

    return block


def is_only_source(block: Block) -> bool:
    """Tell whether a block does nothing but filter and compute rows of one source."""
    plain = block.keys is None and not block.has_aggregates
    return plain and len(block.sources) == 1 and not block.lefts


def can_move(block: Block, inner: Block, source: Source) -> bool:
    """Tell whether no expression is evaluated for more or fewer rows after a merge."""
    failing = [item.name for item in inner.items if may_fail(item.term)]
    filters = inner.conditions or inner.lefts or inner.having or len(inner.sources) != 1
    if block.filters_may_fail and filters:
        return False

    if inner.filters_may_fail or failing:
        alone = len(block.all_sources) == 1 and not block.conditions
        return alone and not is_opaque(inner) and uses_all(block, source, failing)

    return True


def is_opaque(inner: Block) -> bool:
    """Tell whether a function that nobody knows is called: it may be an aggregate, or volatile."""
    return any(
        each[:2] == ("node", "anonymous") for term in inner.own_terms() for each in terms_in(term)
    )


def uses_all(block: Block, source: Source, names: list[str]) -> bool:
    """Tell whether a block evaluates these columns for every row."""
    if block.keys:
        return not names

    used = set(chain.from_iterable(strict_columns(item.term) for item in block.items))
    return all(column(source.number, name) in used for name in names)


def mapping_of(inner: Block, source: Source) -> Callable[[Term], Term]:
    """Return a function from the columns of a derived table to their expressions."""
    made = {item.name: item.term for item in inner.items}

    def change(term: Term) -> Term:
        """Replace a column of the subquery with the term that makes it."""
        if term[1] != source.number:
            return term

        if "*" not in made:
            return made[term[2]]

        star = made["*"]
        return star if term[0] == "star" else column(star[1], term[2])

    return change


def with_columns(block: Block, change: Callable[[Term], Term]) -> Block:
    """Return a block with other columns."""
    return block.replace(change)


def merge_plain(block: Block, inner: Block, source: Source) -> Block:
    """Merge a derived table that filters, joins and computes, but keeps each row."""
    kept = [each for each in block.sources if each is not source]
    block.sources = []
    made = with_columns(block, mapping_of(inner, source))
    made.sources = [*kept, *inner.sources]
    made.lefts = [*inner.lefts, *made.lefts]
    made.conditions = [*inner.conditions, *filters_of(made.conditions)]
    return made


def filters_of(conditions: list[Term]) -> list[Term]:
    """Return conditions after a change of columns, one by one."""
    return flatten(operands("and", as_filter(each)) for each in conditions)


def merge_only(block: Block, inner: Block, source: Source) -> Block:
    """Merge a derived table that groups, where nothing else is read."""
    if inner.keys is not None and not inner.distinct and not any_window(inner):
        made = merge_blocks(block, inner, source)
        made.having = [*inner.having, *filters_of(made.conditions)]
        made.conditions = list(inner.conditions)
        return made

    if inner.distinct and passes_all(block, inner, source) and not any_window(inner):
        made = merge_blocks(block, inner, source)
        if inner.keys is None:
            made.conditions = [*inner.conditions, *filters_of(made.conditions)]
            made.distinct = True
            return made

    return block


def any_window(block: Block) -> bool:
    """Tell whether an output column is a window."""
    return any(has_window(item.term) for item in block.items)


def merge_blocks(block: Block, inner: Block, source: Source) -> Block:
    """Return the outer query over the sources of the inner one."""
    sources = block.sources
    block.sources = []
    made = with_columns(block, mapping_of(inner, source))
    block.sources = sources
    made.sources, made.lefts, made.keys = inner.sources, inner.lefts, inner.keys
    return made


def passes_all(block: Block, inner: Block, source: Source) -> bool:
    """Tell whether a query returns every column of a derived table, and nothing else."""
    listed = {item.term for item in block.items}
    wanted = {column(source.number, item.name) for item in inner.items}
    return listed == wanted


def is_renaming(inner: Block) -> bool:
    """Tell whether a derived table only filters and renames the columns of one table.

    After LEFT JOIN, another expression is not NULL where no row is found.
    """
    bare = all(item.term[0] in ("col", "star") for item in inner.items)
    single = len(inner.sources) == 1 and not inner.lefts
    return inner.is_plain and bare and single and not inner.filters_may_fail


def merge_left(block: Block, inner: Block, left: Left) -> Block:
    """LEFT JOIN (SELECT … FROM u WHERE c) ON d is LEFT JOIN u ON d AND c"""
    own = inner.sources[0].number
    if any(sources_of(item.term) != {own} for item in inner.items):
        return block

    others = [each for each in block.lefts if each is not left]
    block.lefts = [*others, Left(Source(""), list(left.conditions))]
    made = with_columns(block, mapping_of(inner, left.source))
    last = made.lefts.pop()
    made.lefts.append(Left(inner.sources[0], [*inner.conditions, *filters_of(last.conditions)]))
    return made


# -- conditions ------------------------------------------------------------------------------------


def push_conditions(block: Block) -> None:
    """Move conditions on one derived table into it: WHERE after GROUP BY is HAVING."""
    for source in block.sources:
        block.conditions = conditions_left(block.conditions, source)

    for left in block.lefts:
        left.conditions = conditions_left(left.conditions, left.source)


def conditions_left(conditions: list[Term], source: Source) -> list[Term]:
    """Return the conditions that could not be moved into a source."""
    if source.query is None or any(map(may_fail, source.query.terms())):
        return conditions

    kept = []
    for each in conditions:
        own = sources_of(each) == {source.number} and not may_fail(each) and is_flat(each)
        made = accept(source.query, each, source) if own else None
        if made is None:
            kept.append(each)
        else:
            source.query = made

    return kept


def is_flat(term: Term) -> bool:
    """Tell whether a condition has no subquery."""
    return not any(each[0] in ("exists", "in", "scalar") for each in terms_in(term))


def accept(query: Query, condition: Term, source: Source) -> Query | None:
    """Return a query with one more condition on its result; None if it cannot take it."""
    if not isinstance(query, Block):
        return None  # the branches of a union may compare other types than its result

    if any_window(query) or query.order or query.names is None:
        return None

    found = as_filter(replace_columns(condition, mapping_of(query, source)))
    if query.keys is None:
        return replace(query, conditions=[*query.conditions, *operands("and", found)])

    return replace(query, having=[*query.having, *operands("and", found)])


def join_inside(block: Block) -> None:
    """a LEFT JOIN b WHERE b.x = 1 is a JOIN b WHERE b.x = 1: a row without b is left out."""
    if block.filters_may_fail:
        return

    for left in list(block.lefts):
        if any(refuses_null(each, left.source.number) for each in block.conditions):
            block.lefts = [each for each in block.lefts if each is not left]
            block.sources.append(left.source)
            block.conditions += left.conditions


def refuses_null(condition: Term, source: int) -> bool:
    """Tell whether a condition never holds for a row in which a source is all NULL."""
    if condition[0] == "not":
        inner = condition[1]
        if inner[0] not in ("eq", "isnull"):
            return False

        condition = inner
    elif condition[0] not in COMPARISONS:
        return False

    return any(side[0] == "col" and side[1] == source for side in condition[1:])
