"""The corpus of a project, kept for the next run.

After an edit of plain dbt models, only these are read again. After every other edit the project is
read as a whole.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lineal.model.collector import without_collector
from lineal.service.files import Files, has_files, look_at_files
from lineal.service.source import STANDARD_INPUT, Source
from lineal.store.cache import Cache
from lineal.store.keys import digest, machinery

if TYPE_CHECKING:
    from lineal.model.script import Corpus

MOST_EDITS = 50
"""So many changed files are read one by one; with more, the project is read as a whole."""

Reread = Callable[["Corpus", list[str]], bool]
"""Gives models their new texts, in place; False if the project has to be read again."""


class KeptCorpus:
    """A corpus in the cache, with the files that it was read from."""

    def __init__(self, cache: Cache | None, key: str) -> None:
        self.cache = cache
        self.key = key
        self._held: tuple[dict[str, bytes], bytes, Corpus] | None = None

    def recall(self, files: Files, decided: bytes, reread: Reread) -> Corpus | None:
        """Return the corpus of the files as they are now; None if the project has to be read."""
        if self._held is None:
            self._held = self._load()

        if self._held is None:
            return None

        digests, before, corpus = self._held
        changed = files.changed_since(digests)
        if changed is None or len(changed) > MOST_EDITS or decided != before:
            return None

        found = replace(corpus, scripts=[*corpus.scripts], diagnostics=[*corpus.diagnostics])
        if changed and not reread(found, changed):
            return None

        return found

    def keep(self, files: Files, decided: bytes, corpus: Corpus) -> None:
        """Keep the corpus that was read from the files."""
        from lineal.service.corpus_codec import encode

        self._held = None
        if self.cache is None:
            return

        data = encode(corpus)
        if data is not None:
            self.cache.put(self.key, marshal.dumps((files.digests, decided, data)))

    def _load(self) -> tuple[dict[str, bytes], bytes, Corpus] | None:
        """Return digests, settings and corpus from the cache; None if they are not there."""
        from lineal.service.corpus_codec import decode

        data = self.cache.get(self.key) if self.cache is not None else None
        if data is None:
            return None

        with without_collector():
            digests, decided, made = marshal.loads(data)  # noqa: S302  what we wrote ourselves, and its checksum holds
            corpus = decode(made)

        if corpus is None:
            return None

        return digests, decided, corpus


def schema_bytes(source: Source) -> bytes:
    """Return the content of the schema file that is named; nothing if none is."""
    schema = source.schema
    if schema and Path(schema).is_file():
        return Path(schema).read_bytes()

    return b""


# -- the folder of a project -----------------------------------------------------------------------


def can_follow(source: Source) -> bool:
    """Tell whether the files that decide a lineage are known: those of one dbt project."""
    elsewhere = source.sql or source.servers or source.schema_from or source.log or source.history
    if elsewhere or source.rooted or source.engine != "text" or len(source.paths) != 1:
        return False

    return source.paths[0] != STANDARD_INPUT and has_files(source.paths[0])


class Followed:
    """The folder of a project: its files, and the corpus that was read from them."""

    def __init__(self, source: Source, cache: Cache | None) -> None:
        self.source = source
        self.cache = cache
        where = str(Path(source.paths[0]).resolve())
        self.files_key = digest("files", machinery(), where, source.paths)
        key = digest("corpus", machinery(), where, source.paths, source.decides)
        self.kept = KeptCorpus(cache, key)
        before = Files.from_bytes(cache.get(self.files_key)) if cache is not None else None
        self.files = look_at_files(source.paths[0], before)
        self._keep_files(before)

    @property
    def decided(self) -> bytes:
        """Return what decides the corpus besides the files of the project."""
        return self.files.environment + b"\0" + schema_bytes(self.source)

    def update(self) -> bool:
        """Look at the files again; whether one of them has changed."""
        before, self.files = self.files, look_at_files(self.source.paths[0], self.files)
        self._keep_files(before)
        return before.stamp != self.files.stamp

    def _keep_files(self, before: Files | None) -> None:
        """Save the marks of files if they have changed."""
        if self.cache is None or (before is not None and before.marks == self.files.marks):
            return

        self.cache.put(self.files_key, self.files.to_bytes())

    def recall(self) -> Corpus | None:
        """Return the corpus as the files are now; None if the project has to be read."""
        return self.kept.recall(self.files, self.decided, self._reread)

    def keep(self, corpus: Corpus) -> None:
        """Keep the corpus of the files as they are."""
        self.kept.keep(self.files, self.decided, corpus)

    def _reread(self, corpus: Corpus, changed: list[str]) -> bool:
        """Read the changed files again into the corpus; False if everything must be read."""
        from lineal.projects.relative import root_of

        root = root_of(Path(self.source.paths[0]))
        return reread(corpus, {str(Path(name)): Path(name) for name in changed}, root, self.source)


def reread(corpus: Corpus, changed: dict[str, Path], root: Path, source: Source) -> bool:
    """Give plain models their new texts, by their names in the corpus; False if the project has to
    be read again.
    """
    from lineal.model.diagnostic import Diagnostic
    from lineal.projects.dbt.plain_models import replace_text
    from lineal.projects.intake import Intake, current
    from lineal.projects.text import read_text
    from lineal.service.inputs import rules_of

    problems: list[Diagnostic] = []
    with Intake(Path(source.paths[0]), rules_of(source)):
        current().admit(root)
        for name, file in changed.items():
            text = read_text(file, problems.append)
            if text is None or problems or not replace_text(corpus, name, text):
                return False

    return True
