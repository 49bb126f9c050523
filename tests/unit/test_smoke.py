"""The smoke run reads every command of a page, knows where it belongs, and fails when one is
misspelt or not covered.

`make smoke` itself runs the commands in fresh environments; here its parts are tried with the
Python of the tests.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path

import pytest

from smoke import workplace
from smoke.documents import (
    FOLDERS,
    Form,
    Shown,
    Unreadable,
    commands_of,
    overlooked_calls,
    pages,
    shown_in,
)
from smoke.environments import Environment
from smoke.plan import (
    EXTRAS,
    Action,
    Answer,
    Note,
    Notes,
    Parsed,
    Setup,
    Step,
    Uncovered,
    make_plan,
    plan,
    read_notes,
    refusals,
)
from smoke.running import INSIDE, Room

ROOT = Path(__file__).resolve().parents[2]
NOTES = ROOT / "tools" / "smoke" / "commands.toml"

PAGE = """\
# A page

Call `lineal show`, or `lineal diff
main`; `make test` and `lineal.yml` are no commands of lineal.

| | |
|---|---|
| `lineal impact t.a --change drop` | what breaks |

```sh
pip install 'lineal[spark]'     # and Java
# a comment
lineal run \\
  --select '+a # b'
```

```console
$ lineal lineage models/
a  b
$ lineal validate
```

    lineal serve                   the page
    X=1 lineal lineage "a  b"      with a variable
    lineal.yml                     a file

```yaml
- run: lineal validate --output github
- name: lineal
```

```text
$ lineal history v.a
FROM  TO
```

```python
>>> import lineal
>>> 1 + 1
2
```

```python
import lineal

lineal.lineage("models/").show()
```

```python
def model(dbt, session):
    return dbt.ref("a")
```

- an item

      lineal lineage log.csv --log-text stmt

From Python: `lineal.lineage("a.sql")`.
"""


def test_every_form_of_a_command_is_read() -> None:
    assert [(one.line, one.form, one.text, one.output) for one in shown_in("page.md", PAGE)] == [
        (3, Form.INLINE, "lineal show", None),
        (3, Form.INLINE, "lineal diff main", None),
        (4, Form.INLINE, "make test", None),
        (8, Form.INLINE, "lineal impact t.a --change drop", None),
        (11, Form.SHELL, "pip install 'lineal[spark]'", None),
        (13, Form.SHELL, "lineal run --select '+a # b'", None),
        (18, Form.CONSOLE, "lineal lineage models/", "a  b\n"),
        (20, Form.CONSOLE, "lineal validate", ""),
        (23, Form.INDENTED, "lineal serve", None),
        (24, Form.INDENTED, 'X=1 lineal lineage "a  b"', None),
        (28, Form.STEP, "lineal validate --output github", None),
        (33, Form.EXAMPLE, "lineal history v.a", None),
        (37, Form.SESSION, ">>> import lineal\n>>> 1 + 1\n2\n", None),
        (43, Form.PYTHON, 'import lineal\n\nlineal.lineage("models/").show()\n', None),
        (56, Form.INDENTED, "lineal lineage log.csv --log-text stmt", None),
        (58, Form.PYTHON, 'import lineal\nlineal.lineage("a.sql")\n', None),
    ]
    assert overlooked_calls("page.md", PAGE) == []


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("```fish\nlineal lineage models/\n```\n", ["page.md:2: lineal lineage models/"]),
        ("```sql\n$ lineal lineage models/\n```\n", ["page.md:2: $ lineal lineage models/"]),
        ("    lineol lineage models/\n", ["page.md:1: lineol lineage models/"]),
        ("    Lineal lineage models/\n", ["page.md:1: Lineal lineage models/"]),
        ("Call `linael show models/`.\n", ["page.md:1: `linael show models/`"]),
        ("Call `linear regression` or `lineage df`.\n", ["page.md:1: `linear regression`"]),
    ],
)
def test_text_that_only_looks_like_a_command_is_found(text: str, places: list[str]) -> None:
    assert overlooked_calls("page.md", text) == places


def test_a_block_without_an_end_is_an_error() -> None:
    with pytest.raises(Unreadable, match=r"page\.md:2"):
        shown_in("page.md", "text\n```sh\nlineal show\n")


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("lineal lineage models/", "base"),
        ("lineal lineage log.jsonl --engine sql", "base"),
        ("lineal lineage examples/shop --engine both", "spark"),
        ("lineal lineage postgresql:///shop --engine both", "postgres"),
        ("lineal store load models/ --store postgresql://ann@host/x", "postgres"),
        ("lineal lineage models/ --schema-from sqlite:///a.db", "sqlalchemy"),
        ("PYSPARK_PYTHON=python3 lineal pipeline log.jsonl --out out", "spark"),
        ("lineal run", "spark"),
        ("lineal capture job.py", "spark"),
        ("lineal emit models/ --to events.ndjson", "base"),
        ("lineal emit models/ --url http://localhost:5000", "openlineage"),
        ("lineal history run.pipeline", "base"),
    ],
)
def test_the_extra_of_a_command(command: str, extra: str) -> None:
    [step] = plan([Shown("page.md", 1, Form.INDENTED, command, 1)], Notes({}, []), {})
    assert (step.action, step.extra) == (Action.RUN, extra)


def test_a_block_that_installs_an_extra_belongs_to_it() -> None:
    steps = plan(
        shown_in("page.md", "```sh\npip install 'lineal[jupyter]'\nlineal show\n```\n"),
        Notes({}, []),
        {},
    )
    assert [(step.action, step.extra) for step in steps] == [
        (Action.INSTALL, "base"),
        (Action.RUN, "jupyter"),
    ]


def test_notebook_examples_run_with_and_without_widgets() -> None:
    steps = plan(
        shown_in("page.md", "```python\nimport lineal\nlineal.lineage('a').show()\n```\n"),
        Notes({}, []),
        {},
    )
    assert [step.extra for step in steps] == ["base", "jupyter"]


def test_a_command_in_the_text_is_run_once_and_only_if_it_is_whole() -> None:
    text = "`lineal show`, `lineal show`, `lineal show --out`, `lineal show FILE`, `lineal serve`\n\n    lineal serve\n"
    parsed = {
        name: Parsed("complete", "") for name in ("lineal show", "lineal show FILE", "lineal serve")
    }
    steps = plan(
        shown_in("page.md", text),
        Notes({}, []),
        {**parsed, "lineal show --out": Parsed("partial", "")},
    )
    assert [step.action for step in steps] == [
        Action.RUN,
        Action.MENTION,
        Action.MENTION,
        Action.MENTION,
        Action.MENTION,
        Action.RUN,
    ]


def test_notes_name_commands_that_are_not_run() -> None:
    shown = shown_in(
        "page.md",
        "    lineal run --master yarn\n    lineal run --master k8s\n    lineal validate\n",
    )
    notes = {
        "lineal run --master yarn": Note(needs="YARN"),
        "lineal run --master k8s": Note(needs="Kubernetes", run="lineal run"),
        "lineal validate": Note(code=1),
    }
    assert plan(shown, Notes(notes, []), {}) == [
        Step(shown[0], Action.CHECK, "base", "lineal run --master yarn", "needs YARN"),
        Step(shown[1], Action.RUN, "spark", "lineal run", "needs Kubernetes"),
        Step(shown[2], Action.RUN, "base", "lineal validate", code=1),
    ]


def test_one_command_of_each_kind_is_run_without_its_extra() -> None:
    shown = shown_in("page.md", "".join(f"    {command}\n" for command in NEEDY))
    assert [
        step.text
        for step in refusals(plan(shown, Notes({NEEDY[-1]: Note(run="lineal run a")}, []), {}))
    ] == [
        "lineal run",
        "lineal capture job.py",
        "lineal lineage a --engine both",
        "lineal lineage postgresql:///a",
    ]


NEEDY = (
    "lineal lineage a",
    "lineal run",
    "lineal run --resume",
    "lineal capture job.py",
    "lineal lineage a --engine both",
    "lineal lineage b --engine catalyst",
    "lineal lineage postgresql:///a",
    "lineal lineage postgresql:///a --engine both",
    "X=1 lineal pipeline a --out b",
    "lineal pipeline a --out b",
)


def test_a_note_about_a_command_that_is_gone_is_an_error() -> None:
    with pytest.raises(Uncovered, match="no page shows this any more: lineal show"):
        plan(
            shown_in("page.md", "    lineal serve\n"),
            Notes({"lineal show": Note(needs="eyes")}, []),
            {},
        )
    with pytest.raises(Uncovered, match=r"there is no page other\.md"):
        plan(shown_in("page.md", "    lineal serve\n"), Notes({}, [Setup("other.md", "true")]), {})


def test_notes_are_read_strictly(tmp_path: Path) -> None:
    notes = tmp_path / "commands.toml"
    notes.write_text(
        '[[setup]]\npage = "a.md"\nrun = "true"\n[[command]]\ntext = "lineal show"\ncode = 2\n'
    )
    assert read_notes(notes) == Notes({"lineal show": Note(code=2)}, [Setup("a.md", "true")])
    notes.write_text('[[comand]]\ntext = "lineal show"\n')
    with pytest.raises(Uncovered, match="unknown key: comand"):
        read_notes(notes)
    notes.write_text('[[command]]\ntext = "lineal show"\nneed = "eyes"\n')
    with pytest.raises(Uncovered, match="unknown key: need"):
        read_notes(notes)


def ask(requests: list[list[str]]) -> Answer:
    """What the lineal of the tests says of arguments."""
    command = [sys.executable, str(INSIDE / "arguments.py")]
    done = subprocess.run(
        command, input=json.dumps(requests), capture_output=True, text=True, check=True
    )
    answer = json.loads(done.stdout)
    return Answer([Parsed(*one) for one in answer["found"]], set(answer["options"]))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The documents, and what a plan needs in addition."""
    for name in ("README.md", "pyproject.toml", "Makefile"):
        shutil.copy(ROOT / name, tmp_path / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / "docs" / name, tmp_path / "docs" / name)
    return tmp_path


def test_every_command_of_the_documents_has_a_step() -> None:
    steps = make_plan(ROOT, read_notes(NOTES), ask)
    assert {step.shown for step in steps} == set(commands_of(ROOT))
    assert {step.extra for step in steps if step.action is Action.RUN} == set(EXTRAS)
    assert {step.shown.page for step in steps} >= {
        "README.md",
        "docs/how-to/run.md",
        "docs/how-to/pipeline.md",
    }


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("docs/how-to/diff.md", "`lineal diff main topic`", "`lineal dif main topic`", "has no command dif"),
        ("docs/how-to/diff.md", "`lineal diff main topic`", "`lineal diff --hed topic`", "No such option '--hed'"),
        ("docs/how-to/store.md", "`lineal store query ", "`lineal store qery ", "store has no command qery"),
        ("docs/how-to/ci.md", "[`--fail-under`]", "[`--fail-udner`]", "no command has the option --fail-udner"),
        ("docs/how-to/query-logs.md", "      lineal lineage h", "      linael lineage h", "linael .* is not read"),
        ("docs/how-to/run.md", "```sh\npip", "```fish\npip", "lineal run .* is not read as one"),
        ("docs/how-to/run.md", "lineal run --resume", "lineal rnu --resume", "lineal has no command rnu"),
        ("docs/how-to/run.md", "lineal run --resume", "lineal run --resmue", "No such option '--resmue'"),
        ("docs/how-to/pipeline.md", "--format files ", "--fromat files ", "No such option '--fromat'"),
        ("docs/how-to/capture.md", "capture job.py --save", "captrue job.py --save", "has no command captrue"),
        ("README.md", "`make demo`", "`make demmo`", "the Makefile has no target demmo"),
        ("docs/how-to/run.md", "'lineal[spark]'", "'lineal[sprak]'", "the extra sprak has no environment"),
        ("docs/how-to/run.md", "'lineal[spark]'", "'lineal[spark,postgres]'", "no environment is made for"),
        ("docs/how-to/pipeline-cluster.md", "--master yarn", "--master yran", "no page shows this any more"),
        ("pyproject.toml", "\njupyter = ", "\njuypter = ", "there is no extra jupyter"),
        ("pyproject.toml", "\nweb = ", "\nexcel = [\"openpyxl\"]\nweb = ", "the extra excel has no environment"),
    ],
)  # fmt: skip
def test_misspelled_or_missing_names_fail(
    copy: Path, name: str, old: str, new: str, message: str
) -> None:
    text = (copy / name).read_text(encoding="utf-8")
    assert old in text
    (copy / name).write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(Uncovered, match=message):
        make_plan(copy, read_notes(NOTES), ask)


def test_an_extra_that_no_page_names_fails(copy: Path) -> None:
    for page in pages(copy):
        page.write_text(page.read_text(encoding="utf-8").replace("[jupyter]", ""), encoding="utf-8")
    with pytest.raises(Uncovered, match="no page names the extra jupyter"):
        make_plan(copy, read_notes(NOTES), ask)


OWN_NAMES = {"yaml": "pyyaml"}
"""modules that are called otherwise than the distributions that they are in"""


def requirements(pyproject: Path, extra: str) -> set[str]:
    """The distributions that lineal[extra] names, with those of lineal itself."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    listed = [*project["dependencies"], *project["optional-dependencies"][extra]]
    return {re.split(r"[^\w-]", each)[0].lower() for each in listed}


def missing_in_spark(pyproject: Path) -> set[str]:
    """What Spark's Python APIs ask for, or lineal's code for Spark imports, and lineal[spark] does
    not name.
    """
    of_apis = [each for each in requires("pyspark") or () if 'extra == "sql"' in each]
    needed = {re.split(r"[^\w-]", each)[0].lower() for each in of_apis}
    for file in (ROOT / "src" / "lineal" / "spark").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            needed |= {name.split(".")[0] for name in names}
    foreign = {OWN_NAMES.get(name, name) for name in needed if name not in sys.stdlib_module_names}
    come_along = {
        re.split(r"[^\w-]", each)[0].lower()
        for each in requires("pyspark") or ()
        if ";" not in each
    }
    return foreign - requirements(pyproject, "spark") - come_along - {"lineal"}


def test_the_extra_has_all_that_spark_asks_for() -> None:
    text = "".join(
        file.read_text() for file in (ROOT / "src" / "lineal" / "spark" / "pipeline").glob("*.py")
    )
    assert "mapInArrow" in text  # for which pyspark asks for pandas, pyarrow and numpy
    assert missing_in_spark(ROOT / "pyproject.toml") == set()


@pytest.mark.parametrize("library", ["pandas", "pyarrow", "numpy", "pyspark"])
def test_an_extra_without_a_library_is_noticed(copy: Path, library: str) -> None:
    text = (copy / "pyproject.toml").read_text(encoding="utf-8")
    changed = re.sub(rf'^    "{library}[^\n]*\n', "", text, flags=re.MULTILINE)
    assert changed != text
    (copy / "pyproject.toml").write_text(changed, encoding="utf-8")
    assert library in missing_in_spark(copy / "pyproject.toml")


def test_the_cluster_runs_what_the_guides_show_for_one() -> None:
    """pipeline, run and capture, each with a Python that has no package."""
    steps = make_plan(ROOT, read_notes(NOTES), ask)
    there = [step for step in steps if "$SPARK_CLUSTER " in step.text and step.action is Action.RUN]
    assert {step.shown.page for step in there} == {
        f"docs/how-to/{name}.md" for name in ("capture", "pipeline-cluster", "run")
    }
    assert all("PYSPARK_PYTHON=$BARE_PYTHON" in step.text for step in there)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Room:
    """A room with the environment of the tests, in which lineal is installed as it is being worked
    on.
    """
    folder = tmp_path_factory.mktemp("smoke")
    workplace.prepare(ROOT, folder / "template")
    environment = Environment("base", Path(sys.prefix))
    made = Room(environment, folder / "room", folder / "template", Notes({}, []), ROOT)
    made.variables["PYTHONPATH"] = str(ROOT / "src")
    return made


def failure_of(
    room: Room, text: str, form: Form = Form.INDENTED, output: str | None = None, **more: object
) -> str:
    step = Step(Shown("page.md", 1, form, text, 1, output), Action.RUN, "base", text)
    return room.run(step._replace(**more)).failure


def test_a_command_that_works(room: Room) -> None:
    assert (
        failure_of(room, "lineal lineage models/ +mart.revenue | grep -q raw.orders.amount") == ""
    )


def test_a_command_that_is_misspelt(room: Room) -> None:
    assert "No such option '--dialekt'" in failure_of(
        room, "lineal lineage models/ --dialekt spark"
    )
    assert "No such command 'lineag'" in failure_of(room, "lineal lineag models/")
    assert "exit code 127" in failure_of(room, "lineol lineage models/")


def test_a_command_with_another_exit_code(room: Room) -> None:
    assert failure_of(room, "lineal lineage nowhere/", code=2) == ""
    assert "exit code 2, not 0" in failure_of(room, "lineal lineage nowhere/")
    assert "exit code 0, not 1" in failure_of(room, "lineal lineage models/", code=1)


def test_a_command_without_its_extra_names_it(room: Room) -> None:
    shown = Shown("page.md", 1, Form.INDENTED, "", 1)
    named = "echo \"pip install 'lineal[spark]'\"; exit 2"
    assert room.refuse(Step(shown, Action.RUN, "spark", named)).failure == ""
    assert "does not name" in room.refuse(Step(shown, Action.RUN, "postgres", named)).failure
    assert "exit code 70, not 2" in room.refuse(Step(shown, Action.RUN, "spark", "exit 70")).failure


def test_a_console_block_must_show_the_real_output(room: Room) -> None:
    command = "printf 'a\\n'; echo b >&2"
    assert failure_of(room, command, Form.CONSOLE, "a\nb\n") == ""
    assert "something else than:\na\nb" in failure_of(room, command, Form.CONSOLE, "a\nc\n")


def test_commands_that_cannot_run_here_are_checked(room: Room) -> None:
    known = "X=1 lineal pipeline s3a://b --out $(echo a) --master yarn"
    assert failure_of(room, known, action=Action.CHECK) == ""
    assert "No such option '--mastr'" in failure_of(
        room, known.replace("--master", "--mastr"), action=Action.CHECK
    )
    assert "Missing option '--out'" in failure_of(
        room, "lineal pipeline s3a://b", action=Action.CHECK
    )


def test_a_server_is_asked_and_ended(room: Room) -> None:
    assert failure_of(room, "lineal serve models/ --no-open") == ""
    assert "the server does not start" in failure_of(room, "lineal serve nowhere/")
    posted = "lineal emit models/ --url http://localhost:5000 && grep -q raw.orders arrived.ndjson"
    assert failure_of(room, posted, beside="lineal serve --ingest arrived.ndjson") == ""


def test_a_program(room: Room) -> None:
    program = "import lineal\nassert lineal.lineage('models/').edges\n"
    assert failure_of(room, program, Form.PYTHON) == ""
    assert "AssertionError" in failure_of(
        room, program.replace("assert", "assert not"), Form.PYTHON
    )


def test_commands_see_nothing_of_the_caller(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HOME", "/nowhere")
    monkeypatch.setenv("LINEAL_STORE", "/nowhere")
    assert (
        failure_of(room, 'test -z "$SPARK_HOME$LINEAL_STORE" && test "$HOME" != "$(echo ~root)"')
        == ""
    )
