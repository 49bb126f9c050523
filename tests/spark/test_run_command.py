"""The command `lineal run`: what it prints, its exit codes, and what it says where there is no
Spark.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from little import shop

from lineal.cli import main

SHOP = Path(__file__).resolve().parents[2] / "examples" / "shop"


def lineal(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["run", *arguments])


def test_the_shop_ends_green(tmp_path: Path, spark) -> None:
    """In a process of its own, piped: results on standard output, progress on standard error,
    nothing of Spark's.
    """
    command = [
        sys.executable,
        "-m",
        "lineal",
        "run",
        str(SHOP),
        "--warehouse",
        str(tmp_path),
        "--output",
        "json",
    ]
    small = [
        "--conf",
        "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1",
        "--conf",
        "spark.sql.shuffle.partitions=1",
    ]
    done = subprocess.run([*command, *small], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    nodes = {node["name"]: node for node in document["nodes"]}
    assert document["ok"] and {node["status"] for node in nodes.values()} == {"ok"}
    python = {path.parent.name for path in SHOP.glob("nodes/*/*.py")}
    compared = [node["edges"] for node in nodes.values() if node["edges"]]
    listed = [nodes[name]["edges"] for name in nodes if nodes[name]["edges"] and name not in python]
    assert (len(compared), len(listed), len(python)) == (21, 16, 5)
    for side in ("static", "catalyst"):
        assert [sum(edges[side][kind] for edges in listed) for kind in ("field", "inspect")] == [
            104,
            9,
        ]
        assert [sum(edges[side][kind] for edges in compared) for kind in ("field", "inspect")] == [
            151,
            12,
        ]
    assert all(edges["not_comparable"] == [] for edges in compared)
    assert all(edges["agree"] and not edges["disagreements"] for edges in compared)
    assert {test["status"] for node in nodes.values() for test in node["tests"]} == {"passed"}
    assert (
        nodes["raw_orders"]["rows"],
        nodes["fct_orders"]["rows"],
        nodes["rpt_order_volume"]["rows"],
    ) == (60, 57, 5)
    lines = done.stderr.splitlines()
    assert len(lines) == 27
    assert all(
        re.fullmatch(r" ?\d+/27  ok +\w+ +\w+  ((\d+ rows?, )?[\d.]+ s)", line) for line in lines
    ), done.stderr


def test_a_missing_pyspark_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    result = lineal(str(shop(tmp_path)))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "Error: Spark is not installed: pip install 'lineal[spark]'\n"


def test_a_missing_java_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    result = lineal(str(shop(tmp_path)))
    assert (result.exit_code, result.stdout) == (2, "")
    assert (
        result.stderr.startswith("Error: Java is not installed") and "17 or newer" in result.stderr
    )
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("script", "says"),
    [
        (
            "#!/bin/sh\nexec sleep 60\n",
            "bin/java -version has not answered in 1 seconds: is the machine too busy?",
        ),
        (
            "#!/bin/sh\necho no memory >&2\n",
            "bin/java -version does not say which version it is, but: no memory\n",
        ),
        (
            "#!/bin/sh\nexit 3\n",
            "bin/java -version does not say which version it is, but: nothing, exit code 3\n",
        ),
        ("#!/no/such/shell\n", "bin/java cannot be started: No such file or directory\n"),
    ],
)
def test_a_java_that_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, says: str
) -> None:
    """That it is not installed would be wrong."""
    pytest.importorskip("pyspark")
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(script)
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr("lineal.spark.availability.JAVA_SECONDS", 1)
    result = lineal(str(shop(tmp_path / "p")))
    assert result.exit_code == 2 and says in result.stderr and result.stderr.count("\n") == 1, (
        result.stderr
    )


def test_a_java_that_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_401\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    result = lineal(str(shop(tmp_path / "p")))
    assert result.exit_code == 2
    assert (
        result.stderr.startswith("Error: Java 8 is too old for Spark")
        and "17 or newer" in result.stderr
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("{project}", "--conf", "spark.x"), "--conf spark.x: write key=value"),
        (("{project}", "--threads", "0"), "0 is not in the range"),
        (("{project}", "--select", "+totls"), "unknown dataset totls; did you mean totals?"),
        (("{project}", "--select", "+"), "unknown dataset +"),
        (("{project}/nowhere",), "no such file or folder"),
        (("{project}/nodes",), "has nothing to run"),
    ],
)
def test_mistakes_in_the_arguments(
    tmp_path: Path, spark, arguments: tuple[str, ...], said: str
) -> None:
    project = shop(tmp_path)
    result = lineal(*(argument.format(project=project) for argument in arguments))
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert not (project / ".lineal").exists()
