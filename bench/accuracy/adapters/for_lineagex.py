"""LineageX: tables by input_table_dict, dialect postgres (it reads that and sqlite); contributed
columns only.
"""

from __future__ import annotations

from typing import Any

from lineagex.LineageXNoConn import LineageXNoConn
from loop import Pairs, answer_all


def pairs_of(question: dict[str, Any]) -> Pairs:
    tables = {name: list(columns) for name, columns in question["schema"].items()}
    found = LineageXNoConn(
        sql=[question["sql"]], dialect="postgres", input_table_dict=tables
    ).output_dict
    if not found:
        raise ValueError("no output")
    for table in found.values():
        for target, (contributed, _) in table["columns"].items():
            for source in contributed:
                yield (*source.rpartition(".")[::2], target)


answer_all(pairs_of)
