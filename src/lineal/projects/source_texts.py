"""The texts that places point into: for an excerpt, and for the comments that stand there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

from lineal.model.diagnostic import Place
from lineal.model.finding import Suppression
from lineal.model.script import Corpus
from lineal.projects.comments import suppressions
from lineal.projects.text import decoded

MOST_LINES = 5_000
"""To compare longer texts line by line would take too long: their places are those of what was
rendered.
"""
ENDINGS = (".sql", ".py", ".yml", ".yaml", ".csv")


class Texts:
    """What was analysed, by file. A file that was not analysed is read only below the folders that
    were asked about:
    a place may come from a saved lineage, which says whatever somebody wrote into it."""

    def __init__(self, corpus: Corpus, paths: Iterable[str]) -> None:
        self._corpus = corpus
        self._folders = [where.resolve() for path in paths if (where := Path(path)).is_dir()]
        self._scripts: dict[str, str] = {}
        for script in corpus.scripts:
            if script.line == 1 and not script.one_line:
                self._scripts.setdefault(script.file, script.text)
        self._rendered: dict[Place, str] = {}
        self._lines = cache(self._lines_of)
        self._origins = cache(self._origins_of)

    def line(self, place: Place) -> str:
        """The line that a place is on, as it was analysed."""
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
        text = self._scripts.get(file)
        return (self.text(file) if text is None else text).split("\n")

    def _origins_of(self, file: str) -> list[int]:
        """{% for … %} makes many lines of one: for each line the one it was made of; empty where
        none has moved.
        """
        rendered, written = self._scripts.get(file), self.text(file)
        if rendered is None or not written or rendered.count("\n") == written.count("\n"):
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
        """The text of a file as it stands in its folder, '' if it may not or cannot be read."""
        path = Path(file)
        try:
            inside = any(path.resolve().is_relative_to(folder) for folder in self._folders)
            if not inside or path.suffix.lower() not in ENDINGS:
                return ""
            return decoded(path.read_bytes(), file, lambda _: None) or ""
        except (OSError, ValueError):
            return ""

    def suppressions(self) -> Iterator[Suppression]:
        """What the comments of all the statements and declarations silence."""
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
