"""What each catalog needs before the lineage of a column arrives in it.

The needs were read in the catalogs' own code and documentation: DataHub's converter and
OpenMetadata's connector take run events only, Marquez keeps an edge only if `schema` facets on both
sides list its columns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from spec import check
from test_sending import TIME, Endpoint, endpoint  # noqa: F401

import lineal
from lineal.cli import main
from lineal.deliver.delivery import pack
from lineal.deliver.profiles import PROFILES, MissingVariable, Profile, fill_in
from lineal.views.openlineage import Emission, events
from lineal.views.report import report_of_all

EXAMPLES = Path(__file__).parents[2] / "examples"
UNKNOWN = "CREATE VIEW v AS SELECT o.id, c.name, o.a + c.b AS x FROM orders o JOIN c ON o.id = c.id"
STAR = "INSERT INTO t SELECT * FROM s; CREATE VIEW u AS SELECT s.*, s.k AS key FROM s"


def run_events(source: Any) -> list[dict[str, Any]]:
    report = report_of_all(lineal.lineage(source).graph)
    return events(report, Emission("2024-01-01T00:00:00Z", events="run"))


@pytest.fixture(params=["shop", "sales", UNKNOWN, STAR], ids=["shop", "sales", "unknown", "star"])
def told(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    folder = EXAMPLES / request.param
    return run_events(folder if " " not in request.param and folder.is_dir() else request.param)


def listed_fields(datasets: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
    """The columns that `schema` facets list, each with its dataset."""
    return {
        (dataset["namespace"], dataset["name"], field["name"])
        for dataset in datasets
        for field in dataset["facets"].get("schema", {}).get("fields", ())
    }


def field_edges(event: dict[str, Any]) -> Iterator[tuple[tuple[str, str, str], ...]]:
    """Source and target of every edge of the facet `columnLineage`, but for open stars."""
    for output in event["outputs"]:
        fields = output["facets"].get("columnLineage", {}).get("fields", {})
        for name, sources in fields.items():
            for source in sources["inputFields"]:
                ends = (source["namespace"], source["name"], source["field"])
                if "*" not in (name, source["field"]):
                    yield ends, (output["namespace"], output["name"], name)


def test_every_edge_can_arrive(told: list[dict[str, Any]]) -> None:
    count = 0
    for event in told:
        check(event)
        assert event["run"]["runId"]
        engine = event["run"]["facets"]["processing_engine"]
        assert engine["name"] == "lineal" and engine["version"]
        assert event["inputs"] and event["outputs"]
        sources, targets = listed_fields(event["inputs"]), listed_fields(event["outputs"])
        for source, target in field_edges(event):
            column = (*source[:2], source[2].partition(".")[0])
            assert source in sources or column in sources
            assert target in targets
            count += 1
    assert count


def test_a_partly_known_table_stays_partly_known(tmp_path: Path) -> None:
    """The columns listed for a catalog must not look like all columns when the event is read again."""
    file = tmp_path / "events.ndjson"
    file.write_text("".join(f"{json.dumps(event)}\n" for event in run_events(UNKNOWN)))
    again = lineal.lineage(file).graph.infos
    known = {str(dataset): (info.complete, info.names) for dataset, info in again.items()}
    assert known == {
        "orders": (False, ["a", "id"]),
        "c": (False, ["b", "id", "name"]),
        "v": (True, ["id", "name", "x"]),
    }


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_can_be_filled_in(name: str) -> None:
    profile = PROFILES[name]
    values = {
        variable: "https://x" if variable.endswith(("URL", "ENDPOINT", "HOST")) else "x"
        for variable in (
            "OPENLINEAGE_URL", "MARQUEZ_URL", "DATAHUB_GMS_URL", "OPENMETADATA_URL",
            "GOOGLE_CLOUD_PROJECT", "DATAPLEX_LOCATION", "SNOWFLAKE_ACCOUNT", "PURVIEW_ENDPOINT",
            "DATABRICKS_HOST",
        )
    }  # fmt: skip
    assert fill_in(profile.address, profile.title, values).startswith("https://")
    assert "{" not in fill_in(profile.endpoint, profile.title, values)


def test_a_missing_variable_is_named() -> None:
    with pytest.raises(MissingVariable, match=r"Snowflake needs .* SNOWFLAKE_ACCOUNT"):
        fill_in(PROFILES["snowflake"].address, "Snowflake", {"SNOWFLAKE_ACCOUNT": " "})


def test_a_catalog_gets_the_states_and_sizes_that_it_takes() -> None:
    told = run_events(UNKNOWN)
    assert [event["eventType"] for event in told] == ["START", "COMPLETE"]
    ended = pack(told, PROFILES["openmetadata"])
    assert [event["eventType"] for event in ended.events] == ["COMPLETE"] and not ended.too_large
    small = pack(told, Profile("Small", "http://x", "y", "TOKEN", largest=100))
    assert (small.events, small.too_large) == ([], told)


def test_an_event_over_the_limit_is_kept_and_the_exit_code_is_1(
    tmp_path: Path,
    endpoint: Any,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "shop")
    monkeypatch.setenv("DATAPLEX_LOCATION", "eu")
    monkeypatch.setitem(PROFILES, "dataplex", PROFILES["dataplex"]._replace(largest=4_000))
    columns = ", ".join(f"a{number} + b AS c{number}" for number in range(30))
    (tmp_path / "small.sql").write_text("CREATE VIEW small AS SELECT a FROM t")
    (tmp_path / "wide.sql").write_text(f"CREATE VIEW wide AS SELECT {columns} FROM t")
    server: Endpoint = endpoint(lambda asked: 201)
    left = tmp_path / "left.ndjson"
    command = ["emit", str(tmp_path), "--to", "dataplex", "--url", server.url, *TIME]
    failed = CliRunner().invoke(main, [*command, "--unsent", str(left)])
    assert failed.exit_code == 1
    assert "2 of 4 events sent" in failed.stderr
    assert "takes events of at most 0.004 MB" in failed.stderr
    assert {event["job"]["name"] for event in server.bodies} == {"small"}
    kept = [json.loads(line) for line in left.read_text().splitlines()]
    assert [(event["job"]["name"], event["eventType"]) for event in kept] == [
        ("wide", "START"),
        ("wide", "COMPLETE"),
    ]


def test_openmetadata_refuses_columns_without_a_type() -> None:
    told = run_events(UNKNOWN)
    fields = listed_types(pack(told, PROFILES["openmetadata"]).events)
    assert set(fields) == {"UNKNOWN"} and len(fields) == 8
    assert listed_types(pack(told, PROFILES["datahub"]).events) == [None] * 16
    assert listed_types(told) == [None] * 16


def listed_types(events: list[dict[str, Any]]) -> list[str | None]:
    """The type of each field of a `schema` facet."""
    datasets = [each for event in events for each in (*event["inputs"], *event["outputs"])]
    return [field.get("type") for each in datasets for field in each["facets"]["schema"]["fields"]]


OPENLINEAGE = [name for name, profile in PROFILES.items() if not profile.is_native_only]


def test_the_help_names_every_catalog() -> None:
    shown = " ".join(CliRunner().invoke(main, ["emit", "--help"]).stdout.split())
    assert f"({', '.join(sorted(PROFILES))})" in shown


@pytest.mark.parametrize("name", OPENLINEAGE)
def test_events_arrive_at_the_catalogs_address(
    name: str,
    tmp_path: Path,
    endpoint: Any,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "shop")
    monkeypatch.setenv("DATAPLEX_LOCATION", "eu")
    profile = PROFILES[name]
    monkeypatch.setenv(profile.token, "s3cret")
    (tmp_path / "v.sql").write_text(UNKNOWN)
    server: Endpoint = endpoint(lambda asked: 201)
    command = ["emit", str(tmp_path), "--to", name, "--url", server.url, *TIME]
    sent = CliRunner().invoke(main, command)
    assert sent.exit_code == 0, sent.stderr
    assert f"sent to {profile.title} at {server.url}/" in sent.stderr
    assert "s3cret" not in sent.stderr
    bodies = [event for body in server.bodies for event in body.get("events", [body])]
    assert [event["eventType"] for event in bodies] == list(profile.states)
    values = {"GOOGLE_CLOUD_PROJECT": "shop", "DATAPLEX_LOCATION": "eu"}
    path = fill_in(profile.batch_endpoint or profile.endpoint, "", values)
    assert set(server.paths) == {f"/{path}"}
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer s3cret"}
    assert "it has accepted 4 column edges" in sent.stderr


def test_a_header_of_a_catalog_comes_from_the_environment(
    tmp_path: Path,
    endpoint: Any,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "v.sql").write_text(UNKNOWN)
    server: Endpoint = endpoint(lambda asked: 201)
    command = ["emit", str(tmp_path), "--to", "snowflake", "--url", server.url, *TIME]
    assert CliRunner().invoke(main, command).exit_code == 0
    monkeypatch.setenv("SNOWFLAKE_TOKEN_TYPE", "PROGRAMMATIC_ACCESS_TOKEN")
    assert CliRunner().invoke(main, command).exit_code == 0
    name = "X-Snowflake-Authorization-Token-Type"
    assert [headers.get(name) for headers in server.headers] == [None, "PROGRAMMATIC_ACCESS_TOKEN"]


# -- names: as the database of a table calls it, in the namespace of its system ---------------------


def test_a_catalog_gets_the_names_of_the_database(tmp_path: Path, endpoint: Any) -> None:  # noqa: F811
    write_dbt(tmp_path)
    server: Endpoint = endpoint(lambda asked: 201)
    command = ["emit", str(tmp_path), "--to", "datahub", "--url", server.url, *TIME]
    sent = CliRunner().invoke(main, [*command, "--namespace", "snowflake://acme"])
    assert sent.exit_code == 0, sent.stderr
    names = {
        (each["namespace"], each["name"])
        for event in server.bodies
        for each in (*event["inputs"], *event["outputs"])
    }
    assert names == {("snowflake://acme", "wh.raw.orders"), ("snowflake://acme", "wh.mart.daily")}
    # DataHub files whatever has a symlink under Hive
    assert not any("symlinks" in json.dumps(event) for event in server.bodies)
    assert {event["job"]["name"] for event in server.bodies} == {"daily"}
    assert "--namespace" not in sent.stderr


def test_tables_whose_system_is_not_known_are_reported(tmp_path: Path, endpoint: Any) -> None:  # noqa: F811
    write_dbt(tmp_path)
    server: Endpoint = endpoint(lambda asked: 201)
    sent = CliRunner().invoke(
        main, ["emit", str(tmp_path), "--to", "datahub", "--url", server.url, *TIME]
    )
    assert "does not know the system of 2 datasets" in sent.stderr
    assert "give --namespace, as snowflake://account" in sent.stderr


def test_an_open_star_is_not_sent_as_a_column(tmp_path: Path, endpoint: Any) -> None:  # noqa: F811
    (tmp_path / "v.sql").write_text(STAR)
    server: Endpoint = endpoint(lambda asked: 201)
    sent = CliRunner().invoke(
        main, ["emit", str(tmp_path), "--to", "datahub", "--url", server.url, *TIME]
    )
    assert sent.exit_code == 0, sent.stderr
    told = {
        event["outputs"][0]["name"]: (
            [each["name"] for each in event["inputs"]],
            list(event["outputs"][0]["facets"].get("columnLineage", {}).get("fields", {})),
        )
        for event in server.bodies
    }
    assert told == {"t": (["s"], []), "u": (["s"], ["key"])}


def test_bigquery_has_one_namespace(tmp_path: Path, endpoint: Any) -> None:  # noqa: F811
    write_dbt(tmp_path, "bigquery")
    server: Endpoint = endpoint(lambda asked: 201)
    sent = CliRunner().invoke(
        main, ["emit", str(tmp_path), "--to", "dataplex", "--url", server.url, *TIME,
               "--endpoint", "x"],
    )  # fmt: skip
    assert sent.exit_code == 0, sent.stderr
    assert {each["namespace"] for event in server.bodies for each in event["inputs"]} == {
        "bigquery"
    }
    assert "--namespace" not in sent.stderr


def write_dbt(folder: Path, adapter: str = "snowflake") -> None:
    """A dbt project whose profile says where its tables are."""
    models = folder / "models"
    models.mkdir()
    (folder / "dbt_project.yml").write_text("name: shop\nprofile: shop\n")
    (folder / "profiles.yml").write_text(
        "shop: {target: dev, outputs: {dev: "
        f"{{type: {adapter}, database: wh, project: wh, schema: mart}}}}}}\n"
    )
    (models / "sources.yml").write_text(
        "sources: [{name: raw, database: wh, schema: raw, tables: [{name: orders}]}]\n"
    )
    (models / "daily.sql").write_text(
        "select day, sum(amount) as total from {{ source('raw', 'orders') }} group by day\n"
    )
