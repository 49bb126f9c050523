"""How datasets are called in events, and which dataset an event means."""

from __future__ import annotations

import pytest

from lineal.model.edge import Dataset
from lineal.model.openlineage import Named, dataset_meant, event_name

BOTH_WAYS = [
    (Dataset("", "s3://lake/raw/orders"), "file", Named("s3://lake", "raw/orders")),
    (Dataset("", "gs://lake"), "file", Named("gs://lake", "/")),
    (Dataset("", "hdfs://nn:8020/raw"), "file", Named("hdfs://nn:8020", "/raw")),
    (
        Dataset("", "abfss://c@acc.dfs.core.windows.net/x"),
        "file",
        Named("abfss://c@acc.dfs.core.windows.net", "/x"),
    ),
    (Dataset("", "dbfs:/mnt/x"), "file", Named("dbfs://", "/mnt/x")),
    (Dataset("", "/tmp/orders.csv"), "file", Named("file", "/tmp/orders.csv")),
    (
        Dataset("postgres://h:5432", "shop.public.orders"),
        "table",
        Named("postgres://h:5432", "shop.public.orders"),
    ),
    (
        Dataset("arn:aws:glue:eu-west-1:1", "db.t"),
        "table",
        Named("arn:aws:glue:eu-west-1:1", "table/db/t"),
    ),
    (
        Dataset("azurekusto://h.kusto.windows.net", "db.t"),
        "table",
        Named("azurekusto://h.kusto.windows.net", "db/t"),
    ),
    (Dataset("bigquery", "p.d.t"), "table", Named("bigquery", "p.d.t")),
]


@pytest.mark.parametrize(("dataset", "kind", "name"), BOTH_WAYS, ids=lambda value: str(value))
def test_names_both_ways(dataset: Dataset, kind: str, name: Named) -> None:
    assert event_name(dataset, kind, "") == name
    assert dataset_meant(*name) == (dataset, kind)


@pytest.mark.parametrize("name", ["orders/", "/orders", "orders/year=2024/month=1", "//orders"])
def test_one_place_has_one_name(name: str) -> None:
    assert dataset_meant("s3://lake", name) == (Dataset("", "s3://lake/orders"), "file")


def test_who_gives_the_namespace() -> None:
    prefixes = (("raw", "postgres://raw"), ("raw.eu", "postgres://eu"))
    assert event_name(Dataset("", "orders"), "table", "").namespace == "default"
    assert event_name(Dataset("", "orders"), "table", "shop").namespace == "shop"
    assert (
        event_name(Dataset("", "raw.orders"), "table", "shop", prefixes).namespace
        == "postgres://raw"
    )
    assert (
        event_name(Dataset("", "raw.eu.orders"), "table", "shop", prefixes).namespace
        == "postgres://eu"
    )
    assert event_name(Dataset("", "rawest.orders"), "table", "shop", prefixes).namespace == "shop"
    assert (
        event_name(Dataset("theirs", "raw.orders"), "table", "shop", prefixes).namespace == "theirs"
    )
    assert (
        event_name(Dataset("home", "orders"), "table", "shop", prefixes, "home").namespace == "shop"
    )
