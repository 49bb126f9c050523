"""Runs a Python program that a page shows, with the variables that the page takes for granted.

python program.py PROGRAM.py               as it is; `spark` and `df` are made if it uses them
python program.py --notebook PROGRAM.py    in IPython: something must be shown, and it must be a
widget
python program.py --session PAGE.md        the `>>> ` sessions of a page
"""

from __future__ import annotations

import ast
import doctest
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

WIDGET = "application/vnd.jupyter.widget-view+json"


def run_program(file: str) -> None:
    """Runs it as a module of its own."""
    text = Path(file).read_text(encoding="utf-8")
    variables: dict[str, Any] = {"__name__": "__main__"}
    for name in names_taken_for_granted(text):
        if name in GIVEN:
            variables[name] = GIVEN[name]()
    exec(compile(text, file, "exec"), variables)


def names_taken_for_granted(text: str) -> set[str]:
    """The names that a program uses and does not make."""
    names = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
    return {node.id for node in names if isinstance(node.ctx, ast.Load)} - {
        node.id for node in names if isinstance(node.ctx, ast.Store)
    }


def spark() -> Any:
    """A session with the tables `orders` and `mart`."""
    from pyspark.sql import SparkSession

    folder = tempfile.mkdtemp()
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    made = (
        builder.config("spark.sql.warehouse.dir", folder)
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    made.sql("CREATE TABLE IF NOT EXISTS orders (id INT, day STRING, amount DOUBLE) USING parquet")
    made.sql("CREATE TABLE IF NOT EXISTS mart (day STRING, total DOUBLE) USING parquet")
    made.sql("INSERT INTO orders VALUES (1, '2026-11-15', 10.5), (2, '2026-11-16', 20.0)")
    return made


def frame() -> Any:
    """A DataFrame over the table `orders`."""
    return spark().table("orders").groupBy("day").sum("amount")


GIVEN: dict[str, Callable[[], Any]] = {"spark": spark, "df": frame}


def run_notebook(file: str) -> None:
    """Runs it as a cell each of whose expressions is shown, as a Jupyter server would; looks at
    what is shown.
    """
    from IPython.core.displayhook import DisplayHook
    from IPython.core.interactiveshell import InteractiveShell

    os.environ["JPY_SESSION_NAME"] = "smoke.ipynb"
    kinds: list[str] = []

    class Noting(DisplayHook):
        """Notes the kinds of content that a value is shown as."""

        def __call__(self, result: object = None) -> None:
            if result is not None:
                kinds.extend(self.compute_format_data(result)[0])

    InteractiveShell.displayhook_class = Noting
    shell = InteractiveShell.instance()
    shell.ast_node_interactivity = "all"
    shell.run_cell(Path(file).read_text(encoding="utf-8")).raise_error()
    if WIDGET not in kinds:
        sys.exit(f"no widget is shown, but {kinds or 'nothing'}")


def run_session(file: str) -> None:
    """Holds the `>>> ` sessions of a page against what they give."""
    failed = failed_examples(Path(file))
    if failed:
        sys.exit(f"{failed} examples give something else")


def failed_examples(page: Path) -> int:
    """The number of `>>> ` examples of a page that give something else; each is printed."""
    text = page.read_text(encoding="utf-8").replace("```", "")
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    return doctest.DocTestRunner(verbose=False).run(test, out=sys.stdout.write).failed


if __name__ == "__main__":
    ways = {"--notebook": run_notebook, "--session": run_session}
    ways.get(sys.argv[1], run_program)(sys.argv[-1])
