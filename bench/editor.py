"""An edit in an editor: CPU seconds until its file, and the files that it breaks, are checked.

python bench/editor.py 1000
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import dbt
from lineal.service.editor.workspace import Workspace
from lineal.service.project import Project
from lineal.service.source import Source

EDITED = "models/layer_0/stg_10.sql"
EDITS = {
    "one expression": "source.c1 + 1 as c1",
    "a column that others read": "source.c1 as renamed",
    "half typed": "source.c1 as as c1,,",
}


def cpu_of(work: Callable[[], object]) -> float:
    """Return the CPU seconds of some work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main(models: int) -> None:
    """Print what each edit costs."""
    with TemporaryDirectory() as place:
        folder = dbt.project(Path(place, "project"), models, manifest=False)
        workspace = Workspace(Project(Source((str(folder),))))
        print(f"{'open the project':<28} {cpu_of(lambda: workspace.state):.2f} s", flush=True)
        path = str(folder / EDITED)
        text = workspace.text(path)
        for name, typed in EDITS.items():
            workspace.put(path, text.replace("source.c1 as c1", typed))
            print(f"{name:<28} {cpu_of(workspace.check):.3f} s", flush=True)
        workspace.documents.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
