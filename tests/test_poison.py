"""One poison statement among 10,000 leaves the other 9,999 results unchanged, and is listed with
its file and line.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result

import lineal
import lineal.rules as lineal_rules
from lineal.cli import main, serve
from lineal.cli.source import Source
from lineal.model.diagnostic import Code, Severity
from lineal.web.server import Request

COUNT = 10_000
POISONS = {
    "no SQL": "SELECT FROM WHERE GROUP",
    "an open quote": "SELECT 'a FROM t",
    "nested too deeply": f"SELECT {'(' * 5000}a{')' * 5000} FROM t",
    "binary": "SELECT \x01\x02 \ufffd ]]> FROM",
    "another language": "import os; os.system('true')",
}


def statement(number: int) -> str:
    return f"CREATE VIEW v{number} AS SELECT a{number % 7} AS x, sum(b) AS y FROM s{number % 11} WHERE c > 1 GROUP BY 1"


def folder(path: Path, texts: list[str]) -> tuple[Path, list[tuple[str, int]]]:
    path.mkdir()
    for number, text in enumerate(texts):
        (path / f"{number:05}.sql").write_text(text, encoding="utf-8")
    return path, [(str(path / f"{number:05}.sql"), 1) for number in range(len(texts))]


def log(path: Path, texts: list[str]) -> tuple[Path, list[tuple[str, int]]]:
    file = path.with_suffix(".jsonl")
    file.write_text(
        "".join(json.dumps({"query_text": text}) + "\n" for text in texts), encoding="utf-8"
    )
    return file, [(str(file), number + 1) for number in range(len(texts))]


def results(found: lineal.Lineage) -> dict[str, list[tuple[object, ...]]]:
    """All facts about each dataset, without places, which an extra line moves."""
    said: dict[str, list[tuple[object, ...]]] = {}
    for edge in found.edges:
        usages = [(usage.way, usage.doubt, usage.calls) for usage in edge.usages]
        said.setdefault(edge.into.name, []).append((edge.source, edge.target, usages, edge.score))
    for read in found.reads:
        said.setdefault(read.target.name, []).append(read[:4])
    for info in found.datasets:
        said.setdefault(info.dataset.name, []).append((info.kind, info.names, info.complete))
    return said


@pytest.mark.parametrize("made", [folder, log])
@pytest.mark.parametrize("poison", POISONS)
def test_poison(
    tmp_path: Path, made: Callable[..., tuple[Path, list[tuple[str, int]]]], poison: str
) -> None:
    count = COUNT if poison == "no SQL" else 300
    texts = [statement(number) for number in range(count)]
    clean = lineal.lineage(made(tmp_path / "clean", texts)[0])
    assert clean.diagnostics == []
    at = count // 3
    texts.insert(at, POISONS[poison])
    source, places = made(tmp_path / "poisoned", texts)
    found = lineal.lineage(source)
    assert {(each.place.file, each.place.line) for each in found.diagnostics if each.place} == {
        places[at]
    }
    gc.collect()  # what 10,000 statements leave behind is not for the next test to go through
    before, after = results(clean), results(found)
    assert len(before) == count + 11 and {name: after[name] for name in before} == before


# -- lineal itself fails ---------------------------------------------------------------------------

GOOD = {
    "orders.sql": "CREATE TABLE orders (id INT, amount INT, status TEXT);\nINSERT INTO orders SELECT * FROM raw_orders",
    "paid.sql": "CREATE VIEW paid AS SELECT id, amount * 2 AS double FROM orders WHERE status = 'paid'",
    "totals.sql": "SELECT status, sum(amount) AS total FROM orders GROUP BY status",
    "open.sql": "CREATE VIEW open AS SELECT * FROM elsewhere",
    "closed.sql": "CREATE VIEW closed AS SELECT o.a, p.double FROM open AS o JOIN paid AS p ON o.id = p.id",
    "script.sql": "CREATE TEMP TABLE t AS SELECT id FROM orders;\nCREATE VIEW kept AS SELECT id FROM t",
}
POISONED = {
    "poison.sql": "-- the second line\nCREATE VIEW poison AS SELECT *, id + 1 AS next FROM unheard_of WHERE amount > 1",
    "user.sql": "CREATE VIEW user_of_poison AS SELECT q.a, q.b FROM poison AS q",
}
"""A statement that lineal fails over, and one that reads its dataset."""

READER = "user_of_poison"


class Venom(Exception):
    """Values that no code expects."""


def is_poison(*found: object) -> bool:
    """Whether any of these is about the poisoned statement."""
    return any(
        "unheard_of" in str(each) or "poison.sql" in str(each) or str(each) == "poison"
        for each in found
    )


class Stage(NamedTuple):
    """A part of lineal, and how to see in its arguments which statement it works on."""

    targets: str
    """its names, wherever it is imported"""
    about: Callable[..., object]


STAGES = {
    "reading": Stage("lineal.projects.files.read_text", lambda path, report: path),
    "words": Stage("lineal.extract.sql.parse.words", lambda script: script.text),
    "parsing": Stage(
        "lineal.extract.sql.parse.parse_words lineal.extract.sql.repairs.parse_words",
        lambda words, dialect, text, *_: text,
    ),
    "grammar": Stage(
        "lineal.resolve.scripts.ScriptReader.prepare", lambda self, script: script.file
    ),
    "a whole script": Stage(
        "lineal.resolve.gathering.Gatherer.add_script",
        lambda self, script: script.reading.script.file,
    ),
    "planning": Stage("lineal.resolve.scripts.plan_of", lambda tree, facts: tree.sql()),
    "names": Stage(
        "lineal.resolve.scripts.ScriptReader.fully_named", lambda self, step, naming: step.name
    ),
    "order": Stage(
        "lineal.resolve.gathering.order_matters", lambda steps: next(step.key for step in steps)
    ),
    "adding": Stage(
        "lineal.resolve.gathering.Gatherer.add_plan", lambda self, plan, *rest: plan.name
    ),
    "evaluating": Stage("lineal.resolve.frames.query", lambda tree, *rest: tree.sql()),
    "scopes": Stage("lineal.extract.sql.query.Scope", lambda evaluation, *rest: evaluation.target),
    "edges": Stage("lineal.resolve.output.name_dataset", lambda frame, target, *rest: target),
    "stars": Stage(
        "lineal.resolve.stars.Stars.add_closing",
        lambda self, origin, way, target, *rest: target.dataset,
    ),
    "star report": Stage(
        "lineal.resolve.stars.node_of_unnamed", lambda node: node.sql() if node is not None else ""
    ),
    "places": Stage(
        "lineal.extract.sql.reading.Reading.place", lambda self, trail: self.script.text
    ),
    "texts": Stage(
        "lineal.extract.sql.reading.Reading.item_around", lambda self, offset: self.script.text
    ),
    "call paths": Stage(
        "lineal.extract.sql.reading.Reading.calls", lambda self, trail: self.script.text
    ),
    "reads": Stage("lineal.resolve.output.evaluations_of", lambda definition: definition.target),
    "types": Stage(
        "lineal.extract.sql.types.queries.Typing.statement", lambda self, tree, with_: tree.sql()
    ),
    "columns": Stage(
        "lineal.resolve.datasets.DatasetInfos.describe",
        lambda self, entry, learnt: entry.dataset,
    ),
    "graph": Stage("lineal.graph.graph.Graph._add", lambda self, edge: edge.into),
    "view of edges": Stage("lineal.views.json.edge", lambda report, edge: edge.into),
    "view of datasets": Stage(
        "lineal.views.json.dataset",
        lambda report, dataset: dataset if dataset.name == "poison" else "",
    ),
}
VENOMS = (Venom, RecursionError, MemoryError, KeyError, AssertionError)


def poison_stage(stage: str, venom: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on a part of lineal fails, but only over the poisoned statement."""
    targets, about = STAGES[stage]
    sound: Any = getattr(*holder_of(targets.split()[0]))

    def poisoned(*arguments: Any, **named: Any) -> Any:
        if is_poison(about(*arguments, **named)):
            raise venom("poison")
        return sound(*arguments, **named)

    for target in targets.split():
        monkeypatch.setattr(*holder_of(target), poisoned)


def holder_of(target: str) -> tuple[Any, str]:
    """The module or class that has an attribute, and the attribute's name."""
    *names, attribute = target.split(".")
    classes = [name for name in names if name.lstrip("_")[:1].isupper()]
    holder: Any = import_module(".".join(names[: len(names) - len(classes)]))
    for name in classes:
        holder = getattr(holder, name)
    return holder, attribute


def project(path: Path, files: Mapping[str, str]) -> Path:
    path.mkdir()
    for name, text in files.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


Said = dict[str, list[object]]


def said_of(shown: Mapping[str, Any]) -> Said:
    """What the JSON says of each dataset: its columns, the edges into it and what its statements
    read.
    """
    found: Said = {}
    for dataset in shown["datasets"]:
        found.setdefault(dataset["name"], []).append(dataset)
    for edge in shown["edges"]:
        found.setdefault(edge["target"]["dataset"], []).append(without_folder(edge))
    for read in shown["reads"]:
        found.setdefault(read["target"], []).append(without_folder(read))
    return {name: said for name, said in found.items() if name not in ("poison", "unheard_of")}


def without_folder(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: Path(each).name if key == "file" else without_folder(each)
            for key, each in value.items()
        }
    return [without_folder(each) for each in value] if isinstance(value, list) else value


def lineage_of(folder: Path) -> tuple[dict[str, Any], Result]:
    result = invoke("lineage", folder, "--output", "json", "--no-cache")
    return json.loads(result.stdout), result


@pytest.mark.poisoned
@pytest.mark.parametrize("stage", STAGES)
def test_a_failure_at_each_stage(
    tmp_path: Path, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = project(tmp_path / "whole", {**GOOD, **POISONED})
    rest = project(tmp_path / "rest", {**GOOD, "user.sql": POISONED["user.sql"]})
    sound, fine = lineage_of(whole)
    assert fine.exit_code == 0
    apart = lineage_of(rest)[0]
    for venom in VENOMS if stage in ("parsing", "evaluating", "places") else (Venom,):
        with monkeypatch.context() as patched:
            poison_stage(stage, venom, patched)
            found, result = lineage_of(whole)
        check_error(found, result, sound, venom.__name__)
        said, whole_said, rest_said = map(said_of, (found, sound, apart))
        reader = said.pop(READER), whole_said.pop(READER), rest_said.pop(READER)
        assert said == whole_said == rest_said
        # what cannot be shown at all has no edges
        assert reader[0] in reader[1:] or stage == "view of datasets"


def check_error(found: dict[str, Any], result: Result, sound: dict[str, Any], venom: str) -> None:
    errors = [each for each in found["diagnostics"] if each["code"] == "internal-error"]
    assert len(errors) == 1 and errors[0]["severity"] == "error"
    assert Path(errors[0]["place"]["file"]).name == "poison.sql" and errors[0]["place"]["line"] in (
        1,
        2,
    )
    assert venom in errors[0]["message"] and re.search(
        r"\(trace [0-9a-f]{8}\)", errors[0]["message"]
    )
    assert result.exit_code == 1 and "error[internal-error]" in result.stderr
    assert found["coverage"]["percent"] < sound["coverage"]["percent"]
    files, statements = found["coverage"]["files"], found["coverage"]["statements"]
    assert files["rendered"] < files["due"] or statements["evaluated"] < statements["found"]


@pytest.mark.poisoned
def test_debugging_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project(tmp_path / "project", {**GOOD, **POISONED})
    monkeypatch.setenv("LINEAL_DEBUG", "1")
    for stage in (
        "reading",
        "parsing",
        "planning",
        "evaluating",
        "edges",
        "places",
        "graph",
        "view of edges",
    ):
        with monkeypatch.context() as patched, pytest.raises(Venom):
            poison_stage(stage, Venom, patched)
            lineal.lineage(folder).to("json")


@pytest.mark.poisoned
def test_the_interface_for_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project(tmp_path / "project", {**GOOD, **POISONED})
    sound = results(lineal.lineage(folder))
    poison_stage("evaluating", Venom, monkeypatch)
    found = lineal.lineage(folder)
    assert [each.code for each in found.diagnostics if each.severity is Severity.ERROR] == [
        Code.INTERNAL_ERROR
    ]
    assert found.coverage.percent < 100
    said = results(found)
    assert all(
        said[name] == sound[name] for name in ("orders", "paid", "totals", "open", "closed", "kept")
    )
    assert "Venom: poison" in found.to("json")


@pytest.mark.poisoned
def test_a_look_up_that_fails_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = lineal.lineage(project(tmp_path / "project", {**GOOD, **POISONED}))
    resolved, percent = found.coverage.statements.evaluated, found.coverage.percent
    assert not any(each.code is Code.INTERNAL_ERROR for each in found.diagnostics)
    poison_stage("places", Venom, monkeypatch)
    places = [usage.place for edge in found.edges for usage in edge.usages]
    assert None in places and any(places)
    assert [each.code for each in found.diagnostics if each.severity is Severity.ERROR] == [
        Code.INTERNAL_ERROR
    ]
    assert found.coverage.statements.evaluated == resolved - 1 and found.coverage.percent < percent


@pytest.mark.poisoned
@pytest.mark.parametrize("stage", ["planning", "evaluating", "edges", "texts"])
def test_worker_processes(tmp_path: Path, stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {f"{number}.sql": statement(number) for number in range(150)}
    folder = project(tmp_path / "project", {**texts, **GOOD, **POISONED})
    sound = said_of(lineage_of(folder)[0])
    monkeypatch.setattr("lineal.incremental.parallel.FEWEST", 10)
    poison_stage(stage, Venom, monkeypatch)
    result = invoke("lineage", folder, "--output", "json", "--no-cache", "--jobs", "2")
    assert result.exit_code == 1 and result.stderr.count("internal-error") == 1
    said = said_of(json.loads(result.stdout))
    assert {name: said[name] for name in said if name != READER} == {
        name: sound[name] for name in sound if name != READER
    }


@pytest.mark.poisoned
def test_a_failure_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails today may go well tomorrow: neither a record of the statement nor the view is
    kept.
    """
    monkeypatch.setenv("LINEAL_CACHE", str(tmp_path / "cache"))
    folder = project(tmp_path / "project", {**GOOD, **POISONED})
    with monkeypatch.context() as patched:
        poison_stage("planning", Venom, patched)
        for _ in range(2):
            assert invoke("lineage", folder).stderr.count("error[internal-error]") == 1
    assert invoke("lineage", folder).exit_code == 0


COMMANDS = {
    "lineage": ("lineage", "PROJECT"),
    "one node": ("lineage", "PROJECT", "-n", "paid"),
    "impact": ("impact", "orders.amount", "PROJECT"),
    "validate": ("validate", "PROJECT"),
    "some rules": ("validate", "PROJECT", "--select", "A020"),
    "context": ("context", "orders.amount", "PROJECT"),
    "unused": ("unused", "PROJECT"),
    "unused patch": ("unused", "PROJECT", "--patch"),
    "selection": ("diff", "BEFORE", "PROJECT", "--select"),
    "describe": ("describe", "PROJECT"),
    "emit": ("emit", "PROJECT"),
    "show": ("show", "PROJECT", "--out", "OUT/page.html", "--no-open"),
    "diff": ("diff", "BEFORE", "PROJECT"),
    "store": ("store", "load", "PROJECT", "--store", "OUT/store.db"),
    "save": ("lineage", "PROJECT", "--save", "OUT/saved.lineal.json"),
}


@pytest.mark.poisoned
@pytest.mark.parametrize(
    ("command", "stage"),
    [(command, stage) for command in COMMANDS for stage in ("evaluating", "columns")]
    + [(command, "places") for command in ("show", "store", "save")],
)
def test_every_command_survives_a_failure(
    tmp_path: Path, command: str, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {
        "PROJECT": project(tmp_path / "project", {**GOOD, **POISONED}),
        "BEFORE": project(tmp_path / "before", GOOD),
        "OUT": project(tmp_path / "out", {}),
    }
    arguments = " ".join(COMMANDS[command])
    for name, path in places.items():
        arguments = arguments.replace(name, str(path))
    poison_stage(stage, Venom, monkeypatch)
    result = invoke(*arguments.split(), "--no-cache")
    assert result.exit_code == 1, result.output
    assert "internal-error" in result.output and "poison.sql" in result.output
    assert command not in ("lineage", "one node") or "double" in result.stdout


# -- in every kind of input ------------------------------------------------------------------------


EVENT = {
    "eventType": "COMPLETE", "eventTime": "2026-01-01T00:00:00Z", "producer": "https://example.com",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
}  # fmt: skip


def event(name: str) -> str:
    dataset = {"namespace": "db", "name": name}
    run = {"run": {"runId": name}, "job": {"namespace": "jobs", "name": name}}
    return json.dumps(
        {**EVENT, **run, "inputs": [{"namespace": "db", "name": "source"}], "outputs": [dataset]}
    )


INPUTS = {
    "templates": (
        {
            "lineal.yml": "name: shop\ndialect: duckdb\n",
            "nodes/good/good.sql": "SELECT {{ 'a' }} FROM t",
            "nodes/poison/poison.sql": "SELECT {{ 'b' }} FROM t",
        },
        Stage("lineal.projects.render._Bench.rendering", lambda self, template: template.file),
    ),
    "nodes": (
        {
            "lineal.yml": "name: shop\ndialect: duckdb\n",
            "nodes/good/good.sql": "SELECT a FROM t",
            "nodes/poison/poison.sql": "SELECT b FROM t",
        },
        Stage("lineal.projects.nodes.read_node", lambda files, report: files.stem),
    ),
    "dbt models": (
        {
            "dbt_project.yml": "name: shop\nprofile: shop\n",
            "models/good.sql": "{% if true %}SELECT a FROM t{% endif %}",
            "models/poison.sql": "{% if true %}SELECT b FROM t{% endif %}",
        },
        Stage("lineal.projects.dbt.rendering.made_of", lambda node, rendering: node.file),
    ),
    "dbt files": (
        {
            "dbt_project.yml": "name: shop\nprofile: shop\n",
            "models/good.sql": "SELECT a FROM t",
            "models/poison.sql": "SELECT b FROM t",
        },
        Stage("lineal.projects.dbt.files.read_text", lambda path, report: path),
    ),
    "rows of a log": (
        {
            "log.jsonl": '{"sql": "CREATE VIEW good AS SELECT a FROM t"}\n{"sql": "SELECT a FROM unheard_of"}\n'
        },
        Stage(
            "lineal.projects.logs.statements.Statements.alike",
            lambda self, entry, report: entry.text,
        ),
    ),
    "events": (
        {"events.ndjson": f"{event('good')}\n{event('poison')}\n"},
        Stage(
            "lineal.projects.openlineage.runs._event",
            lambda written, report: written.value["job"]["name"],
        ),
    ),
    "programs": (
        {
            "good.py": "spark.table('t').select('a').write.saveAsTable('good')\n",
            "poison.py": "spark.table('t').select('b').write.saveAsTable('poison')\n",
        },
        Stage(
            "lineal.extract.pyspark.program.Program.enter",
            lambda self, file: file.path.replace("poison.py", "poison.sql"),
        ),
    ),
    "files of programs": (
        {
            "good.py": "spark.table('t').select('a').write.saveAsTable('good')\n",
            "poison.py": "spark.table('t').select('b').write.saveAsTable('poison')\n",
        },
        Stage(
            "lineal.extract.pyspark.files.python_of",
            lambda text, path: path.replace("poison.py", "poison.sql"),
        ),
    ),
}


@pytest.mark.poisoned
@pytest.mark.parametrize("kind", INPUTS)
def test_a_failure_over_a_part_of_any_input(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, stage = INPUTS[kind]
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    source = next((tmp_path / name for name in files if name.endswith(("json", "jsonl"))), tmp_path)
    sound = lineal.lineage(source)
    monkeypatch.setitem(STAGES, "here", stage)
    poison_stage("here", Venom, monkeypatch)
    found = lineal.lineage(source)
    errors = [each for each in found.diagnostics if each.code is Code.INTERNAL_ERROR]
    assert len(errors) == 1 and errors[0].place is not None and "Venom: poison" in errors[0].message
    assert found.coverage.percent < sound.coverage.percent == 100
    said, whole = results(found), results(sound)
    assert said["good"] == whole["good"]
    assert not any(edge.into.name == "poison" for edge in found.edges)


@pytest.mark.poisoned
def test_a_rule_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project(tmp_path / "project", GOOD)
    before = invoke("validate", folder, "--output", "json")

    def fail(subject: object) -> list[object]:
        raise Venom("poison")

    rules = [
        rule._replace(find=fail) if rule.code == "A051" else rule for rule in lineal_rules.RULES
    ]
    monkeypatch.setattr(lineal_rules, "RULES", tuple(rules))
    for arguments in ((), ("--select", "A051,A020")):
        result = invoke("validate", folder, "--output", "json", *arguments)
        assert (
            result.exit_code == 1 and "lineal failed on rule A051: Venom: poison" in result.output
        )
    after = json.loads(invoke("validate", folder, "--output", "json").stdout)["findings"]
    assert [each for each in after if each["code"] != "internal-error"] == json.loads(
        before.stdout
    )["findings"]


@pytest.mark.poisoned
def test_the_server_survives_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project(tmp_path / "project", {**GOOD, **POISONED})
    poison_stage("evaluating", Venom, monkeypatch)
    routes = serve._page(Source((str(folder),), use_cache=False))
    answer = json.loads(routes["GET", "/api/lineage"](Request("GET", "/api/lineage", b"", {})).body)
    assert [each["code"] for each in answer["diagnostics"] if each["severity"] == "error"] == [
        "internal-error"
    ]
    asked = Request("GET", "/api/trace", b"", {"column": "paid.double"})
    assert json.loads(routes["GET", "/api/trace"](asked).body)["edges"]


# -- programs that are looked at together ----------------------------------------------------------

PROGRAM = """from pyspark.sql import SparkSession


def {0}(spark):
    spark.table("raw_{0}").select("a").write.saveAsTable("made_{0}")
"""
TOGETHER = {
    "imports": Stage(
        "lineal.extract.pyspark.modules.ModuleIndex.imports",
        lambda self, node, file: Path(file.script.file).stem,
    ),
    "names of functions": Stage(
        "lineal.extract.pyspark.open_calls.names_in", lambda node: node.name
    ),
}


@pytest.mark.poisoned
@pytest.mark.parametrize("stage", TOGETHER)
def test_a_program_that_fails_before_it_is_run(
    tmp_path: Path, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What looks at all programs at once leaves out the one that it fails over."""
    names = ("first", "poison", "second", "third")
    folder = project(tmp_path / "jobs", {f"{name}.py": PROGRAM.format(name) for name in names})
    monkeypatch.setitem(STAGES, stage, TOGETHER[stage])
    poison_stage(stage, Venom, monkeypatch)
    found, result = lineage_of(folder)
    made = {edge["target"]["dataset"] for edge in found["edges"]}
    assert made >= {"made_first", "made_second", "made_third"}
    errors = [each for each in found["diagnostics"] if each["code"] == Code.INTERNAL_ERROR.code]
    assert [Path(each["place"]["file"]).name for each in errors] == ["poison.py"]
    assert result.exit_code == 1
    assert found["coverage"]["percent"] < 100
