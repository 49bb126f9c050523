"""The events of sample projects, through the code that catalogs publish: every edge has to arrive."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lineal
from lineal.cli.event_options import Form, emission_of, graph_and_corpus
from lineal.deliver.delivery import pack
from lineal.deliver.profiles import PROFILES
from lineal.model.consumers import CONSUMERS
from lineal.projects import load
from lineal.service.source import Source
from lineal.views.openlineage import Emission, events
from lineal.views.report import everything

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
PROJECTS = {
    "shop": ROOT / "examples" / "shop",
    "sales": ROOT / "examples" / "sales",
    "jaffle": ROOT / "examples" / "jaffle",
    "cafe": ROOT / "tests" / "data" / "cafe",
}
Event = dict[str, Any]
Edge = tuple[str, str]


@pytest.fixture(scope="module", params=PROJECTS)
def told(request: pytest.FixtureRequest) -> list[Event]:
    """The run events of a project, as `lineal emit --to` sends them with a default schema."""
    return pack(run_events(PROJECTS[request.param]), PROFILES["datahub"]).events


def run_events(folder: Path) -> list[Event]:
    corpus = load(folder)
    # a dbt project knows the schemas of its tables; other names get one, as the guide has it
    schema = () if corpus.relations else "warehouse"
    graph = lineal.lineage(folder, default_schema=schema).graph
    emission = Emission("2026-01-01T00:00:00Z", events="run", relations=corpus.relations)
    return events(everything(graph), emission)


def is_table(dataset: Event) -> bool:
    """Tell whether a catalog of tables can hold a dataset: consumers and files are none."""
    kind = dataset["facets"].get("datasetType", {}).get("datasetType", "TABLE").lower()
    return kind not in CONSUMERS and dataset["namespace"] != "file"


def fields(event: Event) -> Iterator[tuple[Event, str, Event]]:
    for output in event["outputs"]:
        for name, made in output["facets"].get("columnLineage", {}).get("fields", {}).items():
            for source in made["inputFields"]:
                yield output, name, source


def run(command: list[str], told: list[Event]) -> list[str]:
    text = "".join(f"{json.dumps(event)}\n" for event in told)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


# -- OpenLineage's client for Java -----------------------------------------------------------------


def test_openlineage_java_reads_every_event_with_every_edge(
    told: list[Event], consumers: Path
) -> None:
    if not (consumers / "openlineage" / "ready").exists():
        pytest.skip("openlineage-java could not be fetched")
    java = ["java", "-cp", str(consumers / "openlineage" / "*"), str(HERE / "ReadEvents.java")]
    expected = [f"{event['run']['runId']} true {sum(1 for _ in fields(event))}" for event in told]
    assert run(java, told) == expected


# -- OpenMetadata's connector ----------------------------------------------------------------------


def database_name(dataset: Event) -> str:
    links = dataset["facets"].get("symlinks", {}).get("identifiers", ())
    name = (links[0] if links else dataset)["name"].lower()
    parts = name.split(".")
    return ".".join(["service", *(["default"] if len(parts) == 2 else []), *parts])


def test_openmetadata_gets_every_edge_between_tables(told: list[Event], consumers: Path) -> None:
    if not (consumers / "openmetadata" / "ready").exists():
        pytest.skip("openmetadata-ingestion could not be installed")
    sent = pack(told, PROFILES["openmetadata"]).events
    python = str(consumers / "openmetadata" / "bin" / "python")
    answers = [
        json.loads(each) for each in run([python, str(HERE / "openmetadata_reader.py")], sent)
    ]
    assert [each for each in answers if "edges" not in each] == []
    count = 0
    for event, answer in zip(sent, answers, strict=True):
        arrived = {(source, target) for source, target in answer["edges"]}
        inputs = {(each["namespace"], each["name"]): each for each in event["inputs"]}
        for output, name, source in fields(event):
            read = inputs[source["namespace"], source["name"]]
            if not (is_table(output) and is_table(read)):
                continue
            count += 1
            edge = (
                f"{database_name(read)}.{source['field'].lower()}",
                f"{database_name(output)}.{name.lower()}",
            )
            assert edge in arrived
    assert count


# -- what DataHub's converter asks of an event -----------------------------------------------------


def check_datahub_rules(event: Event) -> None:
    """Raise AssertionError for an event of which DataHub's converter makes no column lineage.

    It takes run events only, asks for the engine of a run (else "Unable to determine
    orchestrator"), and reads the `fields` of columnLineage; every dataset of a field must be listed.
    """
    assert event["eventType"] in ("START", "COMPLETE")
    assert event["run"]["runId"]
    assert event["run"]["facets"]["processing_engine"]["name"]
    assert event["job"]["namespace"] and event["job"]["name"]
    listed = {(each["namespace"], each["name"]) for each in event["inputs"]}
    for output, _, source in fields(event):
        assert (source["namespace"], source["name"]) in listed
        assert output["name"]


def test_datahub_can_take_every_event(told: list[Event]) -> None:
    for event in told:
        check_datahub_rules(event)


def test_job_events_are_what_datahub_refuses() -> None:
    source = Source(paths=(str(PROJECTS["sales"]),))
    graph, corpus = graph_and_corpus(source)
    for event in events(everything(graph), emission_of(Form(events="job"), source, corpus)):
        with pytest.raises((AssertionError, KeyError)):
            check_datahub_rules(event)
