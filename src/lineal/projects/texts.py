"""The texts that places point into: for an excerpt, and for the comments that stand there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from lineal.model.diagnostic import Place
from lineal.model.finding import Suppression
from lineal.model.script import Corpus
from lineal.projects.comments import suppressions
from lineal.projects.text import decoded

ENDINGS = (".sql", ".py", ".yml", ".yaml", ".csv")


class Texts:
    """What was analysed, by file. A file that was not analysed is read only below the folders that were asked about:
    a place may come from a saved lineage, which says whatever somebody wrote into it."""

    def __init__(self, corpus: Corpus, paths: Iterable[str]) -> None:
        self._corpus = corpus
        self._folders = [where.resolve() for path in paths if (where := Path(path)).is_dir()]
        self._scripts: dict[str, str] = {}
        for script in corpus.scripts:
            if script.line == 1 and not script.one_line:
                self._scripts.setdefault(script.file, script.text)
        self.lines = cache(self._lines)

    def _lines(self, file: str) -> list[str]:
        text = self._scripts.get(file)
        return (self.text(file) if text is None else text).split("\n")

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
        files = {place.file: None for place in self._places() if place.file.endswith((".yml", ".yaml"))}
        return list(files)

    def _places(self) -> Iterator[Place]:
        for info in self._corpus.datasets:
            if info.place is not None:
                yield info.place
            yield from (column.place for column in info.columns if column.place is not None)
