"""A policy for `lineal diff`: which changes are safe, which want a review, which block.

levels:
  rows-changed: block
  column-removed: safe
ignore: [tmp_*, sandbox.*]
consumers:
  exposure: block
  test: review
classifications:
  - label: pii
    not_into: [exposure, access:public, mart_public.*]
contracts:
  - dataset: orders
    columns: [id, amount]
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lineal.model.diagnostic import Diagnostic
from lineal.model.names import closest
from lineal.model.policy import CONSUMER_KINDS, KINDS, Contract, LabelRule, Level, Policy
from lineal.projects import yaml
from lineal.projects.errors import ProjectError
from lineal.projects.yaml import Value

FILE = "lineal-policy.yml"
LEVELS, IGNORE, CONSUMERS = "levels", "ignore", "consumers"
CLASSIFICATIONS, CONTRACTS = "classifications", "contracts"
KEYS = (LEVELS, IGNORE, CONSUMERS, CLASSIFICATIONS, CONTRACTS)
LABEL, INTO, LEVEL = "label", "not_into", "level"
DATASET, COLUMNS = "dataset", "columns"


def read_policy(file: Path, shown: str = "") -> Policy:
    """A policy that does not say what it could mean is the caller's mistake: nothing is let through
    by a slip. Messages call the file `shown`, if its own name says nothing.
    """
    return _Reader(file, shown or str(file)).policy()


class _Reader:
    """Reads one file; the first mistake ends it."""

    def __init__(self, file: Path, shown: str) -> None:
        self.file = file
        self.shown = shown
        self.problems: list[Diagnostic] = []

    def policy(self) -> Policy:
        """Return the policy of the file; an empty file is the usual policy."""
        about = yaml.read(self.file, self.report)
        if about is None or about.data is None:
            about = Value({})

        self.known(about, KEYS, "a policy")
        made = Policy(
            levels=self.levels(about, LEVELS, tuple(KINDS)),
            ignored=self.texts(about, IGNORE),
            consumers=self.levels(about, CONSUMERS, CONSUMER_KINDS),
            labels=tuple(map(self.label_rule, self.entries(about, CLASSIFICATIONS))),
            contracts=tuple(map(self.contract, self.entries(about, CONTRACTS))),
        )
        if self.problems:
            raise ProjectError(str(self.problems[0]))

        return made

    def report(self, problem: Diagnostic) -> None:
        """Note a problem of the YAML."""
        self.problems.append(problem)

    # -- sections ----------------------------------------------------------------------------------

    def levels(self, about: Value, key: str, names: tuple[str, ...]) -> dict[str, Level]:
        """rows-changed: block"""
        found = about.get(key)
        if found is None or found.data is None:
            return {}

        values = about.mapping(self.report, key)
        if isinstance(found.data, dict):
            self.known(found, names, key)

        return {name: self.level(name, value) for name, value in values.items()}

    def label_rule(self, entry: Value) -> LabelRule:
        """label: pii      not_into: [exposure, access:public]"""
        self.known(entry, (LABEL, INTO, LEVEL), CLASSIFICATIONS)
        label = self.required_text(entry, LABEL)
        into = self.texts(entry, INTO)
        if not into:
            raise self.mistake(entry, f"{CLASSIFICATIONS}: {label} has no {INTO}")

        return LabelRule(label, into, self.own_level(entry))

    def contract(self, entry: Value) -> Contract:
        """dataset: orders      columns: [id, amount]"""
        self.known(entry, (DATASET, COLUMNS, LEVEL), CONTRACTS)
        dataset = self.required_text(entry, DATASET)
        return Contract(dataset, self.texts(entry, COLUMNS), self.own_level(entry))

    # -- values ------------------------------------------------------------------------------------

    def entries(self, about: Value, key: str) -> list[Value]:
        """Return the entries of a list; anything else is a mistake."""
        found = about.get(key)
        if found is None or found.data is None:
            return []

        if not isinstance(found.data, list):
            raise self.mistake(found, f"{key} is a list")

        return about.items_of(key)

    def texts(self, about: Value, key: str) -> tuple[str, ...]:
        """[a, b]"""
        return tuple(value.as_text(self.report) for value in self.entries(about, key))

    def required_text(self, entry: Value, key: str) -> str:
        """Return a text that has to be there."""
        found = entry.get(key)
        if found is None:
            raise self.mistake(entry, f"{key} is missing")

        return found.as_text(self.report)

    def own_level(self, entry: Value) -> Level:
        """level: review; without it, block"""
        found = entry.get(LEVEL)
        if found is None:
            return Level.BLOCK

        return self.level(LEVEL, found)

    def level(self, name: str, value: Value) -> Level:
        """safe, review, block"""
        said = str(value.data).upper()
        if said not in Level.__members__:
            raise self.mistake(value, f"{name} is {value.data}: write safe, review or block")

        return Level[said]

    def known(self, about: Value, known: Iterable[str], where: str) -> None:
        """Refuse keys that nobody knows, and say what may have been meant."""
        names = list(known)
        if not isinstance(about.data, dict):
            raise self.mistake(about, f"{where} is a mapping with {', '.join(names)}")

        for name in about.data:
            if name not in names:
                near = closest(str(name), names)
                meant = f"did you mean {near}?" if near else f"it knows {', '.join(names)}"
                raise ProjectError(f"{self.shown}: {where} knows no {name}; {meant}")

    def mistake(self, value: Value, message: str) -> ProjectError:
        """Return a mistake with its place."""
        return ProjectError(f"{self.shown}:{value.place.line}: {message}")
