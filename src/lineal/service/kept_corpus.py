"""What was read from the files of a project, kept for the next run.

After an edit of plain dbt models, only these are read again. After every other edit the project is
read as a whole.
"""

from __future__ import annotations

import marshal
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lineal.service.files import Files, has_files, look
from lineal.service.source import STANDARD_INPUT, Source
from lineal.store.cache import Cache
from lineal.store.keys import digest, machinery

if TYPE_CHECKING:
    from lineal.model.script import Corpus

MOST_EDITS = 50
"""So many changed files are read one by one; with more, the project is read as a whole."""


def can_follow(source: Source) -> bool:
    """Tell whether the files that decide a lineage are known: those of one dbt project."""
    elsewhere = source.sql or source.servers or source.schema_from or source.log or source.history
    if elsewhere or source.rooted or source.engine != "text" or len(source.paths) != 1:
        return False
    return source.paths[0] != STANDARD_INPUT and has_files(source.paths[0])


class KeptCorpus:
    """The files of a project, and the corpus that was read from them."""

    def __init__(self, source: Source, cache: Cache | None) -> None:
        self.source = source
        self.cache = cache
        where = str(Path(source.paths[0]).resolve())
        self.files_key = digest("files", machinery(), where, source.paths)
        self.corpus_key = digest("corpus", machinery(), where, source.paths, source.decides)
        before = Files.from_bytes(cache.get(self.files_key)) if cache is not None else None
        self.files = look(self._path, before)
        self._keep_files(before)
        self._base: tuple[dict[str, bytes], bytes, Corpus] | None = None

    @property
    def _path(self) -> str:
        return self.source.paths[0]

    @property
    def decided(self) -> bytes:
        """Return what decides the corpus besides the files of the project."""
        schema = self.source.schema
        said = Path(schema).read_bytes() if schema and Path(schema).is_file() else b""
        return self.files.environment + b"\0" + said

    def update(self) -> bool:
        """Look at the files again; whether one of them has changed."""
        before, self.files = self.files, look(self._path, self.files)
        self._keep_files(before)
        return before.stamp != self.files.stamp

    def _keep_files(self, before: Files | None) -> None:
        if self.cache is None or (before is not None and before.marks == self.files.marks):
            return
        self.cache.put(self.files_key, self.files.to_bytes())

    def corpus(self) -> Corpus | None:
        """Return the corpus as the files are now; None if the project has to be read."""
        base = self._base or self._load()
        if base is None:
            return None
        digests, decided, corpus = base
        changed = self.files.changed_since(digests)
        if changed is None or len(changed) > MOST_EDITS or decided != self.decided:
            return None
        self._base = base
        found = replace(corpus, scripts=list(corpus.scripts), diagnostics=list(corpus.diagnostics))
        if changed and not reread(found, changed, self.source):
            return None
        return found

    def keep(self, corpus: Corpus) -> None:
        """Keep what was read from the files as they are."""
        from lineal.service.corpus_codec import encode

        if self.cache is None:
            return
        data = encode(corpus)
        if data is not None:
            held = (self.files.digests, self.decided, data)
            self.cache.put(self.corpus_key, marshal.dumps(held))

    def _load(self) -> tuple[dict[str, bytes], bytes, Corpus] | None:
        from lineal.service.corpus_codec import decode

        data = self.cache.get(self.corpus_key) if self.cache is not None else None
        if data is None:
            return None
        digests, decided, made = marshal.loads(data)  # noqa: S302  what we wrote ourselves, and its checksum holds
        corpus = decode(made)
        if corpus is None:
            return None
        return digests, decided, corpus


def reread(corpus: Corpus, changed: list[str], source: Source) -> bool:
    """Give plain models their new texts, in place; False if the project has to be read again."""
    from lineal.model.diagnostic import Diagnostic
    from lineal.projects.dbt.plain_models import replace_text
    from lineal.projects.intake import Intake, current
    from lineal.projects.relative import root_of
    from lineal.projects.text import read_text
    from lineal.service.inputs import rules_of

    problems: list[Diagnostic] = []
    where = Path(source.paths[0])
    with Intake(where, rules_of(source)):
        current().admit(root_of(where))
        for name in changed:
            file = Path(name)
            text = read_text(file, problems.append)
            if text is None or problems or not replace_text(corpus, str(file), text):
                return False
    return True
