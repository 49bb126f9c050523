"""Names of several parts other than a plain `t.x`: paths of fields, steps of a pipe, hidden
tables.
"""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING

from sqlglot import exp

from lineal.algebra.frame import Slot, slot_at
from lineal.algebra.relation import project
from lineal.extract.sql.dialects import PACKAGES_HOLD_VALUES
from lineal.extract.sql.pipes import is_step
from lineal.extract.sql.sources import (
    Source,
    field_of,
    is_sequence,
    kept_of,
    origin_of,
)
from lineal.model.diagnostic import Code
from lineal.model.names import closest
from lineal.model.sequences import only_or_none

if TYPE_CHECKING:
    from lineal.extract.sql.scope import Scope


def resolve_dotted(scope: Scope, parts: list[exp.Expression], node: exp.Column) -> Slot | None:
    """a.b.c.d: the longest prefix that names a source wins, then its column, then a path of
    fields.
    """
    texts = [part.name if isinstance(part, exp.Identifier) else f"${part.name}" for part in parts]
    quotes = [part.args.get("quoted") for part in parts]
    evaluation = scope.evaluation
    for length in range(len(parts) - 1, 0, -1):
        source_key = ".".join(
            starmap(evaluation.fold_table, zip(texts[:length], quotes[:length], strict=True))
        )
        source = scope.find_source(source_key)
        if source is None and length > 1:
            source = scope.find_source(evaluation.fold_table(texts[length - 1], quotes[length - 1]))
            if source is not None and source.dataset is None:
                source = None

        if source is None:
            continue

        name, key = texts[length], evaluation.fold(texts[length], quotes[length])
        slot = slot_at(source.index, key)
        if slot is None:
            slot = scope.from_stars(source, name, key, node)
        elif source.dataset is not None:
            evaluation.read(origin_of(slot), scope.clause, node)

        if slot is None:
            return None

        return field_of(slot, texts[length + 1 :], node)

    key = evaluation.fold(texts[0], quotes[0])
    piped = piped_source(scope, key)
    if piped is not None:
        table = evaluation.fold_table(texts[0], quotes[0])
        slot = column_of_pipe(
            scope, piped, table, texts[1], evaluation.fold(texts[1], quotes[1]), node
        )
        if slot is not None:
            return field_of(slot, texts[2:], node)

        return None

    hidden = hidden_source(scope, texts[:-1], key)
    if hidden is not None:
        return column_of_hidden(
            scope, hidden, texts[-1], evaluation.fold(texts[-1], quotes[-1]), node
        )

    if is_sequence(node) or is_package_value(scope, texts, key, node):
        return scope.no_column()

    slot = scope.unqualified_column(texts[0], key, node, certain=True)
    if slot is not None:
        return field_of(slot, texts[1:], node)

    return None


def is_package_value(scope: Scope, texts: list[str], key: str, node: exp.Column) -> bool:
    """SELECT consts.pi FROM t      Oracle: reported, because consts may be a misspelled alias"""
    if not is_package(scope, texts[0], key):
        return False

    name = ".".join(texts)
    message = f"'{name}' is read as a value of a package: no source is called '{texts[0]}'"
    scope.evaluation.report(Code.UNKNOWN_PACKAGE, message, node)
    return True


def is_package(scope: Scope, name: str, key: str) -> bool:
    """SELECT rates.euro FROM t      Oracle: no source, column or variable is called rates"""
    if scope.evaluation.facts.name not in PACKAGES_HOLD_VALUES:
        return False

    sources: list[str] = []
    around: Scope | None = scope
    while around is not None:
        if around.has_surely(key) or around.knows(key):
            return False

        sources += [source.alias or source.name for source in around.order]
        around = around.parent

    return closest(name, sources) is None


def piped_source(scope: Scope, key: str) -> Source | None:
    """Find the source that a name means after steps of a pipe.

    FROM t AS a |> EXTEND a.x AS y |> WHERE a.x > y

    the parser makes CTEs of the steps, and `a` lives on
    """
    around: Scope | None = scope
    while around is not None:
        if around.knows(key):
            return None

        found = next((source for source in around.order if is_step(source.alias)), None)
        if found is not None:
            return found

        around = around.parent

    return None


def column_of_pipe(
    scope: Scope, source: Source, table: str, name: str, key: str, node: exp.Column
) -> Slot | None:
    """Find a column of a source that steps of a pipe have kept.

    FROM t AS a |> EXTEND … |> WHERE a.x      the x that the steps so far have kept of a
    """
    kept = kept_of(table, [source])
    alike = [slot for slot in kept or source.frame.slots if slot.key == key]
    if not alike:
        stars = [slot for slot in kept if slot.star is not None]
        own = Source(table, table, project(source.frame, stars)) if stars else source
        return scope.from_stars(own, name, key, node)

    return only_or_none(alike)


def hidden_source(scope: Scope, names: list[str], key: str) -> Source | None:
    """Find the source that an alias hides.

    SELECT t.x FROM t AS a

    no engine reads it, but a is the t that is meant where no column is called t
    """
    if scope.knows(key):
        return None

    wanted = [name.lower() for name in names]
    found = [
        source
        for source in scope.order
        if source.dataset is not None
        and source.dataset.name.lower().split(".")[-len(wanted) :] == wanted
    ]
    return only_or_none(found)


def column_of_hidden(
    scope: Scope, source: Source, name: str, key: str, node: exp.Column
) -> Slot | None:
    """Find a column of a source that an alias hides.

    SELECT t.x FROM t AS a      a's x, as a guess
    """
    slot = slot_at(source.index, key)
    if slot is None:
        slot = scope.from_stars(source, name, key, node)
    else:
        scope.evaluation.read(origin_of(slot), scope.clause, node)

    if slot is not None:
        return scope.mark_guess(slot, f"`{source.dataset}` is called `{source.alias}` here")

    return None
