"""Large corpora: their syntax trees do not fit into memory all at once."""

from __future__ import annotations

from lineal.model.script import Corpus

MANY = 2_000
"""Scripts of a large corpus: the tree of a single script cannot be let go in part."""
LONG = 16_000_000
"""Characters of a large corpus. Trees take about a hundred times as many bytes."""


def is_large(corpus: Corpus) -> bool:
    """Tell whether trees are let go as soon as they are not needed, and parsed again if they are."""
    many = len(corpus.scripts) >= MANY
    return many and sum(len(script.text) for script in corpus.scripts) >= LONG
