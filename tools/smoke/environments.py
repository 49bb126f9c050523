"""Builds the wheel, and an environment for each extra that holds `lineal[extra]` from it and
nothing else.
"""

from __future__ import annotations

import os
import sys
import venv
from pathlib import Path
from typing import NamedTuple

from smoke.processes import run_process

LONGEST = 1200
"""Seconds that pip may take: where no cache has them, it downloads Spark and builds it."""

QUICK_SPARK = Path(__file__).resolve().parents[1] / "quick_spark.py"

KEPT = ("JAVA_HOME", "LANG", "LC_ALL", "TZ", "USER", "LOGNAME")
"""What a command sees of the caller's environment, next to PATH: nothing that could help it to find
a library.
"""


class NotInstalled(Exception):
    """A wheel or an environment could not be made; the message is what pip says."""


class Environment(NamedTuple):
    """A virtual environment."""

    extra: str
    folder: Path
    java_options: str = ""
    """How Spark's JVM starts; the commands do the same with any of them."""

    @property
    def programs(self) -> Path:
        return self.folder / "bin"

    @property
    def python(self) -> Path:
        return self.programs / "python"

    def variables(self, home: Path, first: Path | None = None) -> dict[str, str]:
        """The environment variables of a command: its programs come first, and its home folder is
        its own.
        """
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        here = str(Path(sys.prefix, "bin"))
        others = [
            path for path in os.environ.get("PATH", os.defpath).split(os.pathsep) if path != here
        ]
        own = [str(first)] if first else []
        path = os.pathsep.join([*own, str(self.programs), *others])
        own_folders = {"HOME": str(home), "TMPDIR": str(home)}
        java = {"SPARK_SUBMIT_OPTS": self.java_options} if self.java_options else {}
        always = {"PATH": path, "PYTHONIOENCODING": "utf-8", "BROWSER": "true"}
        return {**kept, **own_folders, **java, **always}


def build_wheel(root: Path, folder: Path) -> Path:
    """The wheel of the repository, as a release would have it."""
    pip("wheel", "--no-deps", "--wheel-dir", folder, root)
    return next(folder.glob("lineal-*.whl"))


UNPINNED = frozenset({"datahub"})
"""The extras that need other versions than the constraints of the tests have."""


def make_environment(folder: Path, extra: str, wheel: Path, constraints: Path) -> Environment:
    """A fresh environment with what `pip install 'lineal[extra]'` gives."""
    made = make_bare(folder, extra)
    wanted = (
        f"lineal @ {wheel.as_uri()}" if extra == "base" else f"lineal[{extra}] @ {wheel.as_uri()}"
    )
    pinned = [] if extra in UNPINNED else ["--constraint", constraints]
    pip("--python", made.python, "install", "--no-compile", *pinned, wanted)
    return with_quick_spark(made) if extra == "spark" else made


def with_quick_spark(made: Environment) -> Environment:
    """The environment, whose JVMs start as quickly as those of the tests."""
    command = [str(made.python), str(QUICK_SPARK)]
    done = run_process(command, made.folder, made.variables(made.folder), LONGEST)
    if done.returncode:
        return made
    return made._replace(java_options=done.stdout.strip().rpartition("\n")[2])


def make_bare(folder: Path, name: str) -> Environment:
    """An environment without any package, not even pip."""
    venv.create(folder, with_pip=False, symlinks=True)
    return Environment(name, folder)


def pip(*arguments: str | Path) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = run_process(command, Path.cwd(), variables, LONGEST)
    if done.returncode:
        raise NotInstalled(done.stdout.strip())
