"""Little projects on disk, and their runs on the shared session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lineal.projects import load
from lineal.spark.run.pipeline import Options, run
from lineal.spark.run.result import Ended, Note, Outcome, Summary

ORDERS = "id,customer,amount,status\n1,10,5.00,paid\n2,20,7.50,open\n3,10,1.25,paid\n"
ORDERS_YML = """\
kind: seed
columns:
  - {name: id, type: INTEGER}
  - {name: customer, type: INTEGER}
  - {name: amount, type: "DECIMAL(10,2)"}
  - {name: status, type: VARCHAR}
"""


def project(root: Path, nodes: dict[str, str], head: str = "") -> Path:
    """nodes: {"orders.csv": …, "orders.yml": …, "paid.sql": …}, each in the folder of its name."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "lineal.yml").write_text(f"name: little\ndialect: spark\n{head}", encoding="utf-8")
    for file, text in nodes.items():
        folder = root / "nodes" / Path(file).stem
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
        if file.endswith(".sql") and not (folder / f"{Path(file).stem}.yml").exists():
            (folder / f"{Path(file).stem}.yml").write_text("kind: sql\n", encoding="utf-8")
    return root


def shop(root: Path, **more: str) -> Path:
    """A seed, a view on it and a table on that, and what else is given: paid_sql="…" is paid.sql."""
    nodes = {
        "orders.csv": ORDERS,
        "orders.yml": ORDERS_YML,
        "paid.yml": "kind: sql\nmaterialized: view\n",
        "paid.sql": "select id, customer, amount from orders where status = 'paid'\n",
        "totals.yml": "kind: sql\nmaterialized: table\n",
        "totals.sql": "select customer, sum(amount) as total from paid group by customer\n",
    }
    nodes |= {".".join(name.rsplit("_", 1)): text for name, text in more.items()}
    return project(root, nodes)


class Run:
    """What a run said, by node."""

    def __init__(self, root: Path, spark: Any, **options: Any) -> None:
        events = list(run(load(root, to_run=True), Options(root, **options), spark))
        summary = events[-1]
        assert isinstance(summary, Summary)
        self.summary = summary
        self.notes = [event.text for event in events if isinstance(event, Note)]
        self.ended = [event.outcome.name for event in events if isinstance(event, Ended)]
        self.outcomes = {outcome.name: outcome for outcome in summary.outcomes}

    def __getitem__(self, name: str) -> Outcome:
        return self.outcomes[name]

    @property
    def status(self) -> dict[str, str]:
        return {name: outcome.status.value for name, outcome in self.outcomes.items()}

    def fault(self, name: str) -> str:
        (fault, *_) = self[name].faults
        return str(fault)


def rows(root: Path, name: str, spark: Any) -> list[tuple[Any, ...]]:
    """What stands in the warehouse: the rows of the version that the state names, sorted."""
    warehouse = root / ".lineal" / "warehouse"
    version = json.loads((warehouse / "state.json").read_text(encoding="utf-8"))["entries"][name][
        "version"
    ]
    return sorted(
        tuple(row) for row in spark.read.parquet(str(warehouse / name / version)).collect()
    )


def dbt_project(
    root: Path, files: dict[str, str], adapter: str = "duckdb", about: str = ""
) -> Path:
    """A dbt project with these files: {"models/m.sql": "select 1 as a", "seeds/s.csv":
    "id\\n1\\n"}.
    """
    head = {"dbt_project.yml": f"name: little\nprofile: {adapter}\n{about}"}
    for name, text in (head | files).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root
