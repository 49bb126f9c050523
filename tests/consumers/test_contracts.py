"""What `lineal emit --to` sends, through the code that catalogs publish: every edge has to arrive.

The edges that are looked for come from the graph, not from the events. LINEAL_HELD_OUT names a
folder of checkouts of other projects; `make test-consumers HELD_OUT=folder` sets it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from held_out import ROOT, held_out_projects
from recorder import Recorder, openmetadata_answer, page_answer

import lineal
from lineal.cli.event_options import Form, emission_of, graph_and_corpus
from lineal.graph.graph import Graph
from lineal.model.consumers import CONSUMERS
from lineal.model.edge import Column, Dataset
from lineal.projects import load
from lineal.service.source import Source
from lineal.views.openlineage import events
from lineal.views.report import report_of_all

HERE = Path(__file__).resolve().parent
PROJECTS = [
    ROOT / "examples" / "shop",
    ROOT / "examples" / "sales",
    ROOT / "examples" / "jaffle",
    ROOT / "tests" / "data" / "cafe",
    *held_out_projects(),
]
NAMESPACE = "postgres://db:5432"
NO_TABLES = ("file", "query")
"""Kinds of datasets that no catalog finds: files, and the rows of a SELECT that writes nothing."""
PATIENCE = ["--timeout", "120"]
"""On a busy machine the server answers late: a second request would count as a second event."""
Event = dict[str, Any]
Edge = tuple[str, str]


class Sent:
    """What a project tells each catalog, and the edges that have to arrive there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        corpus = load(folder)
        self.relations = corpus.relations
        # names that nobody has located get a schema, as the guide has it
        self.options = ["--namespace", NAMESPACE, "--default-schema", "warehouse"]
        self.graph = lineal.lineage(folder, default_schema="warehouse").graph
        self.edges = set(edges_between_tables(self.graph, self.relations))
        self.queries = {
            f"{dataset.name}.".lower()
            for dataset, info in self.graph.infos.items()
            if info.kind == "query"
        }
        self._told: dict[tuple[str, ...], Recorder] = {}

    def to(self, catalog: str, *options: str, python: str = sys.executable) -> Recorder:
        """Run the command of the guide against a server that records what it is sent, once."""
        key = (catalog, *options, python)
        if key not in self._told:
            self._told[key] = self._tell(catalog, *options, python=python)
        return self._told[key]

    def _tell(self, catalog: str, *options: str, python: str) -> Recorder:
        with Recorder(openmetadata_answer) as server:
            command = [python, "-m", "lineal", "emit", str(self.folder), "--to", catalog]
            command += ["--url", server.url, *self.options, *options, *PATIENCE]
            command += ["--fail-on", "never"]
            environment = {
                **os.environ,
                "OPENMETADATA_SERVICE": "svc",
                "PYTHONPATH": str(ROOT / "src"),
            }
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
            assert done.returncode == 0, done.stderr[-3000:]
        return server


_SENT: dict[Path, Sent] = {}


@pytest.fixture(params=PROJECTS, ids=[each.name for each in PROJECTS])
def project(request: pytest.FixtureRequest) -> Sent:
    folder: Path = request.param
    if folder not in _SENT:
        _SENT[folder] = Sent(folder)
    return _SENT[folder]


def edges_between_tables(graph: Graph, relations: dict[str, str]) -> Iterator[Edge]:
    """The edges between columns of tables, by the names that the database has for them."""

    def name(column: Column) -> str:
        table = relations.get(column.dataset.name) or column.dataset.name
        return ".".join((table, column.name, *column.path)).lower()

    def is_table(dataset: Dataset) -> bool:
        return graph.infos[dataset].kind not in (*CONSUMERS, *NO_TABLES)

    for edge in graph.extraction.edges:
        target = edge.target
        if not isinstance(target, Column) or "*" in (target.name, edge.source.name):
            continue
        if is_table(target.dataset) and is_table(edge.source.dataset):
            yield name(edge.source), name(target)


def run(command: list[str], told: list[Any]) -> list[str]:
    text = "".join(f"{json.dumps(event)}\n" for event in told)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def need(consumers: Path, name: str) -> str:
    """The Python of a consumer's environment."""
    if not (consumers / name / "ready").exists():
        pytest.skip(f"{name} could not be installed")
    return str(consumers / name / "bin" / "python")


def all_arrive(project: Sent, arrived: set[Edge], where: str) -> None:
    arrived = {edge for edge in arrived if not is_of_file(edge) and not is_of_query(edge, project)}
    lost = sorted(project.edges - arrived)
    count = len(project.edges)
    print(f"{project.folder.name}: {count - len(lost)} of {count} edges in {where}")
    assert lost == []
    assert sorted(arrived - project.edges) == []


def is_of_file(edge: Edge) -> bool:
    """Tell whether a file of the project, and no table, is at one end."""
    return any("/" in end for end in edge)


def is_of_query(edge: Edge, project: Sent) -> bool:
    """Tell whether a SELECT that writes nothing is at one end."""
    return any(end.startswith(tuple(project.queries)) for end in edge)


# -- OpenLineage's client for Java -----------------------------------------------------------------


def test_openlineage_java_reads_every_event_with_every_edge(project: Sent, consumers: Path) -> None:
    need(consumers, "openlineage")
    sent = project.to("datahub").bodies()
    java = ["java", "-cp", str(consumers / "openlineage" / "*"), str(HERE / "ReadEvents.java")]
    expected = [f"{event['run']['runId']} true {count_fields(event)}" for event in sent]
    assert run(java, sent) == expected


def count_fields(event: Event) -> int:
    facets = (output["facets"].get("columnLineage", {}) for output in event["outputs"])
    made = [field for facet in facets for field in facet.get("fields", {}).values()]
    return sum(len(each["inputFields"]) for each in made)


# -- OpenMetadata ----------------------------------------------------------------------------------


def test_openmetadata_gets_every_edge_by_its_connector(project: Sent, consumers: Path) -> None:
    python = need(consumers, "openmetadata")
    batches = project.to("openmetadata").bodies("/lineage/batch")
    sent = [event for batch in batches for event in batch["events"]]
    answers = [
        json.loads(each) for each in run([python, str(HERE / "openmetadata_reader.py")], sent)
    ]
    assert [each for each in answers if "edges" not in each] == []
    arrived = {(plain(a), plain(b)) for each in answers for a, b in each["edges"]}
    is_table = {edge for edge in arrived if not has_consumer(edge)}
    all_arrive(project, is_table, "OpenMetadata's connector")


def test_batches_fit_the_model_of_openmetadata(project: Sent, consumers: Path) -> None:
    python = need(consumers, "openmetadata")
    batches = project.to("openmetadata", "--batch", "3").bodies("/lineage/batch")
    reader = str(HERE / "openmetadata_batches.py")
    assert run([python, reader], batches) == [str(len(each["events"])) for each in batches]


def test_openmetadata_gets_every_edge_natively(project: Sent, consumers: Path) -> None:
    python = need(consumers, "openmetadata")
    sent = project.to("openmetadata", "--native").bodies("/api/v1/lineage")
    reader = str(HERE / "openmetadata_requests.py")
    answers = [json.loads(each) for each in run([python, reader], sent)]
    arrived = {(plain(a), plain(b)) for each in answers for a, b in each}
    all_arrive(project, arrived, "OpenMetadata's AddLineageRequest")


def plain(column: str) -> str:
    """service.default.schema.table.column      schema.table.column, as lineal names it"""
    name = re.sub(r"^(service|svc)\.(default\.)?", "", column)
    return name.replace('"', "").lower()


def has_consumer(edge: Edge) -> bool:
    """Tests and metrics are called kind:name."""
    return any(re.search(r"(^|\.)(semantic_model|metric|saved_query|test):", end) for end in edge)


# -- DataHub ---------------------------------------------------------------------------------------

FIELD = re.compile(
    r"urn:li:schemaField:\(urn:li:dataset:\(urn:li:dataPlatform:(\w+),(.*),PROD\),(.*)\)"
)


def test_datahub_gets_every_edge_by_its_rules_for_events(project: Sent, consumers: Path) -> None:
    """The rules of DataHub's converter make models of its SDK, which validates them."""
    python = need(consumers, "datahub")
    sent = project.to("datahub").bodies()
    for event in sent:
        check_datahub_rules(event)
    complete = [event for event in sent if event["eventType"] == "COMPLETE"]
    answers = [
        json.loads(each) for each in run([python, str(HERE / "datahub_reader.py")], complete)
    ]
    arrived = {(field_of(a), field_of(b)) for each in answers for a, b in each["edges"]}
    assert "postgres" in {each["platform"] for each in answers if each["edges"]}
    is_table = {edge for edge in arrived if not has_consumer(edge)}
    all_arrive(project, is_table, "DataHub's models, by OpenLineage")


def test_datahub_gets_every_edge_by_its_own_converter(project: Sent, consumers: Path) -> None:
    """The Java code behind DataHub's OpenLineage endpoint makes the models."""
    jars = converter_jars(consumers)
    java = ["java", "-cp", f"{jars}/*", str(HERE / "ConvertEvents.java")]
    pairs = [line.split("\t") for line in run(java, project.to("datahub").bodies())]
    arrived = {(field_of(source), field_of(target)) for source, target in pairs}
    is_table = {edge for edge in arrived if not has_consumer(edge)}
    all_arrive(project, is_table, "DataHub's own converter")


def converter_jars(consumers: Path) -> str:
    """The folder with DataHub's converter: that of the environment, or the published jar."""
    if own := os.environ.get("LINEAL_DATAHUB_CONVERTER"):
        return own
    need(consumers, "converter")
    return str(consumers / "converter")


def test_datahub_gets_every_edge_natively(project: Sent, consumers: Path) -> None:
    python = need(consumers, "datahub")
    server = project.to("datahub", "--native", python=python)
    arrived: set[Edge] = set()
    for body in server.bodies("ingestProposal"):
        proposal = body["proposal"]
        assert (proposal["aspectName"], proposal["changeType"]) == ("upstreamLineage", "PATCH")
        for change in json.loads(proposal["aspect"]["value"]):
            if change["path"].startswith("/fineGrainedLineages/"):
                _, _, text, target, _, source = change["path"].split("/")
                assert unescape(text) not in ("", "NONE")
                arrived.add((field_of(unescape(source)), field_of(unescape(target))))
    all_arrive(project, arrived, "DataHub's patches of upstreamLineage")


def test_a_web_page_takes_nothing_from_datahubs_sdk(consumers: Path, tmp_path: Path) -> None:
    python, left = need(consumers, "datahub"), tmp_path / "left.ndjson"
    with Recorder(page_answer) as server:
        command = [python, "-m", "lineal", "emit", str(ROOT / "examples" / "sales")]
        command += ["--to", "datahub", "--native", "--url", server.url, "--unsent", str(left)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and "answers with a web page" in done.stderr, done.stderr
    assert len(left.read_text().splitlines()) == 2


def unescape(part: str) -> str:
    """a~1b      a/b, as a JSON pointer has it"""
    return part.replace("~1", "/").replace("~0", "~")


def field_of(urn: str) -> str:
    found = FIELD.fullmatch(unquote(urn))
    assert found is not None, urn
    assert found[1] == ("file" if "/" in found[2] else "postgres")
    return f"{found[2]}.{found[3]}".lower()


def check_datahub_rules(event: Event) -> None:
    """Raise AssertionError for an event of which DataHub's converter makes no column lineage.

    It takes run events only, asks for the engine of a run (else "Unable to determine
    orchestrator"), reads the `fields` of columnLineage, and files whatever has a symlink under Hive;
    every dataset of a field must be listed.
    """
    assert event["eventType"] in ("START", "COMPLETE")
    assert event["run"]["runId"]
    assert event["run"]["facets"]["processing_engine"]["name"]
    assert event["job"]["namespace"] and event["job"]["name"]
    listed = {(each["namespace"], each["name"]) for each in event["inputs"]}
    for dataset in (*event["inputs"], *event["outputs"]):
        assert "symlinks" not in dataset["facets"]
    for output in event["outputs"]:
        for made in output["facets"].get("columnLineage", {}).get("fields", {}).values():
            for source in made["inputFields"]:
                assert (source["namespace"], source["name"]) in listed


def test_job_events_are_what_datahub_refuses() -> None:
    source = Source(paths=(str(ROOT / "examples" / "sales"),))
    graph, corpus = graph_and_corpus(source)
    for event in events(report_of_all(graph), emission_of(Form(events="job"), source, corpus)):
        with pytest.raises((AssertionError, KeyError)):
            check_datahub_rules(event)


# -- Unity Catalog and Purview ---------------------------------------------------------------------


@pytest.mark.parametrize("catalog", ["unity", "purview"])
def test_requests_fit_the_models_of_the_vendors_sdk(
    catalog: str, project: Sent, consumers: Path
) -> None:
    python = need(consumers, "models")
    asked = project.to(catalog).asked
    told = [{"method": method, "path": path, "body": body} for method, path, body in asked]
    (answer,) = run([python, str(HERE / "model_checks.py"), catalog], told)
    arrived = {(tail(a), tail(b)) for a, b in json.loads(answer)}
    all_arrive(project, arrived, f"the models of {catalog}")


def tail(column: str) -> str:
    """Return a column without the server that it is on."""
    return re.sub(r"^(postgres://db:5432/|db:5432\.)", "", column).lower()
