"""The options of connectors name the dataset that is read or written."""

from __future__ import annotations

from jobbook import facts_in
from lineal.incremental.extraction import extract
from lineal.model.script import Corpus, Script

JOB = """from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
events = spark.read.format("org.apache.spark.sql.cassandra").options(table="events", keyspace="ks").load()
users = spark.read.format("mongodb").option("database", "app").option("collection", "users").load()
snowflake = {"sfDatabase": "DB", "sfSchema": "PUBLIC"}
both = events.join(users, events["user"] == users["_id"]).select(events["at"], users["email"])
both.write.format("snowflake").options(**snowflake).option("dbtable", "SEEN").mode("append").save()
both.write.format("org.elasticsearch.spark.sql").option("es.resource", "seen_index").save()
"""


def test_connectors_are_named_by_their_options():
    found = extract(Corpus("spark", [Script(JOB, "python", "job.py")]))
    for target in ("db.public.seen", "seen_index"):
        assert {fact for fact in facts_in(found) if target in fact} == {
            f"ks.events.at -> {target}.at IDENTITY",
            f"app.users.email -> {target}.email IDENTITY",
            f"ks.events.user => {target} JOIN",
            f"app.users._id => {target} JOIN",
        }
