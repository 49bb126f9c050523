"""Keys: hashes of everything that decides a result, the programs that made it included."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from lineal import __version__
from lineal.model.script import Corpus
from lineal.store.saved import write_text


def digest(*parts: object) -> str:
    """The hash of values that say all of themselves in their repr; none can run into the next."""
    made = hashlib.blake2b(digest_size=20)
    for part in parts:
        said = part if isinstance(part, bytes) else repr(part).encode("utf-8", "surrogatepass")
        made.update(b"%d:" % len(said))
        made.update(said)

    return made.hexdigest()


def corpus_digest(corpus: Corpus) -> str:
    """Everything in a corpus that its lineage depends on."""
    others = (
        getattr(corpus, field.name) for field in fields(corpus) if field.name not in ELSEWHERE
    )
    given = (write_text(each).encode() for each in corpus.given)
    return digest("corpus", *(script.key() for script in corpus.scripts), *given, *others)


ELSEWHERE = ("scripts", "given", "steps", "engine", "checks", "openlineage", "plain_models")
"""The first two are hashed by their text; the others change nothing."""


@lru_cache(maxsize=1)
def machinery() -> str:
    """Return the versions of lineal, Python and the packages that read input; of an edited lineal
    also its files.
    """
    return digest(__version__, *_versions(READERS), sys.version, sorted(_files()))


READERS = ("sqlglot", "sqlglotc", "jinja2", "yaml")
"""The packages whose version decides what a text means."""


def _versions(packages: Iterable[str]) -> Iterator[bytes]:
    """Said by the package's own file: importing the package would take longer than all of the rest."""
    for package in packages:
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            said = Path(folder, "_version.py")
            yield (
                said.read_bytes()
                if said.exists()
                else repr(Path(folder).stat().st_mtime_ns).encode()
            )


def _files() -> Iterator[tuple[str, int, int]]:
    """Yield the files of lineal with their sizes and times."""
    folders = [str(Path(__file__).resolve().parents[1])]
    while folders:
        for entry in os.scandir(folders.pop()):
            if entry.is_dir():
                folders.append(entry.path)
            elif entry.name.endswith((".py", ".json", ".sql")):
                found = entry.stat()
                yield entry.path, found.st_size, found.st_mtime_ns
