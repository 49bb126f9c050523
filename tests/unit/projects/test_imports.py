"""A job that is named alone brings along what it imports from its own tree."""

from __future__ import annotations

from pathlib import Path

import lineal


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


JOB = """
from helpers import clean
from steps.last import finish
clean(spark.table("raw.orders").select("id", "name")).transform(finish).write.saveAsTable("mart.orders")
"""


def test_modules_beside_a_job_are_followed(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        {
            "job.py": JOB,
            "helpers.py": "from pyspark.sql import functions as F\nimport job\n"
            "def clean(df):\n    return df.withColumn('name', F.trim('name'))\n",
            "steps/__init__.py": "",
            "steps/last.py": "from .inner import KEPT\ndef finish(df):\n    return df.select(*KEPT)\n",
            "steps/inner.py": "KEPT = ['name']\n",
            "unrelated.py": "spark.table('a.b').write.saveAsTable('c.d')\n",
        },
    )
    found = lineal.lineage(folder / "job.py")
    assert {str(edge) for edge in found.edges} == {"raw.orders.name -> mart.orders.name  TRANSFORMATION"}


def test_a_module_that_is_broken_costs_only_itself(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        {
            "job.py": "import broken\nspark.table('a.b').select('x').write.saveAsTable('c.d')\n",
            "broken.py": "def (:\n",
        },
    )
    found = lineal.lineage(folder / "job.py")
    assert "a.b.x -> c.d.x  IDENTITY" in {str(edge) for edge in found.edges}
    assert any(str(folder / "broken.py") in str(diagnostic) for diagnostic in found.diagnostics)
