"""-v: a line for each statement as it is evaluated, and the ledger, on standard error.

 3/17  stg_orders  6 of 6 columns resolved
files: 19 found → 17 due → 17 read → 17 rendered
  not due: 2 not a kind that lineal reads: README.md, logo.png
statements: 17 found → 17 parsed → 17 evaluated
columns: 139 named → 139 resolved
"""

from __future__ import annotations

from lineal.cli.console import complain
from lineal.model.extraction import Extraction
from lineal.resolve.progress import Evaluated
from lineal.views.ledger import list_chains
from lineal.views.safe import make_visible
from lineal.views.words import count_noun


def tell_statement(step: Evaluated) -> None:
    """Say which statement has been evaluated, how many there are, and what became of its columns."""
    if step.failed:
        said = "failed"
    else:
        said = _count_columns(
            step.resolved, step.named, {"ambiguous": step.ambiguous, "unresolved": step.unresolved}
        )

    width = len(str(step.total))
    complain(make_visible(f"{step.number:>{width}}/{step.total}  {step.target}  {said}"))


def tell_total(found: Extraction) -> None:
    """Print how much was read in all, and how much was not: the ledger."""
    for line in list_chains(found.coverage):
        complain(make_visible(line))


def _count_columns(found: int, named: int, missing: dict[str, int]) -> str:
    """6 of 8 columns resolved (1 ambiguous, 1 unresolved); SELECT * names no column"""
    if not named:
        return "no column named"

    said = ", ".join(f"{count:,} {name}" for name, count in missing.items() if count)
    return f"{found:,} of {count_noun(named, 'column')} resolved" + (f" ({said})" if said else "")
