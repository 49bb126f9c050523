"""A topic of Kafka, followed: a real broker, whose messages are query events. Run by `make
test-kafka`.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lakes import needs_kafka
from logbook import rows, write_json
from test_follow import CALLBACKS, NOW, Killed, killed_after, tables_in

from lineal.spark.pipeline import Options, resolve, run
from lineal.spark.pipeline.follow import follow
from lineal.spark.pipeline.stages import Run

pytestmark = [needs_kafka, *CALLBACKS]

SETTINGS = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
log.dirs={folder}/data
offsets.topic.replication.factor=1
num.partitions=2
"""
CLUSTER = "4L6g3nShT-eMCtK--X86sw"
"""Any id will do: the cluster is this one broker."""


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "FEWEST", 8)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a broker that lives as long as these tests."""
    folder = tmp_path_factory.mktemp("kafka")
    port, controller = free_port(), free_port()
    said = SETTINGS.format(port=port, controller=controller, folder=folder)
    (folder / "server.properties").write_text(said)
    jars = Path(os.environ["LINEAL_TEST_KAFKA"]).parent / "broker"
    java = [f"{os.environ['JAVA_HOME']}/bin/java", "-Xmx512m", "-cp", f"{jars}/*"]
    settings = str(folder / "server.properties")
    subprocess.run(
        [*java, "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", settings],
        check=True,
        capture_output=True,
    )
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([*java, "kafka.Kafka", settings], stdout=log, stderr=log)
    try:
        wait_for(port, server)
        yield f"127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert server.poll() is None, "the broker has ended"
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise TimeoutError("the broker does not answer")


def send(spark: Any, broker: str, topic: str, messages: Iterable[str]) -> None:
    frame = spark.createDataFrame([(each,) for each in messages], "value string")
    written = frame.write.format("kafka").option("kafka.bootstrap.servers", broker)
    written.option("topic", topic).save()


def test_messages_are_merged_once(
    spark: Any, broker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In two batches, the second of which is killed after its tables were written."""
    said = rows(90)
    log = write_json(tmp_path / "log.jsonl", said)
    run(Options((log,), tmp_path / "whole"), spark)

    out = tmp_path / "out"
    options = Options((f"kafka://{broker}/queries",), out)
    send(spark, broker, "queries", map(json.dumps, said[:50]))
    first = follow(options, NOW, spark)
    assert first is not None and first.rows == 50

    send(spark, broker, "queries", map(json.dumps, said[50:]))
    with monkeypatch.context() as patched:
        patched.setattr(Run, "all", killed_after(Run.all))
        with pytest.raises(Killed):
            follow(options, NOW, spark)
    second = follow(options, NOW, spark)
    assert second is not None and second.rows == 90
    assert tables_in(out) == tables_in(tmp_path / "whole")
    assert follow(options, NOW, spark) is None


def test_messages_of_plain_text_and_broken_ones(spark: Any, broker: str, tmp_path: Path) -> None:
    send(spark, broker, "texts", ["CREATE TABLE m AS SELECT a FROM t", "INSERT INTO n TABLE m"])
    options = Options((f"kafka://{broker}/texts",), tmp_path / "texts", format="text")
    found = follow(options, NOW, spark)
    assert found is not None and (found.rows, found.statements) == (2, 2)

    good = json.dumps({"query_text": "CREATE TABLE m AS SELECT a FROM t"})
    send(spark, broker, "mixed", [good, "{half of"])
    found = follow(Options((f"kafka://{broker}/mixed",), tmp_path / "mixed"), NOW, spark)
    assert found is not None and found.rows == 2
    assert sum(found.quarantined.values()) == 1
