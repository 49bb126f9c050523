"""Specifications of packages: what one file declares for the package body in another one.

load.pks      CREATE PACKAGE load AS CURSOR fresh IS SELECT …; found NUMBER; END;
load.pkb      CREATE PACKAGE BODY load AS … FETCH fresh INTO found …
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from lineal.extract.sql.dialects import PACKAGES_HOLD_VALUES
from lineal.model.late_pattern import late_pattern
from lineal.model.script import Corpus, Script
from lineal.resolve.file_names import Parts, folders_of

HEADER = late_pattern(
    r"^[ \t]*create\s+(?:or\s+replace\s+)?(?:(?:non)?editionable\s+)?package\s+(body\s+)?"
    r"(?:(?:\w+|\"[^\"]+\")\s*\.\s*)?(\w+|\"[^\"]+\")",
    re.IGNORECASE | re.MULTILINE,
)
"""The header of a package: whether it is a body, and the name without a schema."""
END = late_pattern(r"^[ \t]*/[ \t]*$", re.MULTILINE)


class Package(NamedTuple):
    """A specification or a body in a text."""

    name: str
    is_body: bool
    text: str


class Specification(NamedTuple):
    """A specification, and where it is."""

    file: str
    folders: Parts
    text: str


def announce_packages(corpus: Corpus) -> Corpus:
    """Give each script with a package body the specifications that other files have of it."""
    packages = {
        number: list(packages_in(script.text))
        for number, script in enumerate(corpus.scripts)
        if script.dialect in PACKAGES_HOLD_VALUES and "package" in script.text.lower()
    }
    bodies = {each.name for found in packages.values() for each in found if each.is_body}
    specifications: dict[str, list[Specification]] = {}
    for number, found in packages.items():
        file = corpus.scripts[number].file
        for each in found:
            if each.name in bodies and not each.is_body:
                known = Specification(file, folders_of(file), each.text)
                specifications.setdefault(each.name, []).append(known)

    scripts = list(corpus.scripts)
    for number, found in packages.items():
        announced = specifications_for(scripts[number], found, specifications)
        if announced:
            scripts[number] = replace(scripts[number], announced=announced)

    return replace(corpus, scripts=scripts) if specifications else corpus


def packages_in(text: str) -> Iterator[Package]:
    """Yield the packages of a text."""
    headers = list(HEADER.finditer(text))
    for number, header in enumerate(headers):
        following = headers[number + 1].start() if number + 1 < len(headers) else len(text)
        end = END.search(text, header.end(), following)
        until = end.start() if end is not None else following
        name = header[2].strip('"').lower()
        yield Package(name, bool(header[1]), text[header.start() : until])


def specifications_for(
    script: Script, packages: Iterable[Package], specifications: dict[str, list[Specification]]
) -> tuple[tuple[str, str], ...]:
    """Return the names and specifications of the bodies in a script that it does not specify."""
    own = {each.name for each in packages if not each.is_body}
    announced = []
    for name in dict.fromkeys(each.name for each in packages if each.is_body):
        if name not in own and name in specifications:
            announced.append((name, nearest_of(specifications[name], folders_of(script.file))))

    return tuple(announced)


def nearest_of(specifications: list[Specification], folders: Parts) -> str:
    """Return the specification with the longest common folder; several where that is a tie."""
    depths = [common_length(each.folders, folders) for each in specifications]
    nearest = sorted(
        each for each, depth in zip(specifications, depths, strict=True) if depth == max(depths)
    )
    return "\n".join(dict.fromkeys(each.text for each in nearest))


def common_length(some: Parts, others: Parts) -> int:
    """Return the number of folders that two paths share."""
    length = 0
    for each, other in zip(some, others, strict=False):
        if each != other:
            break

        length += 1

    return length
