"""A PostgreSQL server as a kind of input: its catalog, and the query of every view.

    load("postgresql://ann@host/shop")                    every schema, with views and functions
    load("postgresql:///shop", schemas=("mart",))         what libpq's environment and files say
    counts, too

Everything is read in one transaction that is READ ONLY and has an end to every wait.
"""

from __future__ import annotations

from collections.abc import Sequence

from lineal.model.addresses import redact_address
from lineal.model.ledger import FileLedger
from lineal.model.script import Corpus, Defaults, Script
from lineal.projects.postgres.catalog import DIALECT, read_catalog
from lineal.projects.postgres.history import history
from lineal.projects.postgres.server import Session, session

__all__ = ["Session", "load", "session"]


def load(
    address: str,
    scripts: Sequence[Script] = (),
    schemas: tuple[str, ...] = (),
    with_history: bool = False,
) -> Corpus:
    """The database at an address, with the statements that it has run where they are asked for.

    The scripts stand next to it and are no part of it: of the server's own tables those are listed
    that they name, and a view that they define again is theirs.
    """
    with session(address) as server:
        ran, occurrences = history(server) if with_history else ([], [])
        texts = [script.text for script in (*scripts, *ran)]
        catalog = read_catalog(server, texts, schemas)

    defaults = Defaults(None, (*(catalog.path or ("public",)), "pg_catalog"), exact=True)
    anew = defined_in(scripts, defaults)
    ledger = FileLedger()
    ledger.add(redact_address(address))
    return Corpus(
        DIALECT,
        [*(script for parts, script in catalog.scripts if ".".join(parts) not in anew), *ran],
        catalog.datasets,
        meanings=catalog.meanings,
        defaults=defaults,
        occurrences=occurrences,
        files=ledger,
    )


def defined_in(scripts: Sequence[Script], defaults: Defaults) -> set[str]:
    """CREATE VIEW v AS …      the names, as the catalog has them"""
    if not scripts:
        return set()

    from lineal.extract.sql.parse import allow_deep_calls
    from lineal.resolve.definitions import Definitions

    definitions = Definitions(Corpus(DIALECT, list(scripts), defaults=defaults))
    with allow_deep_calls():
        definitions.gather_definitions()

    return definitions.created
