"""What functions of Python models bring to the workers of a cluster: libraries in an archive,
modules by value.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from importlib.metadata import requires
from pathlib import Path

import pytest

from lineal.spark.archive import ARCHIVES, PYTHON_PATH
from lineal.spark.python.ship import DISTRIBUTIONS, settings_for_cluster


def test_a_cluster_gets_what_sparks_python_apis_ask_for() -> None:
    with settings_for_cluster("spark://host:7077", {"spark.executor.memory": "1g"}) as settings:
        archive, _, folder = settings[ARCHIVES].partition("#")
        assert settings[PYTHON_PATH] == folder == "lineal_packages"
        with zipfile.ZipFile(archive) as packed:
            tops = {name.split("/")[0] for name in packed.namelist()}
    assert {"pyarrow", "numpy", "pandas", "dateutil", "pytz", "tzdata"} <= tops
    assert "lineal" not in tops
    assert not Path(archive).exists()


@pytest.mark.parametrize(
    ("master", "conf"),
    [
        ("local[*]", {}),
        ("spark://host:7077", {ARCHIVES: "environment.tar.gz#environment"}),
        ("yarn", {PYTHON_PATH: "/opt/libraries"}),
    ],
)
def test_nothing_is_sent_where_executors_have_their_own(master: str, conf: dict[str, str]) -> None:
    with settings_for_cluster(master, conf) as settings:
        assert settings == {}


def test_the_archive_has_what_its_distributions_need() -> None:
    needed = {
        re.split(r"[^\w-]", each)[0].lower()
        for name in ("pandas", "pyarrow", "numpy", "python-dateutil", "pytz")
        for each in requires(name) or ()
        if "extra ==" not in each
    }
    assert needed <= set(DISTRIBUTIONS)


SENT = """
import sys

from pyspark import cloudpickle

from lineal.spark.python.modules import ProjectModules

ProjectModules([sys.argv[1]]).install()
import money
import tools.text

def function(value):
    return money.bucket(value) + tools.text.loud(str(value))

sys.stdout.buffer.write(cloudpickle.dumps(function))
"""
RECEIVED = """
import sys

import pyspark.cloudpickle

print(pyspark.cloudpickle.loads(sys.stdin.buffer.read())(25.0))
assert not [name for name in sys.modules if name.startswith("lineal")]
"""


def test_a_worker_without_lineal_calls_a_function_of_the_projects_modules(tmp_path: Path) -> None:
    """A module that a function uses is sent whole: nothing in it may refer to lineal."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "tools/text.py").write_text(
        "def loud(text):\n    return text.upper()\n", encoding="utf-8"
    )
    (tmp_path / "money.py").write_text(
        "import math\n\n\ndef bucket(value):\n    return str(math.floor(value / 10))\n"
    )
    sent = subprocess.run(
        [sys.executable, "-c", SENT, str(tmp_path)], capture_output=True, check=True
    ).stdout
    assert b"lineal" not in sent.replace(str(tmp_path).encode(), b"")
    done = subprocess.run([sys.executable, "-P", "-c", RECEIVED], input=sent, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"225.0\n"), done.stderr.decode()
