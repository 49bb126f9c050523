"""Bad input as a user meets it: one line that says what and where, the rest is read, and the exit
code tells.

0 fine, 1 diagnostics, 2 a mistake in what was asked; never a traceback.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main
from lineal.cli.console import write_whole

ROOT = Path(__file__).resolve().parents[3]
SHOP = str(ROOT / "examples" / "shop")
GOOD = "CREATE VIEW good AS SELECT id, name FROM raw"


def run(*arguments: str, text: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(main, ["lineage", *arguments], input=text)
    assert result.exit_code in (0, 1, 2), result.stderr
    assert "Traceback" not in result.stderr
    return result


def edges(result: Result) -> set[tuple[str, str]]:
    found = json.loads(result.stdout)["edges"]
    return {(edge["source"]["dataset"], edge["target"]["dataset"]) for edge in found}


def files(folder: Path, **contents: str | bytes) -> Path:
    """Files by name; `a__b` is a/b, and the last `_` of a name its dot."""
    for name, content in contents.items():
        stem, _, ending = name.replace("__", "/").rpartition("_")
        path = folder / f"{stem}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def node(name: str, sql: str, yaml: str = "") -> dict[str, str]:
    return {f"nodes__{name}__{name}_sql": sql, f"nodes__{name}__{name}_yml": f"kind: sql\n{yaml}"}


def project(
    folder: Path,
    *nodes: dict[str, str],
    about: str = "name: p\ndialect: spark\n",
    **more: str | bytes,
) -> Path:
    contents: dict[str, str | bytes] = {
        "lineal_yml": about,
        **node("good", "select id, name from raw"),
        **more,
    }
    for each in nodes:
        contents.update(each)
    return files(folder, **contents)


# -- what stands in the input ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "place", "said"),
    [
        (
            node(
                "bad",
                "select id from good;\nselect from where;\ncreate view extra as select id from good",
            ),
            "nodes/bad/bad.sql:2:",
            "error[parse-error]: ",
        ),
        (
            node(
                "bad",
                "select id from good",
                "columns:\n  - name: id\n    description: a\n    description: b\n",
            ),
            "nodes/bad/bad.yml:5:5",
            "error[duplicate-key]: columns[0]: the key 'description' is here and on line 4",
        ),
        (
            node("bad", "select id from good", "columns: 5\n"),
            "nodes/bad/bad.yml:2:10",
            "error[yaml-type]: columns: expected a list of columns, found '5'",
        ),
        (
            node("bad", "select id from good", "columns: [\n"),
            "nodes/bad/bad.yml:3:",
            "error[yaml-error]: ",
        ),
        (
            node("bad", "select id\nfrom good where {{ nope }}"),
            "nodes/bad/bad.sql:2:",
            "error[template-error]: 'nope' is undefined",
        ),
        (
            node("bad", "select id\nfrom good where {% if %}"),
            "nodes/bad/bad.sql:2:",
            "error[template-error]: ",
        ),
        (
            {**node("bad", "select id from worse"), **node("worse", "select id from bad")},
            "nodes/worse/worse.sql:1:16",
            "error[cyclic-definition]: 'bad' is defined through itself",
        ),
        (
            node("bad", "select nam from good"),
            "nodes/bad/bad.sql:1:8",
            "error[unresolved-column]: no source in scope has a column 'nam' (did you mean 'name'?)",
        ),
        (
            {"nodes__bad__bad_yml": "kind: banana\n", "nodes__bad__bad_sql": "select id from good"},
            "nodes/bad/bad.yml:1:7",
            "error[yaml-type]: kind: expected sql, python, seed, source or function, found 'banana'",
        ),
        ({"nodes__bad__bad_yml": "kind: sql\n"}, "nodes/bad/bad.yml:1:1", "error[missing-sql]: "),
    ],
    ids=[
        "unparsable between good ones",
        "duplicate key",
        "wrong type",
        "not YAML",
        "undefined in a template",
        "template syntax",
        "cycle",
        "column that is not there",
        "unknown kind",
        "no SQL",
    ],
)
def test_bad_input_is_one_line_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nodes: dict[str, str], place: str, said: str
) -> None:
    monkeypatch.chdir(project(tmp_path, nodes))
    result = run()
    assert result.exit_code == 1
    lines = result.stderr.splitlines()
    assert len(lines) == 3, lines  # the diagnostic, how many there are, and the footer
    assert lines[0].startswith(place) and said in lines[0]
    assert lines[1] == "1 error"
    assert re.search(r"raw +name +good +name +copy", result.stdout)
    as_json = run("--output", "json")
    assert as_json.exit_code == 1 and ("raw", "good") in edges(as_json)
    (diagnostic,) = json.loads(as_json.stdout)["diagnostics"]
    assert f"{diagnostic['place']['file']}:{diagnostic['place']['line']}:" in lines[0]
    assert run("--fail-on", "never").exit_code == 0


def test_statements_around_an_unparsable_one_are_read(tmp_path: Path) -> None:
    text = (
        f"{GOOD};\nCREATE VIEW bad AS SELECT FROM WHERE;\nCREATE VIEW after AS SELECT id FROM good"
    )
    result = run(str(files(tmp_path, all_sql=text)), "--output", "json")
    assert result.exit_code == 1 and edges(result) == {("raw", "good"), ("good", "after")}
    assert json.loads(result.stdout)["coverage"]["statements"] == {
        "found": 3,
        "parsed": 2,
        "evaluated": 2,
        "left_out": [{"stage": "parsed", "reason": "parse-error", "count": 1}],
    }


def test_an_unbalanced_quote_takes_no_other_file_with_it(tmp_path: Path) -> None:
    result = run(str(files(tmp_path, a_sql="SELECT 'open FROM t", b_sql=GOOD)), "--output", "json")
    assert result.exit_code == 1 and ("raw", "good") in edges(result)
    assert "a.sql:1:" in result.stderr and result.stderr.count("\n") == 2


def test_a_file_that_is_not_utf8_is_read_as_latin1(tmp_path: Path) -> None:
    content = b"SELECT id,\n'\xff' AS x FROM raw"
    result = run(str(files(tmp_path, bad_sql=content, good_sql=GOOD)), "--output", "json")
    assert result.exit_code == 0 and edges(result) == {("raw", "good"), ("raw", "bad")}
    assert "not-utf8" in result.stdout


def test_a_file_in_utf16_is_read(tmp_path: Path) -> None:
    folder = files(tmp_path, other_sql="SELECT id FROM raw".encode("utf-16"), good_sql=GOOD)
    result = run(str(folder), "--output", "json")
    assert result.exit_code == 0 and edges(result) == {("raw", "good"), ("raw", "other")}


def test_a_yaml_that_is_not_utf8_is_read_as_latin1(tmp_path: Path) -> None:
    result = run(
        str(project(tmp_path, nodes__good__good_yml=b"kind: sql\ndescription: caf\xe9\n")),
        "--output",
        "json",
    )
    assert result.exit_code == 0 and edges(result) == {("raw", "good")}
    assert "not-utf8" in result.stdout


def test_a_binary_file_and_a_nul(tmp_path: Path) -> None:
    result = run(
        str(files(tmp_path, bad_sql=b"SELECT a\x00b FROM t", good_sql=GOOD)), "--output", "json"
    )
    assert ("raw", "good") in edges(result)


def test_a_project_file_with_an_unknown_dialect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project's own mistake has a place and costs only the dialect; the caller's is exit code
    2.
    """
    monkeypatch.chdir(project(tmp_path, about="name: p\ndialect: sparc\n"))
    result = run("--output", "json")
    assert result.exit_code == 1 and edges(result) == {("raw", "good")}
    assert result.stderr.startswith(
        "lineal.yml:2:10: error[yaml-type]: dialect: unknown dialect 'sparc', did you mean 'spark'? "
    )
    assert run("--dialect", "spark").exit_code == 0


@pytest.mark.parametrize(
    "about", ["- a\n- b\n", "5\n", "name: [\n", "vars: 5\n", "nodes: nowhere\n", ""]
)
def test_a_project_file_of_another_shape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, about: str
) -> None:
    monkeypatch.chdir(project(tmp_path, about=about))
    result = run("--output", "json")
    assert result.exit_code == (1 if about else 0)
    assert re.match(r"lineal\.yml:\d+:\d+: error\[", result.stderr) or not about


@pytest.mark.parametrize(
    "content", ["t: [a\n", "t: 5\n", '{"t": {"a": "int"', "t:\n  a: int\n  a: text\n"]
)
def test_a_schema_file_of_another_shape(tmp_path: Path, content: str) -> None:
    files(tmp_path, schema_yml=content, good_sql=GOOD)
    result = run(
        str(tmp_path / "good.sql"), "--schema", str(tmp_path / "schema.yml"), "--output", "json"
    )
    assert result.exit_code == 1 and edges(result) == {("raw", "good")}
    assert (
        re.match(r"\S+schema\.yml:\d+:\d+: error\[", result.stderr)
        and result.stderr.count("\n") == 2
    )


def test_two_files_that_define_one_name(tmp_path: Path) -> None:
    result = run(str(files(tmp_path, a_sql=GOOD, b_sql="CREATE VIEW good AS SELECT id FROM other")))
    assert (
        result.exit_code == 0
        and "b.sql:1:" in result.stderr
        and "warning[duplicate-definition]" in result.stderr
    )
    assert run(str(tmp_path), "--fail-on", "warning").exit_code == 1


# -- nothing to read -------------------------------------------------------------------------------


def test_a_folder_without_sql(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("SELECT 1")
    result = run(str(tmp_path))
    assert result.exit_code == 0 and "No edges." in result.stdout
    assert "warning[no-input]: " in result.stderr and str(tmp_path) in result.stderr
    assert run(str(tmp_path), "--fail-on", "warning").exit_code == 1


@pytest.mark.parametrize("text", ["", " \n\t\n", b"\xef\xbb\xbf"])
def test_empty_standard_input(text: str | bytes) -> None:
    result = run("-", text=text)
    assert result.exit_code == 0
    assert result.stderr.startswith("<input>:1:1: warning[no-input]: standard input is empty ")
    assert run("-", "--fail-on", "warning", text=text).exit_code == 1


@pytest.mark.parametrize("text", ["-- nothing yet\n", ";;;", "/* */"])
def test_text_without_a_statement(text: str) -> None:
    result = run("-", text=text)
    assert (result.exit_code, result.stderr) == (
        0,
        "coverage 100 %: 1 file, 0 statements; 0 + 0 edges\n",
    )


def test_an_empty_file_is_not_an_error(tmp_path: Path) -> None:
    assert run(str(files(tmp_path, a_sql="", b_sql=GOOD)), "--output", "json").exit_code == 0


# -- what is asked ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--dialect", "sparc"), "unknown dialect 'sparc', did you mean 'spark'?"),
        (("--dialect", "zzzzzz"), "unknown dialect 'zzzzzz'"),
        (("-n", "dim_customer"), "unknown dataset dim_customer; did you mean dim_customers?"),
        (("--column", "dim_customer.email"), "did you mean dim_customers"),
        (
            ("--column", "dim_customers.emial"),
            "unknown column emial in dim_customers; did you mean email?",
        ),
        (("zzz.zzz+",), "unknown dataset zzz"),
        (("--schema", "nowhere.yml"), "there is no schema file nowhere.yml"),
        (("--schema", "."), "there is no schema file ."),
        (("--output", "pdf"), "'pdf' is not one of 'table', 'chain', 'json', 'dot', 'mermaid'"),
        (("--direction", "sideways"), "'sideways' is not one of"),
        (("--fail-on", "sometimes"), "'sometimes' is not one of"),
        (
            ("--fail-onn", "x"),
            "No such option '--fail-onn'. (Did you mean one of: '--fail-on', '--fail-under'?)",
        ),
        (("--column",), "Option '--column' requires an argument."),
        (("--dialect", "\x1b[31mred"), "\\x1b[31mred"),
        (("-n", "a\nb"), "unknown dataset a\\nb"),
        (("--output", "a\x1b[1m"), "\\x1b[1m"),
    ],
    ids=lambda value: (
        "" if isinstance(value, str) else " ".join(value).encode("unicode_escape").decode()
    ),
)
def test_a_mistake_in_the_question(arguments: tuple[str, ...], said: str) -> None:
    result = run(SHOP, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1
    assert said in result.stderr and "\x1b" not in result.stderr


@pytest.mark.parametrize(
    ("command", "hint"),
    [("lineag", "Did you mean 'lineage'?"), (".", "run 'lineal lineage .'"), ("quux", "")],
)
def test_an_unknown_command_is_one_line(command: str, hint: str) -> None:
    result = CliRunner().invoke(main, [command])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: No such command '{command}'.")
    assert hint in result.stderr and result.stderr.count("\n") == 1


def test_no_command_shows_what_there_is() -> None:
    assert "lineage" in CliRunner().invoke(main, []).output


def test_a_file_is_named_like_a_selector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What exists is a path; next to another path it is the selector that it looks like."""
    monkeypatch.chdir(tmp_path)
    for name in ("+v.a", "v.a+", "2+v", "plain.sql", "-x.sql", "a b.sql"):
        Path(name).write_text("CREATE VIEW v AS SELECT a FROM t")
        assert re.search(r"t +a +v +a +copy", run("--", name).stdout), name
    assert "CHAIN: v.a" in run("plain.sql", "+v.a").stdout
    assert "CHAIN: v.a" in run("+v.a", "plain.sql").stdout
    assert "duplicate-definition" in run("./+v.a", "./v.a+").stderr
    Path("d+").mkdir()
    Path("d+/q.sql").write_text("CREATE VIEW w AS SELECT b FROM t")
    assert re.search(r"t +b +w +b +copy", run("d+").stdout)


# -- streams ---------------------------------------------------------------------------------------


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """A command in a shell with pipefail, `lineal` being ours."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    script = f"lineal() {{ '{sys.executable}' -m lineal \"$@\"; }}; set -o pipefail; {command}"
    return subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=environment, timeout=60
    )


@pytest.mark.parametrize("output", ["table", "json", "dot"])
def test_a_reader_that_goes_away(output: str) -> None:
    done = shell(
        f"lineal lineage '{SHOP}' --output {output} | head -c 1 > /dev/null; echo ${{PIPESTATUS[0]}}"
    )
    assert done.stdout == "0\n"
    assert "Error" not in done.stderr and "Exception" not in done.stderr


def test_a_reader_of_the_diagnostics_that_goes_away() -> None:
    done = shell(f"lineal lineage '{SHOP}' 2>&1 > /dev/null | true; echo ${{PIPESTATUS[0]}}")
    assert done.stdout == "0\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_reported_in_one_line() -> None:
    done = shell(f"lineal lineage '{SHOP}' --output json > /dev/full")
    assert done.returncode == 1
    assert done.stderr == "Error: cannot write to standard output: No space left on device\n"


def test_closed_streams() -> None:
    assert shell(f"lineal lineage '{SHOP}' >&-").returncode == 0
    assert shell(f"lineal lineage '{SHOP}' 2>&-").returncode == 0
    assert shell("lineal lineage - --dialect spark <&-").returncode in (0, 2)


# -- hostile names ---------------------------------------------------------------------------------

NAMES = {
    "escape": "\x1b[31mred\x1b[0m",
    "csi": "\x9b31m",
    "newline": "two\nlines",
    "carriage return": "over\rwritten",
    "markup": "[bold red]x[/bold red]",
    "closing markup": "x[/]",
    "link": "[link=https://example.org]x[/link]",
    "html": "</script><img src=x onerror=alert(1)>",
    "quotes": "a\"b'c",
    "backslash": "a\\",
    "dot": '"]; evil [label="x',
    "mermaid": 'x"] --> y["z',
    "right to left": "\u202ecod",
    "emoji": ":smile: 😀",
}
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def hostile(name: str) -> str:
    columns = f"`{name}`, upper(`{name}`) AS `up {name}`"
    return f"CREATE VIEW `v{name}` AS SELECT {columns} FROM `t{name}` WHERE `{name}` > 1;"


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_hostile_name_stays_text_in_every_output(tmp_path: Path, name: str) -> None:
    files(tmp_path, h_sql=hostile(name))
    for output in ("table", "json", "dot", "mermaid"):
        for level in ("column", "table"):
            result = run(
                str(tmp_path / "h.sql"), "--dialect", "spark", "--output", output, "--level", level
            )
            assert result.exit_code == 0
            assert not UNSEEN.search(result.stdout) and not UNSEEN.search(result.stderr)
    document = json.loads(
        run(str(tmp_path / "h.sql"), "--dialect", "spark", "--output", "json").stdout
    )
    assert {edge["source"]["column"] for edge in document["edges"]} == {name}
    for question in (
        ["-n", f"v{name}", "--output", "chain"],
        ["-n", f"t{name}", "--column", name, "--impact"],
    ):
        result = run(str(tmp_path / "h.sql"), "--dialect", "spark", *question)
        assert result.exit_code == 0 and not UNSEEN.search(result.stdout)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_hostile_name_stays_text_in_a_diagnostic(tmp_path: Path, name: str) -> None:
    text = f"CREATE TABLE t (a INT); CREATE VIEW v AS SELECT `{name}`, b FROM t, u;"
    result = run(
        "-",
        "--dialect",
        "spark",
        "--schema",
        str(files(tmp_path, s_yml="u: [c]\n") / "s.yml"),
        text=text,
    )
    assert result.exit_code == 1 and "unresolved-column" in result.stderr
    assert not UNSEEN.search(result.stderr)
    assert all(
        line.startswith(("<", "2 errors", "coverage ")) for line in result.stderr.splitlines()
    )


@pytest.mark.parametrize("name", ["\x1b[31mred", "two\nlines", "[red]x", "a b;c", "'q'"], ids=repr)
def test_a_hostile_file_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "x.sql").write_text("SELECT FROM")
    result = run(str(tmp_path / name))
    assert result.exit_code == 1 and "error[parse-error]" in result.stderr
    assert not UNSEEN.search(result.stderr) and len(result.stderr.splitlines()) == 3


def test_colors_are_ours_only(tmp_path: Path) -> None:
    """Drawn with colors, a name with an escape in it opens no color of its own."""
    files(tmp_path, h_sql=hostile("\x1b[35mpink"))
    result = run(str(tmp_path / "h.sql"), "--dialect", "spark", "--color", "always")
    assert "\\x1b[35mpink" in result.stdout and "\x1b[35mpink" not in result.stdout


class Slow(io.RawIOBase):
    """A stream that takes a few bytes at a time, and none beyond its size."""

    def __init__(self, size: int) -> None:
        self.size, self.taken = size, b""

    def write(self, data: Any) -> int:
        part = bytes(data)[: min(7, self.size - len(self.taken))]
        if not part:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.taken += part
        return len(part)


def test_an_output_without_a_buffer_is_written_to_its_end() -> None:
    """PYTHONUNBUFFERED: Python itself writes once, and passes over the rest."""
    stream = Slow(100)
    write_whole(stream, b"x" * 100)
    assert stream.taken == b"x" * 100
    with pytest.raises(OSError, match="No space left"):
        write_whole(Slow(50), b"x" * 100)
