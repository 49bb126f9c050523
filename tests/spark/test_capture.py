"""Capture at run time: every write becomes edges, whatever its form, and the job never
notices.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest
from click.testing import CliRunner

from lineal.cli import main
from lineal.model.extraction import Extraction
from lineal.spark import capture
from lineal.spark.job_capture.outlet import ToServer
from lineal.spark.job_capture.procedures import procedure_name
from lineal.store import saved
from lineal.store.saved import read_text


@pytest.fixture(scope="module")
def orders(spark):
    spark.sql("CREATE DATABASE IF NOT EXISTS captured")
    spark.sql("CREATE TABLE captured.orders (id BIGINT, amount BIGINT, day STRING) USING parquet")
    spark.sql("INSERT INTO captured.orders VALUES (1, 10, 'mon'), (2, 20, 'tue')")
    yield spark.table("captured.orders")
    spark.sql("DROP DATABASE captured CASCADE")


def facts(captured):
    return {str(edge) for edge in captured.extraction.edges}


def events_in(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_each_way_to_write(spark, orders, tmp_path):
    orders.createOrReplaceTempView("recent")
    with capture(spark) as captured:
        spark.sql(
            "CREATE TABLE captured.made USING parquet AS SELECT id, amount + 1 AS more FROM recent WHERE id > 0"
        )
        orders.select("id", "amount").write.insertInto("captured.made")
        orders.groupBy("day").sum("amount").toDF("day", "total").cache().write.saveAsTable(
            "captured.daily"
        )
        orders.select("id").write.parquet(f"{tmp_path}/ids")
        spark.read.parquet(f"{tmp_path}/ids").writeTo("captured.again").using("parquet").create()
        orders.count()
        orders.write.format("noop").mode("overwrite").save()
        spark.catalog.clearCache()
    assert facts(captured) == {
        "captured.orders.id -> captured.made.id  IDENTITY",
        "captured.orders.amount -> captured.made.more  IDENTITY, TRANSFORMATION",
        "captured.orders.id => captured.made  FILTER",
        "captured.orders.day -> captured.daily.day  IDENTITY",
        "captured.orders.amount -> captured.daily.total  AGGREGATION",
        "captured.orders.day => captured.daily  GROUP_BY",
        f"captured.orders.id -> {tmp_path}/ids.id  IDENTITY",
        f"{tmp_path}/ids.id -> captured.again.id  IDENTITY",
    }
    assert (captured.writes, captured.failed) == (5, 0)
    assert not captured.extraction.diagnostics
    assert [str(edge) for edge in captured.lineage.upstream("captured.daily.total")]
    usages = [usage for edge in captured.extraction.edges for usage in edge.usages]
    assert {usage.transform for usage in usages if usage.how.value == "AGGREGATION"} == {"sum"}
    assert {usage.trail for usage in usages} == {None}, "what was written keeps no plan alive"


def test_several_writes_of_one_statement_and_a_folder(spark, orders, tmp_path):
    for name in ("small", "large"):
        spark.sql(f"CREATE TABLE captured.{name} (id BIGINT, amount BIGINT) USING parquet")
    with capture(spark, to=tmp_path / "events") as captured:
        spark.sql("""FROM captured.orders INSERT INTO captured.small SELECT id, amount WHERE amount < 15
                     INSERT INTO captured.large SELECT id, -amount""")
        spark.sql(
            f"INSERT OVERWRITE LOCAL DIRECTORY '{tmp_path}/days' USING parquet SELECT day FROM captured.orders"
        )
    assert facts(captured) == {
        "captured.orders.id -> captured.small.id  IDENTITY",
        "captured.orders.amount -> captured.small.amount  IDENTITY",
        "captured.orders.amount => captured.small  FILTER",
        "captured.orders.id -> captured.large.id  IDENTITY",
        "captured.orders.amount -> captured.large.amount  TRANSFORMATION",
        f"captured.orders.day -> {tmp_path}/days.day  IDENTITY",
    }
    runs = [
        event["run"]["runId"]
        for event in events_in(tmp_path / "events")
        if event["eventType"] == "COMPLETE"
    ]
    assert len(set(runs)) == len(runs) == 4


def test_views_that_are_changed(spark, orders):
    with capture(spark) as captured:
        spark.sql("CREATE VIEW captured.seen AS SELECT 1 AS id")
        spark.sql("ALTER VIEW captured.seen AS SELECT amount + 1 AS id FROM captured.orders")
        spark.sql("CREATE TEMPORARY VIEW passing AS SELECT 1 AS id")
        spark.sql("ALTER VIEW passing AS SELECT day AS id FROM captured.orders")
        spark.sql(
            "CREATE TABLE captured.passed USING parquet AS SELECT p.id, s.id AS n FROM passing p, captured.seen s"
        )
    assert facts(captured) == {
        "captured.orders.amount -> captured.seen.id  TRANSFORMATION",
        "captured.orders.day -> captured.passed.id  IDENTITY",
        "captured.seen.id -> captured.passed.n  IDENTITY",
    }


def test_several_places_are_read_at_once(spark, orders, tmp_path):
    for name in ("2024-01", "2024-02", "other"):
        orders.select("id").write.json(f"{tmp_path}/{name}")
    with capture(spark) as captured:
        spark.read.json([f"{tmp_path}/2024-01", f"{tmp_path}/other"]).write.parquet(
            f"{tmp_path}/both"
        )
        spark.read.json(f"{tmp_path}/2024-*").write.parquet(f"{tmp_path}/year")
        stream = spark.readStream.schema("id BIGINT").json(f"{tmp_path}/2024-*").writeStream
        stream = stream.option("checkpointLocation", f"{tmp_path}/at").trigger(availableNow=True)
        stream.start(f"{tmp_path}/streamed", "parquet").awaitTermination()
    assert facts(captured) == {
        f"{tmp_path}/2024-01.id -> {tmp_path}/both.id  IDENTITY",
        f"{tmp_path}/other.id -> {tmp_path}/both.id  IDENTITY",
        f"{tmp_path}/2024-*.id -> {tmp_path}/year.id  IDENTITY",
        f"{tmp_path}/2024-*.id -> {tmp_path}/streamed.id  IDENTITY",
    }
    both = [
        str(read.dataset) for read in captured.extraction.reads if str(read.target).endswith("both")
    ]
    assert {f"{tmp_path}/2024-01", f"{tmp_path}/other"} == set(both)


def test_another_session_and_a_database_over_jdbc(spark, orders):
    there = {
        "url": "jdbc:derby:memory:lineal;create=true",
        "driver": "org.apache.derby.iapi.jdbc.AutoloadedDriver",
    }
    with capture(spark) as captured:
        spark.newSession().sql(
            "CREATE TABLE captured.elsewhere USING parquet AS SELECT day FROM captured.orders"
        )
        orders.select("id").write.format("jdbc").options(dbtable="ids", **there).save()
    assert facts(captured) == {
        "captured.orders.day -> captured.elsewhere.day  IDENTITY",
        "captured.orders.id -> ids.id  IDENTITY",
    }


def test_a_stream_is_followed_through_foreach_batch(spark, orders, tmp_path):
    source = f"{tmp_path}/in"
    orders.write.parquet(source)

    def store(batch, number):
        batch.selectExpr("id", "amount * 2 AS twice").write.mode("append").saveAsTable(
            "captured.batches"
        )

    stream = spark.readStream.schema("id BIGINT, amount BIGINT, day STRING").parquet(source)
    with capture(spark) as captured:
        for name, writer in {
            "each": stream.where("day <> 'sun'").writeStream.foreachBatch(store),
            "seen": stream.writeStream.format("memory").queryName("seen"),
            "function": stream.writeStream.foreach(lambda row: None),
            "state": stream.groupBy("day")
            .applyInPandasWithState(
                lambda key, rows, state: iter([]), "k STRING", "n LONG", "append", "NoTimeout"
            )
            .writeStream.foreachBatch(
                lambda batch, number: batch.write.mode("append").saveAsTable("captured.states")
            ),
            "files": stream.select("day")
            .writeStream.format("parquet")
            .option("path", f"{tmp_path}/out"),
        }.items():
            writer.option("checkpointLocation", f"{tmp_path}/{name}").trigger(
                availableNow=True
            ).start().awaitTermination()
        spark.table("seen").selectExpr("id + amount AS n").write.saveAsTable("captured.remembered")
    assert facts(captured) == {
        f"{source}.id -> captured.remembered.n  TRANSFORMATION",
        f"{source}.amount -> captured.remembered.n  TRANSFORMATION",
        f"{source}.id -> captured.batches.id  IDENTITY",
        f"{source}.amount -> captured.batches.twice  TRANSFORMATION",
        f"{source}.day => captured.batches  FILTER",
        *(
            f"{source}.{column} -> captured.states.k  TRANSFORMATION"
            for column in ("id", "amount", "day")
        ),
        f"{source}.day => captured.states  GROUP_BY",
        f"{source}.day -> {tmp_path}/out.day  IDENTITY",
    }
    assert not captured.extraction.diagnostics


def test_a_checkpoint_keeps_its_history(spark, orders, tmp_path):
    """Also where a join gives one side new ids, a filter keeps the old ones, and a loop continues
    from the last round.
    """
    from pyspark.sql import functions as F

    orders.write.parquet(f"{tmp_path}/in")

    def store(batch, number):
        kept = batch.filter("amount > 0").localCheckpoint()
        both = kept.alias("k").join(batch.alias("b"), F.expr("k.id = b.id"))
        both.selectExpr("k.id", "b.amount * 2 AS twice").write.mode("append").saveAsTable(
            "captured.kept_batches"
        )

    with capture(spark) as captured:
        kept = (
            orders.filter("day = 'mon'")
            .select("id", F.col("amount") + 1)
            .toDF("id", "more")
            .localCheckpoint(False)
        )
        pairs = kept.alias("a").join(kept.alias("b"), F.expr("a.id = b.id"))
        pairs.selectExpr("a.id", "b.more").write.saveAsTable("captured.pairs")
        step = orders.select("id")
        for _ in range(2):
            step = orders.join(
                step.withColumnRenamed("id", "former"), F.expr("amount = former")
            ).select("id")
            step = step.localCheckpoint()
        step.write.saveAsTable("captured.steps")
        spark.createDataFrame(kept.rdd, kept.schema).write.saveAsTable("captured.unknown")
        stream = (
            spark.readStream.schema(orders.schema)
            .parquet(f"{tmp_path}/in")
            .writeStream.foreachBatch(store)
        )
        stream.option("checkpointLocation", f"{tmp_path}/at").trigger(
            availableNow=True
        ).start().awaitTermination()
    assert facts(captured) == {
        "captured.orders.id -> captured.pairs.id  IDENTITY",
        "captured.orders.amount -> captured.pairs.more  TRANSFORMATION",
        "captured.orders.id => captured.pairs  JOIN",
        "captured.orders.day => captured.pairs  FILTER",
        "captured.orders.id -> captured.steps.id  IDENTITY",
        "captured.orders.id => captured.steps  JOIN",
        "captured.orders.amount => captured.steps  JOIN",
        f"{tmp_path}/in.id -> captured.kept_batches.id  IDENTITY",
        f"{tmp_path}/in.amount -> captured.kept_batches.twice  TRANSFORMATION",
        f"{tmp_path}/in.amount => captured.kept_batches  FILTER",
        f"{tmp_path}/in.id => captured.kept_batches  JOIN",
    }
    assert captured.writes == 4
    assert [each.code.code for each in captured.extraction.diagnostics] == ["dynamic"]


def test_a_write_that_keeps_the_target_writes_nothing(spark, orders, tmp_path):
    with capture(spark) as captured:
        for column in ("id", "amount"):
            spark.sql(
                f"CREATE TABLE IF NOT EXISTS captured.once USING parquet AS SELECT {column} AS a FROM captured.orders"
            )
            orders.selectExpr(f"{column} AS a").write.mode("ignore").parquet(f"{tmp_path}/once")
        orders.select("day").limit(0).write.mode("ignore").parquet(f"{tmp_path}/empty")
    assert facts(captured) == {
        "captured.orders.id -> captured.once.a  IDENTITY",
        f"captured.orders.id -> {tmp_path}/once.a  IDENTITY",
        f"captured.orders.day -> {tmp_path}/empty.day  IDENTITY",
    }
    assert captured.writes == 3


def test_operators_that_are_rare(spark, orders):
    with capture(spark) as captured:
        spark.sql("SHOW TABLES IN captured").select("tableName").write.saveAsTable("captured.shown")
        spark.sql(
            "SELECT TRANSFORM(id) USING 'cat' AS (a STRING) FROM captured.orders WHERE amount > 1"
        ).write.saveAsTable("captured.piped")
        other = orders.withColumnRenamed("day", "other")
        nearest = orders._joinAsOf(
            other,
            leftAsOfColumn=orders.amount,
            rightAsOfColumn=other.id,
            on=orders.day == other.other,
        )
        nearest.select(orders.id, "other").write.saveAsTable("captured.nearest")
    assert facts(captured) == {
        "captured.orders.id -> captured.piped.a  TRANSFORMATION",
        "captured.orders.amount => captured.piped  FILTER",
        "captured.orders.id -> captured.nearest.id  IDENTITY",
        "captured.orders.day -> captured.nearest.other  IDENTITY",
        "captured.orders.amount => captured.nearest  JOIN",
        "captured.orders.id => captured.nearest  JOIN",
        "captured.orders.day => captured.nearest  JOIN",
    }
    assert not captured.extraction.diagnostics


def test_a_value_cast_to_the_type_of_a_table_is_the_same_value(spark, orders):
    """Fields in another order, missing ones, CHAR: Spark builds structs, arrays and maps again,
    which nobody wrote.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    spark.sql("""CREATE TABLE captured.nested (s STRUCT<a: BIGINT, g: STRUCT<x: INT, y: INT>>,
        xs ARRAY<STRUCT<a: BIGINT, b: BIGINT>>, m MAP<STRING, STRUCT<a: BIGINT, b: BIGINT>>,
        c STRUCT<k: CHAR(3)>) USING parquet""")
    spark.sql("""CREATE TABLE captured.turned (c STRUCT<k: CHAR(3)>, s STRUCT<g: STRUCT<y: INT, x: INT>, a: BIGINT>,
        xs ARRAY<STRUCT<b: BIGINT, a: BIGINT>>, m MAP<STRING, STRUCT<b: BIGINT, a: BIGINT>>) USING parquet""")
    nested = spark.table("captured.nested")
    narrow = StructType.fromDDL("s STRUCT<a: BIGINT>, xs ARRAY<STRUCT<b: BIGINT>>")
    with capture(spark) as captured:
        spark.sql("INSERT INTO captured.turned BY NAME SELECT * FROM captured.nested")
        nested.write.mode("append").saveAsTable("captured.turned")
        nested.select("s", "xs").to(narrow).write.saveAsTable("captured.narrow")
        nested.select("c.k", "s").write.saveAsTable("captured.read")
        wider = orders.select(F.struct(F.col("id").alias("a"), F.col("day").alias("d")).alias("s"))
        nested.select("s").unionByName(wider, allowMissingColumns=True).write.saveAsTable(
            "captured.wider"
        )
        nested.selectExpr("transform(xs, x -> struct(x.b AS a))").toDF("xs").write.saveAsTable(
            "captured.changed"
        )
    assert facts(captured) == {
        *(
            f"captured.nested.{name} -> captured.turned.{name}  IDENTITY"
            for name in ("c", "s", "xs", "m")
        ),
        "captured.nested.s -> captured.narrow.s  IDENTITY",
        "captured.nested.xs -> captured.narrow.xs  IDENTITY",
        "captured.nested.c.k -> captured.read.k  TRANSFORMATION",
        "captured.nested.s -> captured.read.s  IDENTITY",
        "captured.nested.s -> captured.wider.s  IDENTITY",
        "captured.orders.id -> captured.wider.s  TRANSFORMATION",
        "captured.orders.day -> captured.wider.s  TRANSFORMATION",
        "captured.nested.xs.b -> captured.changed.xs  TRANSFORMATION",
    }


def test_a_variable_is_what_it_was_set_to_in_its_session(spark, orders):
    other = spark.newSession()
    with capture(spark) as captured:
        for session in (spark, other):
            session.sql("DECLARE OR REPLACE VARIABLE most BIGINT DEFAULT 1")
        spark.sql("DECLARE OR REPLACE VARIABLE least BIGINT")
        spark.sql("SET VAR most = (SELECT max(amount) FROM captured.orders WHERE day = 'mon')")
        spark.sql("SET VAR least = most - 1")
        spark.sql(
            "CREATE TABLE captured.most USING parquet AS SELECT id + least AS n FROM captured.orders WHERE id < most"
        )
        other.sql(
            "CREATE TABLE captured.other USING parquet AS SELECT id + most AS n FROM captured.orders"
        )
        spark.sql("EXECUTE IMMEDIATE 'SELECT min(id) FROM captured.orders' INTO most")
        spark.sql("CREATE TABLE captured.later USING parquet AS SELECT most AS n")
        spark.sql("DECLARE OR REPLACE VARIABLE most BIGINT DEFAULT 2")
        spark.sql("CREATE TABLE captured.constant USING parquet AS SELECT most AS n")
    for name in ("most", "least"):  # the session is that of other tests, too
        spark.sql(f"DROP TEMPORARY VARIABLE {name}")
    assert facts(captured) == {
        "captured.orders.id -> captured.most.n  TRANSFORMATION",
        "captured.orders.amount -> captured.most.n  AGGREGATION",
        "captured.orders.day -> captured.most.n  FILTER",
        "captured.orders.id => captured.most  FILTER",
        "captured.orders.amount => captured.most  FILTER",
        "captured.orders.day => captured.most  FILTER",
        "captured.orders.id -> captured.other.n  TRANSFORMATION",
        "captured.orders.id -> captured.later.n  AGGREGATION",
    }
    assert captured.writes == 4
    assert not captured.extraction.diagnostics


def test_the_order_of_a_functions_input_does_not_sort_the_result(spark, orders):
    from pyspark.sql.functions import udtf

    @udtf(returnType="total: bigint")
    class Total:
        def eval(self, row):
            pass

        def terminate(self):
            yield (1,)

    spark.udtf.register("total_of", Total)
    with capture(spark) as captured:
        for name, feeding in {
            "parts": "PARTITION BY id ORDER BY amount",
            "whole": "WITH SINGLE PARTITION",
        }.items():
            rows = "TABLE(SELECT id, amount FROM captured.orders)"
            spark.sql(f"SELECT total FROM total_of({rows} {feeding})").write.saveAsTable(
                f"captured.{name}"
            )
    assert facts(captured) == {
        f"captured.orders.{column} {way}"
        for column in ("id", "amount")
        for table in ("parts", "whole")
        for way in (f"-> captured.{table}.total  TRANSFORMATION", f"=> captured.{table}  JOIN")
    }


def test_names_are_kept_unchanged(spark, orders, tmp_path):
    odd, place = 'a "b"\\c\t\n.d`é', f"{tmp_path}/odd \u00fc, dir/x"
    with capture(spark, to=tmp_path / "events") as captured:
        orders.select(orders.id.alias(odd)).write.parquet(place)
        spark.read.parquet(place).toDF("plain").write.parquet(f"{tmp_path}/plain")
    edges = {(edge.source.name, str(edge.target)) for edge in captured.extraction.edges}
    assert edges == {("id", f"{place}.{odd}"), (odd, f"{tmp_path}/plain.plain")}
    assert (
        odd in events_in(tmp_path / "events")[2]["outputs"][0]["facets"]["columnLineage"]["fields"]
    )


def test_events_of_a_job_that_throws(spark, orders, tmp_path):
    events, kept = tmp_path / "events.ndjson", tmp_path / "job.lineal.json"
    with (
        pytest.raises(ZeroDivisionError),
        capture(spark, to=events, save=kept, job_name="shop") as captured,
    ):
        orders.select("id").write.saveAsTable("captured.kept")
        with pytest.raises(Exception, match="USER_RAISED"):
            spark.sql("INSERT INTO captured.kept SELECT raise_error('no') FROM captured.orders")
        raise ZeroDivisionError("1 / 0")
    told = events_in(events)
    assert [(event["job"]["name"], event["eventType"]) for event in told] == [
        ("shop", "START"),
        ("shop.captured.kept", "START"),
        ("shop.captured.kept", "COMPLETE"),
        ("shop.captured.kept", "START"),
        ("shop.captured.kept", "FAIL"),
        ("shop", "FAIL"),
    ]
    assert "USER_RAISED" in told[4]["run"]["facets"]["errorMessage"]["message"]
    assert told[2]["run"]["facets"]["parent"]["run"]["runId"] == told[0]["run"]["runId"]
    assert told[1]["eventTime"] <= told[2]["eventTime"]
    assert list(told[2]["outputs"][0]["facets"]["columnLineage"]["fields"]) == ["id"]
    assert {str(edge) for edge in read_text(kept.read_text()).edges} == facts(captured)
    assert facts(captured) == {"captured.orders.id -> captured.kept.id  IDENTITY"}


def test_a_start_names_inputs_and_outputs(spark, orders, tmp_path):
    with capture(spark, to=tmp_path / "events", job_name="shop"):
        orders.where("amount > 5").select("day", "id").write.saveAsTable("captured.begun")
    _, start, complete, _ = events_in(tmp_path / "events")
    assert (start["eventType"], complete["eventType"]) == ("START", "COMPLETE")
    assert [each["name"] for each in start["inputs"]] == ["captured.orders"]
    assert list(start["outputs"][0]["facets"]["columnLineage"]["fields"]) == ["day", "id"]
    assert [start[side] for side in ("run", "job", "inputs", "outputs")] == [
        complete[side] for side in ("run", "job", "inputs", "outputs")
    ]


AGENT = "spark.openlineage.columnLineage.datasetLineageEnabled"


@pytest.mark.parametrize(
    ("setting", "option", "legacy"),
    [
        (None, None, False),
        ("false", None, True),
        ("False", None, True),
        ("true", None, False),
        (None, True, True),
        ("true", True, True),
        ("false", False, False),
        ("maybe", None, False),
    ],
)
def test_the_form_of_events(spark, orders, tmp_path, caplog, setting, option, legacy):
    session = spark.newSession()
    if setting is not None:
        session.conf.set(AGENT, setting)
    with (
        caplog.at_level(logging.WARNING, "lineal.capture"),
        capture(spark, to=tmp_path / "events", legacy=option),
    ):
        session.sql("SELECT day, id FROM captured.orders WHERE amount > 5").write.parquet(
            f"{tmp_path}/written"
        )
    facet = events_in(tmp_path / "events")[2]["outputs"][0]["facets"]["columnLineage"]
    inputs = {
        name: [each["field"] for each in about["inputFields"]]
        for name, about in facet["fields"].items()
    }
    assert list(inputs.items()) == [
        ("day", ["day", "amount"] if legacy else ["day"]),
        ("id", ["id", "amount"] if legacy else ["id"]),
    ]
    assert [each["field"] for each in facet["dataset"]] == ([] if legacy else ["amount"])
    said = [record.getMessage() for record in caplog.records]
    assert said == (
        [f"{AGENT} is 'maybe': neither true nor false, so it is ignored"]
        if setting == "maybe"
        else []
    )


def test_a_server_that_does_not_answer_costs_one_wait(spark, orders, tmp_path, caplog):
    pytest.importorskip("openlineage.client")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with (
            caplog.at_level(logging.WARNING, "lineal.capture"),
            capture(spark, to=address, unsent=tmp_path / "unsent", timeout=1) as captured,
        ):
            orders.select("id").write.saveAsTable("captured.unheard")
            orders.select("id").write.mode("append").saveAsTable("captured.unheard")
            finished = time.monotonic()
        assert time.monotonic() - finished < 10
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        "6 of the events did not arrive"
    ]
    assert len(events_in(tmp_path / "unsent")) == 6
    assert len(facts(captured)) == 1


class Moved(BaseHTTPRequestHandler):
    """A server whose address has changed: it takes nothing, and answers with a friendly page."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(302)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        """Not here."""


def test_events_that_are_not_kept_count_as_lost(tmp_path):
    pytest.importorskip("openlineage.client")
    event = {
        "eventType": "START",
        "eventTime": "2026-01-01T00:00:00Z",
        "run": {"runId": "1"},
        "job": {"name": "a"},
    }
    said = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Moved) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        for url in (f"http://127.0.0.1:{server.server_port}", "http://[::1"):
            outlet = ToServer(url, "api/v1/lineage", 2, str(tmp_path / "unsent"), said.append)
            outlet.put([event, event])
            outlet.close(10)
        server.shutdown()
    assert len(events_in(tmp_path / "unsent")) == 4
    assert [line.split(";")[0] for line in said] == [
        f"2 of the events did not arrive: http://127.0.0.1:{server.server_port} sends events to another address",
        "2 of the events did not arrive: OpenLineage's client cannot do this: the address cannot be reached: "
        "ValueError",
    ]


class Busy(BaseHTTPRequestHandler):
    """A server that answers each event with the next of its codes, and takes it at the last."""

    codes: ClassVar[list[int]] = []
    taken: ClassVar[list[str]] = []

    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        code = self.codes.pop(0) if self.codes else 200
        if code == 200:
            self.taken.append(event["run"]["runId"])
        self.send_response(code)
        self.end_headers()

    def log_message(self, *_):
        """Not here."""


@pytest.fixture
def busy(monkeypatch):
    pytest.importorskip("openlineage.client")
    with ThreadingHTTPServer(("127.0.0.1", 0), Busy) as server:
        monkeypatch.setattr(Busy, "codes", [])
        monkeypatch.setattr(Busy, "taken", [])
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def numbered(*numbers):
    return [
        {
            "eventType": "START",
            "eventTime": "2026-01-01T00:00:00Z",
            "run": {"runId": each},
            "job": {"name": "a"},
        }
        for each in numbers
    ]


def test_a_server_that_is_busy_is_asked_again(busy, tmp_path):
    Busy.codes[:] = [429, 503, 200, 400, 502]
    said = []
    outlet = ToServer(busy, "api/v1/lineage", 5, str(tmp_path / "unsent"), said.append)
    outlet.put(numbered("1", "2", "3"))
    outlet.close(20)
    assert Busy.taken == ["1", "3"]
    assert [event["run"]["runId"] for event in events_in(tmp_path / "unsent")] == ["2"]
    assert [line.split(":")[0] for line in said] == ["1 of the events did not arrive"]


def test_a_server_that_stays_busy_costs_the_time_that_was_given(busy):
    Busy.codes[:] = [503] * 1000
    said = []
    outlet = ToServer(busy, "api/v1/lineage", 5, "", said.append)
    outlet.put(numbered("1", "2"))
    began = time.monotonic()
    outlet.close(2)
    assert time.monotonic() - began < 4
    assert [line.split(";")[0] for line in said] == [
        f"2 of the events did not arrive: {busy} answers 503 again and again"
    ]


def test_only_so_many_events_wait(busy, tmp_path, monkeypatch):
    monkeypatch.setattr("lineal.spark.job_capture.outlet.MOST_WAITING", 2)
    Busy.codes[:] = [503] * 1000
    said = []
    outlet = ToServer(busy, "api/v1/lineage", 5, str(tmp_path / "unsent"), said.append)
    outlet.put(numbered("1", "2", "3"))
    outlet.put(numbered("4"))
    assert [event["run"]["runId"] for event in events_in(tmp_path / "unsent")] == ["3", "4"]
    outlet.close(1)
    assert [event["run"]["runId"] for event in events_in(tmp_path / "unsent")] == [
        "3",
        "4",
        "1",
        "2",
    ]
    assert [line.split(":")[0] for line in said] == ["4 of the events did not arrive"]


def test_a_pipe_and_a_device_stay_what_they_are(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    saved.write(Extraction(), pipe)
    assert read_text(os.read(reader, 65536).decode()).edges == []
    os.close(reader)
    assert pipe.is_fifo()
    if Path("/dev/full").is_char_device():
        with pytest.raises(OSError, match="No space"):
            saved.write(Extraction(), "/dev/full")
        assert Path("/dev/full").is_char_device()


def test_unreadable_plans_are_reported_once(spark, orders, monkeypatch, caplog):
    def broken(*_):
        raise RecursionError("too deep")

    monkeypatch.setattr("lineal.spark.job_capture.record.extract", broken)
    with caplog.at_level(logging.WARNING, "lineal.capture"), capture(spark) as captured:
        for mode in ("overwrite", "append"):
            orders.write.mode(mode).saveAsTable("captured.unread")
    assert spark.table("captured.unread").count() == 4
    assert [record.getMessage() for record in caplog.records] == [
        "the plan of CreateDataSourceTableAsSelectCommand cannot be read: too deep"
    ]
    assert [diagnostic.code.code for diagnostic in captured.extraction.diagnostics] == [
        "not-captured"
    ]


def test_a_context_that_cannot_be_watched_works_as_ever(spark, orders, monkeypatch):
    monkeypatch.setattr("lineal.spark.job_capture.listener.compile_instance", None)
    with capture(spark) as captured:
        orders.write.mode("overwrite").saveAsTable("captured.unwatched")
    assert spark.table("captured.unwatched").count() == 2
    assert [diagnostic.code.code for diagnostic in captured.extraction.diagnostics] == [
        "not-captured"
    ]


def test_spark_connect_is_reported_once_and_the_job_continues(monkeypatch, caplog):
    from pyspark import SparkContext

    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    remote = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with caplog.at_level(logging.WARNING, "lineal.capture"), capture(remote) as captured:
        went_on = True
    assert went_on
    assert [record.getMessage().split(",")[0] for record in caplog.records] == [
        "a session of Spark Connect cannot be watched"
    ]
    assert [diagnostic.code.code for diagnostic in captured.extraction.diagnostics] == [
        "not-captured"
    ]


def test_a_server_of_spark_connect_in_this_process_is_watched(spark, orders):
    remote = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with capture(remote) as captured:
        orders.select("day").write.saveAsTable("captured.served")
    assert facts(captured) == {"captured.orders.day -> captured.served.day  IDENTITY"}


def test_events_that_spark_drops_are_reported(spark, orders, monkeypatch, caplog):
    """Spark's queue of events is bounded: what did not fit was not told to anybody."""
    with caplog.at_level(logging.WARNING, "lineal.capture"), capture(spark) as captured:
        registry = spark.sparkContext._jsc.sc().listenerBus().metrics().metricRegistry()
        registry.counter("queue.lineal.numDroppedEvents").inc()
        orders.select("day").write.saveAsTable("captured.told")
    assert len(facts(captured)) == 1
    assert [record.getMessage().split(" of its")[0] for record in caplog.records] == [
        "Spark has dropped 1 events"
    ]
    with capture(spark) as again:
        orders.select("id").write.saveAsTable("captured.told_again")
    assert not again.extraction.diagnostics


JOB = """
import sys
from pyspark.sql import SparkSession

quiet = {"spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.sql.warehouse.dir": sys.argv[1]}
quiet["spark.openlineage.columnLineage.datasetLineageEnabled"] = "false"
spark = SparkSession.builder.master("local[1]").appName("shop").config(map=quiet).getOrCreate()
spark.range(3).selectExpr("id", "id % 2 AS odd").write.parquet(sys.argv[1] + "/in")
spark.read.parquet(sys.argv[1] + "/in").groupBy("odd").count().write.parquet(sys.argv[1] + "/out")
spark.stop()
sys.exit(3)
"""


def test_the_command_runs_a_job_and_ends_as_it_does(tmp_path):
    job, events = tmp_path / "job.py", tmp_path / "events.ndjson"
    job.write_text(JOB)
    command = [
        sys.executable,
        "-m",
        "lineal",
        "capture",
        str(job),
        "--to",
        str(events),
        "--",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == "lineal: 2 writes; 2 edges"
    told = [(event["job"]["name"], event["eventType"]) for event in events_in(events)]
    assert told[0] == ("shop", "START")
    assert told[-2:] == [(f"shop.{tmp_path}/out", "COMPLETE"), ("shop", "FAIL")]
    facet = events_in(events)[-2]["outputs"][0]["facets"]["columnLineage"]
    subtypes = {
        name: [[how["subtype"] for how in each["transformations"]] for each in about["inputFields"]]
        for name, about in facet["fields"].items()
    }
    assert subtypes == {"odd": [["IDENTITY"], ["GROUP_BY"]], "count": [["GROUP_BY"]]}
    assert facet["dataset"] == []


@pytest.mark.parametrize(
    ("options", "legacy"), [([], None), (["--legacy"], True), (["--no-legacy"], False)]
)
def test_the_command_passes_the_form_of_events_on(tmp_path, monkeypatch, options, legacy):
    seen = []
    monkeypatch.setattr(
        "lineal.spark.job_capture.job.run_job",
        lambda job, arguments, watch: seen.append(watch.settings) or 0,
    )
    CliRunner().invoke(main, ["capture", __file__, "--to", str(tmp_path / "events"), *options])
    assert [settings.legacy for settings in seen] == [legacy]


RESTLESS = """
import os, sys
from pyspark.sql import SparkSession

def start(name):
    quiet = {"spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.sql.warehouse.dir": sys.argv[1]}
    return SparkSession.builder.master("local[1]").appName(name).config(map=quiet).getOrCreate()

spark = start("first")
spark.range(3).selectExpr("id", "id % 2 AS odd").write.parquet(sys.argv[1] + "/in")
child = os.fork()
if child == 0:
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
spark.read.parquet(sys.argv[1] + "/in").select("odd").write.parquet(sys.argv[1] + "/one")
spark.stop()
spark = start("second")
spark.newSession().read.parquet(sys.argv[1] + "/in").select("id").write.parquet(sys.argv[1] + "/two")
if sys.argv[2:]:
    os._exit(5)
sys.exit("enough")
"""


@pytest.mark.parametrize(("arguments", "code"), [([], 1), (["suddenly"], 5)])
def test_a_job_that_forks_restarts_and_exits(tmp_path, arguments, code):
    job, events = tmp_path / "job.py", tmp_path / "events.ndjson"
    job.write_text(RESTLESS)
    command = [
        sys.executable,
        "-m",
        "lineal",
        "capture",
        str(job),
        "--to",
        str(events),
        "--",
        str(tmp_path),
    ]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stderr
    told = [
        (event["job"]["name"].removeprefix("first."), event["eventType"])
        for event in events_in(events)
    ]
    assert told[0] == ("first", "START")
    assert told[1:5] == [
        (f"{tmp_path}/{name}", kind) for name in ("in", "one") for kind in ("START", "COMPLETE")
    ]
    if not arguments:
        assert told[5:] == [
            (f"{tmp_path}/two", "START"),
            (f"{tmp_path}/two", "COMPLETE"),
            ("first", "FAIL"),
        ]
        assert done.stderr.splitlines()[-2:] == ["enough", "lineal: 3 writes; 2 edges"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name the job"),
        (["nowhere.py"], "no such file: nowhere.py"),
        ([__file__, "--to", "a", "--url", "http://b"], "give one of them"),
        ([__file__, "--url", "b"], "--url is the address of a server"),
        ([__file__, "--legacy"], "say with --to or --url where they go"),
    ],
)
def test_mistakes_are_reported_before_the_job_runs(arguments, said):
    done = CliRunner().invoke(main, ["capture", *arguments])
    assert done.exit_code == 2
    assert said in done.output


def test_the_entry_for_spark_submit_is_a_file():
    assert Path(CliRunner().invoke(main, ["capture", "--entry"]).output.strip()).is_file()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("CALL lake.system.rollback_to_snapshot('t', 1)", "lake.system.rollback_to_snapshot"),
        (
            "-- back\n /* to\n Monday */ call `lake`.system.add_files (table => 't')",
            "lake.system.add_files",
        ),
        ("CALL lake.system.REWRITE_DATA_FILES('t')", ""),
        ("SELECT 'CALL p()'", ""),
        ("callers", ""),
        (None, ""),
    ],
)
def test_a_procedure_by_its_name(text, name):
    assert procedure_name(text) == name


def test_a_session_is_given_back_as_it_was(spark):
    own = type(spark).sql
    with capture(spark):
        with capture(spark):
            assert spark.sql(sqlQuery="SELECT 1 AS one").columns == ["one"]
        assert type(spark).sql is not own
    assert type(spark).sql is own
