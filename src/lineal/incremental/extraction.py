"""The extraction of a corpus: all its scripts, and what others have found out already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineal.incremental.containment import contain
from lineal.incremental.sizes import is_large
from lineal.model.extraction import Extraction
from lineal.model.ledger import Coverage
from lineal.model.script import Corpus
from lineal.resolve.catalog import PYTHON
from lineal.resolve.definitions import Definitions
from lineal.resolve.imported import add_schemas, unite_imported
from lineal.resolve.progress import Progress

if TYPE_CHECKING:
    from lineal.incremental.memory import Memory


def extract(
    corpus: Corpus, memory: Memory | None = None, progress: Progress | None = None
) -> Extraction:
    """Return all lineage of a corpus; with a memory only new statements are evaluated."""
    if corpus.given:
        read = bool(corpus.scripts or corpus.datasets or corpus.functions or corpus.diagnostics)
        if read:
            return unite_imported(extract(add_schemas(corpus), memory, progress), corpus.given)

        return unite_imported(Extraction(coverage=Coverage(corpus.files.chain())), corpus.given)

    return contain(
        corpus,
        lambda part: extract_scripts(part, memory, progress),
        lambda part: Definitions(part).extract(),
    )


def extract_scripts(corpus: Corpus, memory: Memory | None, progress: Progress | None) -> Extraction:
    """Return the lineage of the scripts of a corpus, with or without a memory."""
    programs = any(script.dialect == PYTHON for script in corpus.scripts)
    # which of them are called, only evaluating says
    if corpus.meanings or programs or (memory is None and not is_large(corpus)):
        return Definitions(corpus).extract(progress)

    from lineal.incremental.memory import Memory, Remembering

    return Remembering(corpus, memory or Memory(), memory is not None).extract(progress)
