"""A policy for `lineal diff`: which changes are safe, which want a review, which block.

levels:
  rows-changed: block
  column-removed: safe
ignore: [tmp_*, sandbox.*]
"""

from __future__ import annotations

from pathlib import Path

from lineal.model.diagnostic import Diagnostic
from lineal.model.names import closest
from lineal.model.policy import KINDS, Level, Policy
from lineal.projects import yaml
from lineal.projects.errors import ProjectError
from lineal.projects.yaml import Value

FILE = "lineal-policy.yml"
LEVELS, IGNORE = "levels", "ignore"


def read_policy(file: Path) -> Policy:
    """A policy that does not say what it could mean is the caller's mistake: nothing is let through
    by a slip.
    """
    problems: list[Diagnostic] = []
    about = yaml.read(file, problems.append)
    if about is None or about.data is None:
        about = Value({})
    if not isinstance(about.data, dict):
        raise ProjectError(f"{file}: a policy is a mapping with {LEVELS} and {IGNORE}")
    _known(about.data, (LEVELS, IGNORE), "a policy", file)
    levels = {
        name: _level(name, value, file)
        for name, value in about.mapping(problems.append, LEVELS).items()
    }
    _known(levels, tuple(KINDS), LEVELS, file)
    ignored = tuple(value.as_text(problems.append) for value in about.items_of(IGNORE))
    if problems:
        raise ProjectError(str(problems[0]))
    return Policy(levels, ignored)


def _level(name: str, value: Value, file: Path) -> Level:
    said = str(value.data).upper()
    if said not in Level.__members__:
        raise ProjectError(
            f"{file}:{value.place.line}: {name} is {value.data}: write safe, review or block"
        )
    return Level[said]


def _known(found: object, known: tuple[str, ...], where: str, file: Path) -> None:
    assert isinstance(found, dict)
    for name in found:
        if name not in known:
            near = closest(str(name), list(known))
            meant = f"did you mean {near}?" if near else f"it knows {', '.join(known)}"
            raise ProjectError(f"{file}: {where} knows no {name}; {meant}")
