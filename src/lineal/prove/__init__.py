"""Both versions of a changed statement, run over small random tables in DuckDB.

    experiment(before, after, columns, seconds=10)

Only queries are run, written again from their trees, in a database in memory that can reach neither
files nor the network. Rows that differ refute that a rewrite is one; no rows prove nothing.
"""

from __future__ import annotations

from lineal.prove.experiment import experiment
from lineal.prove.findings import experiments_of

__all__ = ["experiment", "experiments_of"]
