"""The ledger in words: what every command says at its end, and what -v adds.

coverage 67.5 %: 9 of 10 files rendered (1 a template error), 4 statements,
    3 of 4 columns resolved (1 ambiguous)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lineal.model.ledger import Chain, Coverage, Loss
from lineal.views.words import count_noun

UNITS = {"files": "file", "statements": "statement", "columns": "column"}
NO_FILE = "no file is due, so there is no percentage"


def summarize(coverage: Coverage) -> str:
    """Return the percentage with the last number of each chain and why it is not the first, on one
    line.
    """
    if coverage.percent is None:
        return f"coverage: {NO_FILE}"

    chains = ", ".join(
        _summarize_chain(chain, UNITS[name])
        for name, chain in coverage.chains.items()
        if chain.due or name != "columns"
    )
    return f"coverage {describe_percent(coverage.percent)}: {chains}"


def _summarize_chain(chain: Chain, unit: str) -> str:
    """Return how many units are complete, and why the others are not."""
    last = chain.stages[-1]
    if chain.complete == chain.due:
        return count_noun(chain.due, unit)

    counts: Counter[str] = Counter()  # a reason may stop units at several stages
    for loss in chain.losses():
        if loss.stage != "due":
            counts[loss.reason] += loss.count

    reasons = ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
    return f"{chain.complete:,} of {count_noun(chain.due, unit)} {last} ({reasons})"


def list_chains(coverage: Coverage) -> Iterator[str]:
    """Yield a line for each chain with all of its numbers, and one for each reason with examples."""
    for name, chain in coverage.chains.items():
        numbers = " → ".join(f"{chain.reaching(stage):,} {stage}" for stage in chain.stages)
        yield f"{name}: {numbers}"
        for loss in chain.losses():
            examples = f": {', '.join(loss.examples)}" if loss.examples else ""
            more = ", …" if loss.examples and loss.count > len(loss.examples) else ""
            yield f"  not {loss.stage}: {describe_loss(loss)}{examples}{more}"


def describe_loss(loss: Loss) -> str:
    """2 parse-error"""
    return f"{loss.count:,} {loss.reason}"


def describe_percent(percent: float | None) -> str:
    """100 %, 97.5 %, none"""
    if percent is None:
        return "none"

    return f"{percent:g} %"
