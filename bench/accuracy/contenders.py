"""The systems that are compared: what is installed for each, in a virtual environment of its own,
and who asks it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
CACHE = HERE.parent.parent / ".cache" / "accuracy"


class Contender(NamedTuple):
    name: str
    adapter: str
    requirements: tuple[str, ...] = ()
    """pinned; none for lineal, which is asked where it is installed"""
    settings: tuple[tuple[str, str], ...] = ()


CONTENDERS = (
    Contender("lineal", "for_lineal"),
    Contender("lineal, value flow", "for_lineal", settings=(("LINEAL_READING", "value"),)),
    Contender("sqlglot lineage()", "for_sqlglot", ("sqlglot[c]==30.30.0",)),
    Contender("DataHub", "for_datahub", ("acryl-datahub[sql-parser]==1.7.0.17",)),
    Contender("sqllineage", "for_sqllineage", ("sqllineage==1.5.9",)),
    Contender("openlineage-sql", "for_openlineage", ("openlineage-sql==1.54.0",)),
    Contender("LineageX", "for_lineagex", ("lineagex==0.0.27", "ipython")),
)


class Answer(NamedTuple):
    pairs: frozenset[tuple[str, str, str]]
    error: str
    seconds: float


def python_of(contender: Contender) -> str:
    """The interpreter that has the contender; made and filled the first time."""
    if not contender.requirements:
        return sys.executable
    folder = CACHE / contender.adapter
    python, ready = folder / "bin" / "python", folder / "ready"
    if not ready.exists() or ready.read_text() != "\n".join(contender.requirements):
        print(f"installing {', '.join(contender.requirements)}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        pip = [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            *contender.requirements,
        ]
        subprocess.run(pip, check=True)
        ready.write_text("\n".join(contender.requirements))
    return str(python)


def answers_of(contender: Contender, questions: list[dict[str, Any]]) -> dict[str, Answer]:
    """What the contender says to each question; one that it dies of, and those after it, count as
    errors.
    """
    given = "".join(json.dumps(question) + "\n" for question in questions)
    command = [python_of(contender), str(HERE / "adapters" / f"{contender.adapter}.py")]
    env = {**os.environ, **dict(contender.settings)}
    with tempfile.TemporaryDirectory() as scratch:  # some write files where they stand
        done = subprocess.run(
            command, input=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
            cwd=scratch, env=env,
        )  # fmt: skip
    found = {}
    for line in done.stdout.splitlines():
        said = json.loads(line)
        found[said["id"]] = Answer(
            frozenset(map(tuple, said["pairs"])), said["error"], said["seconds"]
        )
    lost = Answer(frozenset(), "the process ended", 0.0)
    return {question["id"]: found.get(question["id"], lost) for question in questions}
