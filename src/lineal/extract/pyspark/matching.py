"""Patterns of `match`: whether a value fits, and the names that it is given then."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from lineal.extract.pyspark.comparisons import compare_values
from lineal.extract.pyspark.dispatch import attribute_of, value
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import (
    all_known,
    all_of,
    any_of,
    is_known,
    items_for_targets,
    truth,
)
from lineal.extract.pyspark.natives import is_instance
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import Instance, Unknown, Value
from lineal.model.sequences import first_of_each


def fits_pattern(run: Run, pattern: ast.pattern, subject: Value, env: Environment) -> bool | None:
    """Whether the subject fits; None where only a run can tell."""
    handler = PATTERNS.get(type(pattern))
    if handler is not None:
        return handler(run, pattern, subject, env)

    return None


def bind_name(run: Run, name: str | None, held: Value, env: Environment) -> None:
    """Bind a name of a pattern, where it has one.

    case first
    """
    if name is not None:
        run.touch(env.names)
        env.names[name] = held


def other_kind_fits(subject: Value) -> bool | None:
    """Return that a value of another kind does not fit; None where its kind is not known."""
    if isinstance(subject, Unknown):
        return None

    return False


def capture(run: Run, pattern: ast.MatchAs, subject: Value, env: Environment) -> bool | None:
    """Match a capture pattern.

    case name, case _, case "a" | "b" as kind
    """
    fits: bool | None = True
    if pattern.pattern is not None:
        fits = fits_pattern(run, pattern.pattern, subject, env)

    if fits is not False:
        bind_name(run, pattern.name, subject, env)

    return fits


def match_or(run: Run, pattern: ast.MatchOr, subject: Value, env: Environment) -> bool | None:
    """Match an or pattern.

    case "a" | "b"
    """
    return any_of([fits_pattern(run, each, subject, env) for each in pattern.patterns])


def equal(run: Run, pattern: ast.MatchValue, subject: Value, env: Environment) -> bool | None:
    """Match a value pattern.

    case "a", case Kind.RENAME
    """
    return compare_values(ast.Eq(), subject, value(run, pattern.value, env))


def match_singleton(
    run: Run, pattern: ast.MatchSingleton, subject: Value, env: Environment
) -> bool | None:
    """Match a singleton pattern.

    case None, case True
    """
    if is_known(subject) or subject is None:
        return subject is pattern.value

    return None


def sequence(run: Run, pattern: ast.MatchSequence, subject: Value, env: Environment) -> bool | None:
    """Match a sequence pattern.

    case ["sum", column], case (first, *rest)
    """
    if not isinstance(subject, (list, tuple)):
        return other_kind_fits(subject)

    items = items_for_targets(list(subject), pattern.patterns, ast.MatchStar)
    if items is None:
        return False

    pairs = zip(pattern.patterns, items, strict=True)
    return all_of([fits_pattern(run, each, item, env) for each, item in pairs])


def rest(run: Run, pattern: ast.MatchStar, subject: Value, env: Environment) -> bool | None:
    """Match a star pattern.

    case [first, *others]
    """
    bind_name(run, pattern.name, subject, env)
    return True


def mapping(run: Run, pattern: ast.MatchMapping, subject: Value, env: Environment) -> bool | None:
    """Match a mapping pattern.

    case {"type": "cast", "to": kind, **others}
    """
    if not isinstance(subject, dict):
        return other_kind_fits(subject)

    keys = [value(run, key, env) for key in pattern.keys]
    if not all_known(keys):
        return None

    if not all(key in subject for key in keys):
        return False

    pairs = zip(keys, pattern.patterns, strict=True)
    fits = all_of([fits_pattern(run, each, subject[key], env) for key, each in pairs])
    others = {key: held for key, held in subject.items() if key not in keys}
    bind_name(run, pattern.rest, others, env)
    return fits


def of_class(run: Run, pattern: ast.MatchClass, subject: Value, env: Environment) -> bool | None:
    """Match a class pattern.

    case Rename(old=a, new=b), case Rename(a, b), case str()
    """
    kind = value(run, pattern.cls, env)
    fits = truth(is_instance(run, Invocation([subject, kind], {}, pattern)))
    if fits is not True:
        return fits

    if not isinstance(subject, Instance):
        return all_of([fits_pattern(run, each, subject, env) for each in pattern.patterns[:1]])

    order = subject.home.find("__match_args__") or first_of_each(subject.home.all_fields)
    parts = [
        *zip(order, pattern.patterns, strict=False),
        *zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True),
    ]
    return all_of(
        [
            fits_pattern(run, each, attribute_of(run, subject, name, pattern), env)
            for name, each in parts
        ]
    )


PATTERNS: dict[type, Callable[[Run, Any, Value, Environment], bool | None]] = {
    ast.MatchAs: capture,
    ast.MatchOr: match_or,
    ast.MatchValue: equal,
    ast.MatchSingleton: match_singleton,
    ast.MatchSequence: sequence,
    ast.MatchStar: rest,
    ast.MatchMapping: mapping,
    ast.MatchClass: of_class,
}
