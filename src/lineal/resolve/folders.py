"""Names that several scripts define: one dataset, or one for each folder.

    tpch/ddl.sql     CREATE TABLE customer (c_custkey INT, …)            tpch::customer
    tpcds/ddl.sql    CREATE TABLE customer (c_customer_sk INT, …)        tpcds::customer

Definitions that share at least half of the columns of the smaller one agree: they are one dataset.
Definitions that do not agree and are in different folders are separate datasets. A script means the
one with which it has the longest folder in common.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from lineal.extract.sql.statements.outlines import outline_of
from lineal.extract.sql.statements.steps import Dropped, Plan, Renamed
from lineal.model.names import Fold
from lineal.model.sequences import present
from lineal.resolve.file_names import Parts, folders_of

if TYPE_CHECKING:
    from lineal.resolve.scripts import Prepared

Outline = frozenset[str] | None
"""The columns of a definition; None where its text does not list them."""


class Home(NamedTuple):
    """One of several datasets of a name: the folders that define it, and the one that it is shown
    with.
    """

    folders: frozenset[Parts]
    label: str
    key: str
    name: str = ""
    """if it is shown with its schema, and not with a folder"""

    def show_name(self, name: str) -> str:
        """customer      tpch::customer, or the name with its schema"""
        return self.name or f"{self.label}::{name}"


class Nearby(NamedTuple):
    """A home below some folder, and how deep its nearest folder is."""

    depth: int
    home: Home


class HomesOfName:
    """The datasets that a name means, by the folders that are above them."""

    def __init__(self, homes: Iterable[Home]) -> None:
        self.all = tuple(homes)
        self.below: dict[Parts, list[Nearby]] = {}
        for home in self.all:
            for folder, depth in shallowest(home.folders).items():
                self.below.setdefault(folder, []).append(Nearby(depth, home))

    def nearest(self, folder: Parts) -> list[Home]:
        """Return the datasets that a name may mean in a folder: one, or several that are equally
        near.

        The longest common folder counts, and of those homes the ones that are not deeper in it.
        """
        prefixes = (folder[:length] for length in range(len(folder), -1, -1))
        near = next((self.below[each] for each in prefixes if each in self.below), [])
        above = [each.home for each in near if each.depth <= len(folder)]
        return above or [each.home for each in near]


def shallowest(folders: Iterable[Parts]) -> dict[Parts, int]:
    """Return every folder that is above some of these, with the least depth of those below it."""
    found: dict[Parts, int] = {}
    for each in folders:
        for length in range(len(each) + 1):
            known = found.get(each[:length], len(each))
            found[each[:length]] = min(known, len(each))

    return found


class Definer(NamedTuple):
    """A script, and the last statement in it that defines a name."""

    script: Prepared
    plan: Plan

    @property
    def file(self) -> str:
        """The file of the script."""
        return self.script.reading.script.file

    @property
    def outline(self) -> Outline:
        """The outline of the definition: the columns that its text lists, if any."""
        found = outline_of(self.plan, self.script.facts)
        return None if found is None else frozenset(found)


Homes = dict[str, HomesOfName]
"""By the key of a name: the datasets that scripts of different folders mean by it."""


def definers_of(scripts: Iterable[Prepared]) -> dict[str, list[Definer]]:
    """The scripts that define each name, in the order of their files; only names of several
    scripts.
    """
    found: dict[str, list[Definer]] = {}
    for script in scripts:
        about = script.reading.script
        if about.recurs or not about.file:
            continue

        for key, plan in final_definitions(script).items():
            found.setdefault(key, []).append(Definer(script, plan))

    several = {key: each for key, each in found.items() if len(each) > 1}
    return {key: sorted(each, key=lambda one: one.file) for key, each in several.items()}


def final_definitions(script: Prepared) -> dict[str, Plan]:
    """The names that a script leaves behind, with the statement that defines each last."""
    last: dict[str, Plan] = {}
    for step, naming in script.steps:
        if isinstance(step, Plan):
            if step.defines and step.key and not step.temporary:
                last[step.key] = step
        elif isinstance(step, Dropped):
            last.pop(naming.full(step.key, step.key)[1] if naming else step.key, None)
        elif isinstance(step, Renamed):
            old = naming.full(step.name, step.key)[1] if naming else step.key
            new = naming.name_created(step.to_name, step.to_key)[1] if naming else step.to_key
            if old in last:
                last[new] = last.pop(old)

    return last


def homes_of(key: str, definers: list[Definer], fold: Fold) -> list[Home]:
    """The datasets that a name means; none if all its definitions are one dataset."""
    by_folder: dict[Parts, Outline] = {}
    for definer in definers:
        folder, outline = folders_of(definer.file), definer.outline
        held = by_folder.get(folder, frozenset())
        by_folder[folder] = None if held is None or outline is None else held | outline

    groups = agreeing_groups(by_folder)
    if len(groups) < 2:
        return []

    labels = labels_of(list(map(common_folder, groups)))
    return [
        Home(frozenset(group), label, f"{fold(label, False)}::{key}")
        for group, label in zip(groups, labels, strict=True)
    ]


OPEN_SCHEMA = re.compile(r"\{[^{}.]*\}")
"""{db}      a schema that only a run knows"""


def open_homes(scripts: Iterable[Prepared], taken: Container[str]) -> Homes:
    """Return what names without a schema mean that are defined in one that only a run knows.

    ddl.sql        USE ${DB}; CREATE TABLE sales …        {DB}.sales
    report.sql     SELECT … FROM sales                    {DB}.sales, if nothing else is called so
    """
    found: dict[str, dict[str, str]] = {}
    for script in scripts:
        for step, _ in script.steps:
            if not isinstance(step, Plan) or not step.defines or step.temporary:
                continue

            schema, _, bare = step.key.partition(".")
            if bare and "." not in bare and OPEN_SCHEMA.fullmatch(schema) and "{" not in bare:
                names = found.setdefault(bare, {})
                names[step.key] = min(names.get(step.key, step.name), step.name)

    return {
        bare: HomesOfName(Home(frozenset(((),)), "", key, name) for key, name in names.items())
        for bare, names in found.items()
        if len(names) == 1 and bare not in taken
    }


def agreeing_groups(outlines: dict[Parts, Outline]) -> list[list[Parts]]:
    """The folders whose definitions agree, together; each group and all of them in order."""
    alike: dict[Outline, list[Parts]] = {}
    for folder, outline in sorted(outlines.items()):
        alike.setdefault(outline, []).append(folder)

    known = list(filter(None, alike))
    if len(known) < len(alike):  # a definition whose columns nobody lists agrees with all
        return [sorted(outlines)]

    groups = OutlineGroups(known)
    groups.unite()
    return sorted(
        sorted(chain.from_iterable(alike[each] for each in group)) for group in groups.members
    )


class OutlineGroups:
    """Definitions that agree, directly or through others.

    Two definitions that agree share half of the columns of the smaller one. So one of its rarer
    columns is in the other: only definitions with such a column are compared.
    """

    def __init__(self, outlines: Iterable[frozenset[str]]) -> None:
        self.group_of = {outline: {outline: None} for outline in outlines}
        self.holders: dict[str, dict[int, list[frozenset[str]]]] = {}
        """by column: the definitions that have it, by group"""
        self.counts: Counter[str] = Counter(chain.from_iterable(self.group_of))
        for outline, group in self.group_of.items():
            self.hold(outline, id(group))

    @property
    def members(self) -> Iterable[Iterable[frozenset[str]]]:
        """Return the groups."""
        return {id(group): group for group in self.group_of.values()}.values()

    def hold(self, outline: frozenset[str], group: int) -> None:
        """Enter a definition under each of its columns."""
        for column in outline:
            self.holders.setdefault(column, {}).setdefault(group, []).append(outline)

    def unite(self) -> None:
        """Put the definitions that agree into one group."""
        for outline in self.group_of:
            rare = sorted(outline, key=lambda each: (self.counts[each], each))
            for column in rare[: len(outline) // 2 + 1]:
                for other in self.agreeing(outline, column):
                    self.join(outline, other)

    def agreeing(self, outline: frozenset[str], column: str) -> list[frozenset[str]]:
        """Return one definition of each other group that has a column and agrees with this one."""
        own = id(self.group_of[outline])
        others = [held for group, held in self.holders[column].items() if group != own]
        found = (next((each for each in held if agree(outline, each)), None) for held in others)
        return present(found)

    def join(self, one: frozenset[str], other: frozenset[str]) -> None:
        """Put two groups together: the smaller one into the larger one."""
        small, large = sorted((self.group_of[one], self.group_of[other]), key=len)
        if small is large:
            return

        for each in small:
            for column in each:
                self.holders[column].pop(id(small), None)

            self.hold(each, id(large))
            self.group_of[each] = large

        large.update(small)


def agree(one: Outline, other: Outline) -> bool:
    """Tell whether two definitions share at least half of the columns of the smaller one."""
    if one is None or other is None:
        return True

    return 2 * len(one & other) >= min(len(one), len(other))


def common_folder(folders: list[Parts]) -> Parts:
    """The folder that all of some folders are in; the first of them if that is none."""
    length = min(count_common_folders(folders[0], each) for each in folders)
    return folders[0][:length] or folders[0]


def labels_of(folders: list[Parts]) -> list[str]:
    """The part of each folder that tells it apart: bench/tpch, bench/tpcds      tpch, tpcds"""
    length = min(count_common_folders(folders[0], each) for each in folders)
    own = [each[length:] or each[-1:] or (".",) for each in folders]
    for depth in range(1, max(map(len, own)) + 1):
        short = [each[:depth] for each in own]
        if len(set(short)) == len(short):
            return ["/".join(each) for each in short]

    return ["/".join(each) or "." for each in folders]


def count_common_folders(one: Parts, other: Parts) -> int:
    """How many folders two paths begin with in common."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
