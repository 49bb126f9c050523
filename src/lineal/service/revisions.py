"""The revisions of a repository and its work tree: the corpus of each is kept, by commit.

A commit never changes, so that its files are written down and read only once. Of the work tree, the
models that were edited are read again.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lineal.model.folders import walk_folders
from lineal.projects.git.snapshot import LARGEST, LINK, OTHER, PACKAGES, POINTER, SUBMODULE
from lineal.service.files import Files, look_at, one_version
from lineal.service.kept_corpus import KeptCorpus, reread, schema_bytes
from lineal.service.source import Source
from lineal.store.cache import Cache
from lineal.store.keys import digest, machinery

if TYPE_CHECKING:
    from lineal.model.script import Corpus
    from lineal.projects.git import Repository


class KeptRevision:
    """A commit, or the work tree, and the corpus that was read from it."""

    def __init__(
        self, repository: Repository, commit: str | None, source: Source, cache: Cache | None
    ) -> None:
        self.repository = repository
        self.commit = commit
        self.source = source
        self.cache = cache
        where = (str(repository.top), str(repository.inside))
        self.files_key = digest("work tree", machinery(), *where)
        key = digest("revision", machinery(), *where, commit, source.decides)
        self.kept = KeptCorpus(cache, key)
        self.files = self._look() if commit is None else one_version(commit)
        self.packages = _packages(repository)

    @property
    def stamp(self) -> str:
        """Return a digest of everything that decides the lineage of this side."""
        return digest(self.commit, self.files.stamp, self._decided)

    @property
    def _decided(self) -> bytes:
        """The bytes of everything besides the files that decides the result."""
        return b"\0".join((self.files.environment, self.packages, schema_bytes(self.source)))

    def recall(self) -> Corpus | None:
        """Return the corpus of this side; None if its files have to be read."""
        return self.kept.recall(self.files, self._decided, self._reread)

    def keep(self, corpus: Corpus) -> None:
        """Keep the corpus that was read from the files."""
        self.kept.keep(self.files, self._decided, corpus)

    def _look(self) -> Files:
        """Return the files of the work tree with their digests."""
        cache = self.cache
        before = Files.from_bytes(cache.get(self.files_key)) if cache is not None else None
        entries = self.repository.list_on_disk()
        names = {str(self.repository.top / each.name): each for each in entries}
        files = look_at(names, before)
        if cache is not None and (before is None or before.marks != files.marks):
            cache.put(self.files_key, files.to_bytes())

        for name, entry in names.items():
            files.digests[name] += entry.mode.encode()

        return files

    def _reread(self, corpus: Corpus, changed: list[str]) -> bool:
        """Read the changed files again into the corpus; False if everything must be read."""
        top = self.repository.top
        entries = {str(top / each.name): each for each in self.repository.list_on_disk()}
        named: dict[str, Path] = {}
        for path in changed:
            entry, file = entries[path], Path(path)
            if entry.mode in (LINK, SUBMODULE, OTHER) or entry.size > LARGEST:
                return False

            with file.open("rb") as stream:
                if stream.read(len(POINTER)) == POINTER:
                    return False

            named[entry.name] = file

        return reread(corpus, named, top, self.source)


def _packages(repository: Repository) -> bytes:
    """Return what tells one set of installed packages from another."""
    folder = repository.top.joinpath(*repository.inside.parts)
    marks: list[tuple[str, int, int]] = []
    for name in PACKAGES:
        for where, _, files in walk_folders(folder / name):
            for file in files:
                path = Path(where, file)
                found = path.lstat()
                marks.append((str(path), found.st_size, found.st_mtime_ns))

    return digest(sorted(marks)).encode()
