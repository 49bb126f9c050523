"""The texts that places point into: for an excerpt, and for the comments at that place.

A place may come from a saved lineage or a store, which says whatever somebody wrote into it.
`SourceFiles` therefore reads only files of the project that the input belongs to.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

from lineal.model.diagnostic import Place
from lineal.model.finding import Suppression
from lineal.model.script import Corpus
from lineal.projects.comments import suppressions
from lineal.projects.extensions import EXTENSIONS, extension_of
from lineal.projects.intake import Intake, Rules
from lineal.projects.relative import root_of
from lineal.projects.text import peek_text

MOST_LINES = 5_000
"""To compare longer texts line by line would take too long: their places are those of the text that was
rendered.
"""
ENDINGS = frozenset({*EXTENSIONS, ".yml", ".yaml", ".csv"})
"""Of the files that statements and declarations are in."""


class SourceFiles:
    """The files below the roots of these inputs, read through the intake; no other file has a text.

    `named_from_root` says that names of files begin at the root of their project. Else they begin
    at the working directory, or, in a lineage that was saved elsewhere, at the root.
    """

    def __init__(
        self, paths: Iterable[str], rules: Rules | None = None, named_from_root: bool = False
    ) -> None:
        self._rules = rules
        self._named_from_root = named_from_root
        self._asked: set[str] = set()
        self._roots: list[str] = []
        for path in paths:
            where = Path(path)
            if "://" in path or not where.exists():
                continue

            root = root_of(where)
            self._roots += [os.path.abspath(root), os.path.realpath(root)]  # noqa: PTH100
            self._asked.add(os.path.abspath(where))  # noqa: PTH100

    def text(self, file: str) -> str:
        """Return the text of a file of the project, '' if it may not or cannot be read."""
        intake = Intake(None, self._rules)
        for root in self._roots:
            intake.admit(Path(root))

        try:
            with intake:
                return next(filter(None, map(peek_text, self._candidates(file))), "")
        except (OSError, ValueError):  # too long for a path, or with a NUL in it
            return ""

    def _candidates(self, file: str) -> Iterator[Path]:
        """Yield the files that a name may mean, as far as they are inside a root."""
        starts = self._roots if self._named_from_root else [os.getcwd(), *self._roots]  # noqa: PTH109
        for start in dict.fromkeys(starts):
            path = os.path.abspath(os.path.join(start, file))  # noqa: PTH100, PTH118
            if path in self._asked or any(is_source_below(root, path) for root in self._roots):
                yield Path(path)


def is_source_below(root: str, path: str) -> bool:
    """Tell whether a path is a source below a folder, and neither hidden nor in a hidden folder."""
    if not path.startswith(f"{root.rstrip(os.sep)}{os.sep}"):
        return False

    inner = Path(path).relative_to(root).parts
    is_hidden = any(part.startswith(".") for part in inner)
    return not is_hidden and extension_of(inner[-1]) in ENDINGS


class Texts:
    """The analyzed texts, by file. Any other file is read only below the folders that were asked
    about.
    """

    def __init__(self, corpus: Corpus, paths: Iterable[str]) -> None:
        self._corpus = corpus
        self._files = SourceFiles(path for path in paths if Path(path).is_dir())
        self._scripts: dict[str, str] = {}
        for script in corpus.scripts:
            if script.line == 1 and not script.one_line:
                self._scripts.setdefault(script.file, script.text)

        self._rendered: dict[Place, str] = {}
        self._lines = cache(self._lines_of)
        self._origins = cache(self._origins_of)

    def line(self, place: Place) -> str:
        """The line that a place is on, as it was analyzed."""
        lines = self._lines(place.file)
        return self._rendered.get(place) or (
            lines[place.line - 1] if 0 < place.line <= len(lines) else ""
        )

    def original(self, place: Place) -> Place:
        """A place in what a template was rendered to, as a place in the template."""
        lines, origins = self._lines(place.file), self._origins(place.file)
        if not origins or not 0 < place.line <= len(lines):
            return place

        moved = place._replace(line=origins[place.line - 1])
        self._rendered[moved] = lines[place.line - 1]
        return moved

    def _lines_of(self, file: str) -> list[str]:
        """Return the lines of a file or script."""
        text = self._scripts.get(file)
        return (self.text(file) if text is None else text).split("\n")

    def _origins_of(self, file: str) -> list[int]:
        """{% for … %} makes many lines of one: for each line the one it was made of; empty where
        none has moved. A rendered text without additional lines keeps those of its template.
        """
        rendered, written = self._scripts.get(file), self.text(file)
        if rendered is None or not written or rendered.count("\n") <= written.count("\n"):
            return []

        lines, template = rendered.split("\n"), written.split("\n")
        if len(lines) > MOST_LINES:
            return []

        matcher = SequenceMatcher(lambda line: not line.strip(), lines, template, False)
        known = {0: 0}
        for mine, theirs, size in matcher.get_matching_blocks():
            known |= {mine + step + 1: theirs + step + 1 for step in range(size)}

        return list(_between(known, len(lines), len(template)))

    def text(self, file: str) -> str:
        """Return the text of a file on disk, '' if it may not or cannot be read."""
        return self._files.text(file)

    def suppressions(self) -> Iterator[Suppression]:
        """Return the suppressions in the comments of all statements and declarations."""
        for script in self._corpus.scripts:
            if script.file and script.line == 1 and not script.one_line:
                yield from suppressions(script.file, script.text, script.dialect)

        for file in self._declaring():
            yield from suppressions(file, self.text(file))

    def _declaring(self) -> list[str]:
        """The YAML files that declare something."""
        files = {
            place.file: None for place in self._places() if place.file.endswith((".yml", ".yaml"))
        }
        return list(files)

    def _places(self) -> Iterator[Place]:
        """Yield the places of datasets and columns."""
        for info in self._corpus.datasets:
            if info.place is not None:
                yield info.place

            yield from (column.place for column in info.columns if column.place is not None)


def _between(known: dict[int, int], lines: int, template: int) -> Iterator[int]:
    """For each line the one of the template: the known one, else as far below the last known as it
    is, but not beyond
    the next."""
    ahead = {**dict.fromkeys(range(1, lines + 1), template + 1), **known}
    for number in range(lines - 1, 0, -1):
        ahead[number] = known.get(number, ahead[number + 1])

    last = 0
    for number in range(1, lines + 1):
        if number in known:
            last = number
            yield known[number]
        else:
            yield max(min(known[last] + number - last, ahead[number] - 1), known[last], 1)
