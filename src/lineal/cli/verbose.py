"""-v: what is read, on standard error, a line for each statement as it is evaluated, and the total.

 3/17  stg_orders  6 of 6 columns resolved
total: 17 statements, 139 of 139 columns resolved, 139 edges
"""

from __future__ import annotations

from lineal.cli.console import complain
from lineal.model.extraction import Coverage, Extraction
from lineal.resolve.progress import Evaluated
from lineal.views.safe import visible
from lineal.views.words import counted


def tell_statement(step: Evaluated) -> None:
    """Say which statement has been evaluated, how many there are, and what became of its columns."""
    if step.failed:
        said = "failed"
    else:
        said = _resolved(
            step.resolved, step.named, {"ambiguous": step.ambiguous, "unresolved": step.unresolved}
        )
    width = len(str(step.total))
    complain(visible(f"{step.number:>{width}}/{step.total}  {step.target}  {said}"))


def tell_total(found: Extraction) -> None:
    """Say what was read in all."""
    edges = counted(len(found.edges), "edge")
    complain(
        f"total: {counted(found.coverage.read, 'statement')}, {_share(found.coverage)}, {edges}"
    )


def _share(coverage: Coverage) -> str:
    missing = {
        "ambiguous": coverage.ambiguous,
        "unresolved": coverage.unresolved,
        "open": coverage.open,
    }
    return _resolved(coverage.found, coverage.columns, missing)


def _resolved(found: int, named: int, missing: dict[str, int]) -> str:
    """6 of 8 columns resolved (1 ambiguous, 1 unresolved); SELECT * names no column"""
    if not named:
        return "no column named"
    said = ", ".join(f"{count:,} {name}" for name, count in missing.items() if count)
    return f"{found:,} of {counted(named, 'column')} resolved" + (f" ({said})" if said else "")
