"""A normalized query as a text without names: sources by their place, columns by what they are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import chain, groupby, islice, permutations, product
from typing import Any

from lineal.extract.sql.normal.query import Block, Query, SetOperation, Source
from lineal.extract.sql.normal.terms import Term, columns_in, may_fail
from lineal.model.sequences import all_are, second_of_each

MOST_ORDERS = 24
"""Orders of equal sources (`t AS a, t AS b`) that are tried; the smallest text counts."""
SORTED = frozenset(("and", "or", "eq", "same", "plus", "times"))
"""Terms whose operands have no order."""


class Labels:
    """The names of the sources in scope and of their columns."""

    def __init__(self, outer: Labels | None = None) -> None:
        """Label sources one level deeper than `outer`, whose labels remain visible."""
        self.depth: int = 0
        self.names: dict[int, str] = {}
        self.columns: dict[int, dict[str, str]] = {}
        if outer is not None:
            self.depth = outer.depth + 1
            self.names.update(outer.names)
            self.columns.update(outer.columns)

    def text(self, term: Term) -> str:
        """Return the text of a column."""
        source = term[1]
        if term[0] == "star":
            return f"{self.names[source]}.*"

        known = self.columns.get(source, {})
        return f"{self.names[source]}.{known.get(term[2], term[2])}"


def digest_of(text: str) -> str:
    """Return a digest of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def render(query: Query) -> str:
    """Return the normal form of a whole query: the names and the order of its columns count."""
    names = query.names
    text = ordered_text(query, Labels())
    return f"{names}{text}"


def ordered_text(query: Query, outer: Labels) -> str:
    """Return a query whose columns count by their position."""
    if isinstance(query, SetOperation):
        return set_text(query, outer, None)

    assert isinstance(query, Block)
    return min(block_texts(query, outer, None))[0]


def set_text(query: SetOperation, outer: Labels, used: list[int] | None) -> str:
    """Return a set operation; a union's branches have no order."""
    texts = []
    for branch in query.branches:
        if used is not None and isinstance(branch, Block):
            items = [branch.items[at] for at in used]
            failing = [each for each in branch.items if may_fail(each.term)]
            if all(each in items for each in failing) and not branch.distinct:
                branch = Block(**{**vars(branch), "items": items})

        texts.append(ordered_text(branch, outer))

    if query.kind == "union":
        texts.sort()
        if query.distinct:
            texts = list(dict.fromkeys(texts))

    return f"{query.kind}({query.distinct},{used},{texts})"


# -- SELECT ----------------------------------------------------------------------------------------

Rendered = tuple[str, dict[str, str]]
"""The text of a query, and the text of each of its columns."""


def block_texts(block: Block, outer: Labels, used: set[str] | None) -> Iterator[Rendered]:
    """Yield the text of a block for each order of its equal sources.

    With `used`, the block is a derived table: its columns count by what they are.
    """
    wanted = columns_used(block)
    texts = {
        source.number: source_text(source, wanted.get(source.number, set()), outer)
        for source in block.all_sources
    }
    ordered = sorted(block.all_sources, key=lambda source: texts[source.number][0])
    groups = [
        list(several) for _, several in groupby(ordered, lambda source: texts[source.number][0])
    ]
    # product() keeps all that it is given: of twelve equal sources, 479 million orders
    orders = product(*(islice(permutations(group), MOST_ORDERS) for group in groups))
    for order in islice(orders, MOST_ORDERS):
        labels = Labels(outer)
        for at, source in enumerate(chain.from_iterable(order)):
            labels.names[source.number] = f"{labels.depth}:{at}"
            labels.columns[source.number] = texts[source.number][1]

        yield render_with_labels(
            block, labels, {number: text for number, (text, _) in texts.items()}, used
        )


def columns_used(block: Block) -> dict[int, set[str]]:
    """Return the columns of each source that a block names."""
    used: dict[int, set[str]] = {}
    for term in block.own_terms():
        for each in columns_in(term):
            used.setdefault(each[1], set()).add(each[2] if each[0] == "col" else "*")

    return used


def source_text(source: Source, used: set[str], outer: Labels) -> Rendered:
    """Return the text of a source, and of its columns."""
    if source.query is None:
        return f"table({source.table})", {}

    inner = Labels(outer)
    if isinstance(source.query, SetOperation):
        return set_source(source.query, used, inner)

    assert isinstance(source.query, Block)
    return min(block_texts(source.query, inner, used), key=lambda each: each[0])


def set_source(query: SetOperation, used: set[str], outer: Labels) -> Rendered:
    """Return a set operation as a derived table: of UNION ALL, only the columns that are read."""
    names = query.names or []
    if query.kind == "union" and not query.distinct:
        kept = [at for at, name in enumerate(names) if name in used]
    else:
        kept = list(range(len(names)))

    blocks = all_are(query.branches, Block)
    text = set_text(query, outer, kept if blocks else None)
    return digest_of(text), {name: f"#{at}" for at, name in enumerate(names)}


def render_with_labels(
    block: Block, labels: Labels, texts: dict[int, str], used: set[str] | None
) -> Rendered:
    """Return the text of a block under labels of its sources."""
    members = sorted(f"{labels.names[each.number]}={texts[each.number]}" for each in block.sources)
    lefts = sorted(
        f"{labels.names[left.source.number]}={texts[left.source.number]}"
        f"{term_texts(left.conditions, labels)}"
        for left in block.lefts
    )
    items = [(item.name, term_text(item.term, labels)) for item in block.items]
    parts = [
        f"from{members}",
        f"left{lefts}",
        f"where{term_texts(block.conditions, labels)}",
        f"keys{term_texts(block.keys, labels) if block.keys is not None else None}",
        f"having{term_texts(block.having, labels)}",
        f"distinct{block.distinct}",
        f"order{[term_text(each, labels) for each in block.order]}",
    ]
    if used is None:
        parts.append(f"items{second_of_each(items)}")
        return f"select({','.join(parts)})", {}

    kept = {
        text
        for (name, text), item in zip(items, block.items, strict=True)
        if block.distinct or name in used or may_fail(item.term)
    }
    parts.append(f"items{sorted(kept)}")
    columns = {name: digest_of(text) for name, text in items if name != "*"}
    return digest_of(f"select({','.join(parts)})"), columns


# -- terms -----------------------------------------------------------------------------------------


def term_texts(terms: list[Term], labels: Labels) -> list[str]:
    """Return conditions or keys, in any order."""
    return sorted({term_text(each, labels) for each in terms})


def term_text(term: Any, labels: Labels) -> str:
    """Return the text of a term."""
    if isinstance(term, Query):
        return ordered_text(term, labels)

    if not isinstance(term, tuple):
        return repr(term)

    if term and term[0] in ("col", "star"):
        return labels.text(term)

    parts = [term_text(each, labels) for each in term[1:]]
    if term and term[0] in SORTED:
        parts.sort()

    head = term_text(term[0], labels) if term else ""
    return f"({head} {' '.join(parts)})"
