"""Consumers: what reads columns besides the statements that make datasets."""

from __future__ import annotations

TEST, EXPOSURE = "test", "exposure"

CONSUMERS = frozenset((TEST, "semantic_model", "metric", "saved_query", EXPOSURE))
"""The kinds of datasets that are there to be looked at or to check others."""

ONLY_READ = frozenset((TEST,))
"""Kinds whose statements make nothing: they have no columns, and no edge leads into them."""

VIRTUAL = frozenset(("semantic_model", "metric", "saved_query"))
"""Consumers that are queried column by column: one that breaks takes only what needs it along."""

LEAVES = frozenset((TEST, EXPOSURE))
"""Consumers that are reached by what they read, and by no edge."""
