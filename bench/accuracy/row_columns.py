"""Which columns of WHERE, JOIN and GROUP BY are in the result of each system?

    python bench/accuracy/row_columns.py

Each system reads one query. A program below row_probes/ prints the columns that its result names,
from every part of the result. The peers are those of `make accuracy`, in the same environments.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from contenders import CONTENDERS, python_of  # noqa: E402

QUERY = """
CREATE TABLE mart AS
SELECT c.name, count(*) AS orders
FROM customers c JOIN orders o ON o.customer_id = c.id
WHERE o.paid
GROUP BY c.name, c.region
"""
CLAUSES = {"JOIN": "customer_id", "WHERE": "paid", "GROUP BY": "region"}


def columns_of(python: str, probe: Path) -> set[str]:
    """Return the names of the columns that a system's result names."""
    with tempfile.TemporaryDirectory() as scratch:  # some write files where they run
        done = subprocess.run(
            [python, str(probe)],
            input=QUERY,
            capture_output=True,
            text=True,
            check=True,
            cwd=scratch,
        )
    return {name.lower() for name in done.stdout.split()}


def main() -> int:
    """Print a line for each system."""
    print(f"{'':20}", *(f"{clause:10}" for clause in CLAUSES))
    for contender in CONTENDERS:
        probe = HERE / "row_probes" / f"{contender.adapter}.py"
        if contender.settings or not probe.exists():
            continue
        found = columns_of(python_of(contender), probe)
        kept = ["yes" if column in found else "no" for column in CLAUSES.values()]
        print(f"{contender.name:20}", *(f"{each:10}" for each in kept))
    return 0


if __name__ == "__main__":
    sys.exit(main())
