"""lineal diff on the command line: folders, saved files, revisions; and repositories that mean no
good.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from lineal.cli import main

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden" / "cli"
SALES = (
    "examples/sales",
    "examples/sales-changed",
    "--dialect",
    "spark",
    "--schema",
    "examples/sales/schema.yml",
)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["diff", *arguments])


@pytest.mark.parametrize("output", ["text", "markdown", "json", "sarif"])
def test_golden(output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result, file = run(*SALES, "--output", output), GOLDEN / f"diff_{output}.txt"
    assert result.exit_code == 0
    if os.environ.get("LINEAL_GOLDEN") == "write":
        file.write_bytes(result.stdout_bytes)
    assert result.stdout_bytes == file.read_bytes()


class Repository:
    """A repository in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main")
        self.write("models/raw.sql", "CREATE TABLE raw AS SELECT 1 AS id, 2 AS a")
        self.write("models/v.sql", "CREATE VIEW v AS SELECT id, a FROM raw")
        self.write("models/w.sql", "CREATE VIEW w AS SELECT a + 1 AS b FROM v")
        self.commit()

    def git(self, *arguments: str) -> str:
        named = [
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.org",
            "-c",
            "protocol.file.allow=always",
        ]
        done = subprocess.run(
            ["git", *named, *arguments], cwd=self.folder, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "state")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    made = Repository(tmp_path / "repository")
    monkeypatch.chdir(made.folder)
    return made


def findings(result: Result) -> list[tuple[str, str]]:
    assert result.exit_code in (0, 1), result.stderr
    return [(each["dataset"], each["kind"]) for each in json.loads(result.stdout)["findings"]]


def diff(*arguments: str) -> list[tuple[str, str]]:
    return findings(run(*arguments, "--output", "json", "--project", "models"))


def test_the_work_tree_with_new_files_that_are_not_ignored(repository: Repository) -> None:
    assert diff("HEAD") == []
    repository.write("models/v.sql", "create view V as\nselect x.id, x.a from raw as x -- the same")
    repository.write("models/w.sql", "CREATE VIEW w AS SELECT a + 2 AS b FROM v")
    repository.write("models/new.sql", "CREATE VIEW n AS SELECT id FROM v")
    repository.write("models/ignored.sql", "CREATE VIEW i AS SELECT id FROM v")
    repository.write(".gitignore", "ignored.sql")
    result = run("HEAD", "--output", "json", "--project", "models")
    assert findings(result) == [("w", "logic-changed"), ("n", "dataset-added")]
    made = json.loads(result.stdout)
    assert [each["dataset"] for each in made["cosmetic"]] == ["V"]
    assert made["findings"][0]["place"]["file"] == "models/w.sql"


def test_revisions_ranges_and_where_they_parted(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "-q", "-b", "topic")
    repository.write("models/w.sql", "CREATE VIEW w AS SELECT a + 2 AS b FROM v")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("models/x.sql", "CREATE VIEW x AS SELECT id FROM v")
    repository.commit()
    assert (
        diff(first, "topic")
        == diff(f"{first}..topic")
        == diff("main...topic")
        == [("w", "logic-changed")]
    )
    assert diff("main", "topic") == [("x", "dataset-removed"), ("w", "logic-changed")]
    repository.git("checkout", "-q", "topic")
    assert diff("main...") == [("w", "logic-changed")]


def test_exit_codes(repository: Repository) -> None:
    repository.write("models/raw.sql", "CREATE TABLE raw AS SELECT 1 AS id")
    result = run("HEAD", "--project", "models")
    assert result.exit_code == 1 and result.stdout.startswith("BLOCK: 1 finding (1 block)")
    assert run("HEAD", "--project", "models", "--fail-on", "never").exit_code == 0
    repository.write("models/raw.sql", "CREATE TABLE raw AS SELECT 1 AS id, 3 AS a")
    assert run("HEAD", "--project", "models").exit_code == 0
    assert run("HEAD", "--project", "models", "--fail-on", "review").exit_code == 1


def test_saved_lineages_and_folders(repository: Repository, tmp_path: Path) -> None:
    before, after = str(tmp_path / "a.lineal.json"), str(tmp_path / "b.lineal.json")
    CliRunner().invoke(main, ["lineage", "models", "--save", before])
    repository.write("models/v.sql", "CREATE VIEW v AS SELECT raw.id, (raw.a) FROM raw")
    repository.write("models/w.sql", "CREATE VIEW w AS SELECT a - 1 AS b FROM v")
    CliRunner().invoke(main, ["lineage", "models", "--save", after])
    for arguments in ((before, after), (before, "models"), (before,)):
        assert diff(*arguments) == [("w", "value-changed")]
    assert diff("models", "models") == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nope",), "unknown revision nope"),
        (("--", "-x"), "is not the name of a revision"),
        (("--", "--upload-pack=touch mark"), "is not the name of a revision"),
        (("HEAD", "--project", "nowhere"), "no such file or folder"),
        (("HEAD", "--policy", "none.yml"), "no such policy file: none.yml"),
        (("git:models",), "unknown revision models"),
        (("HEAD\n",), "is not the name of a revision"),
    ],
)
def test_mistakes_are_one_line(
    repository: Repository, arguments: tuple[str, ...], said: str
) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr and result.stderr.count("\n") == 1


def test_a_folder_outside_a_repository_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    result = run("HEAD")
    assert result.exit_code == 2 and "is not in a git repository" in result.stderr


def test_a_project_that_base_does_not_have(repository: Repository) -> None:
    repository.write("more/x.sql", "CREATE VIEW x AS SELECT 1 AS a")
    assert findings(run("HEAD", "--project", "more", "--output", "json")) == [
        ("x", "dataset-added")
    ]


def test_a_shallow_clone_says_what_to_do(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = repository.git("rev-parse", "HEAD")
    repository.write("models/x.sql", "SELECT 1 AS a")
    repository.commit()
    repository.git(
        "clone", "-q", "--depth", "1", repository.folder.as_uri(), str(tmp_path / "shallow")
    )
    monkeypatch.chdir(tmp_path / "shallow")
    result = run(first, "--project", "models")
    assert result.exit_code == 2 and "this clone is shallow" in result.stderr


def test_nothing_of_a_repository_is_run(repository: Repository, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    touch = f"touch {mark}; cat"
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        file = repository.write(f".git/hooks/{hook}", f"#!/bin/sh\ntouch {mark}\n")
        file.chmod(0o755)
    for name in (
        "filter.evil.smudge",
        "filter.evil.clean",
        "filter.evil.process",
        "diff.evil.textconv",
    ):
        repository.git("config", name, touch)
    repository.git("config", "core.fsmonitor", f"touch {mark}")
    repository.git("config", "core.sshCommand", f"touch {mark}")
    repository.write(
        ".gitattributes",
        "*.sql filter=evil diff=evil ident export-subst\nmodels/v.sql export-ignore\n",
    )
    repository.write(
        "models/w.sql", "CREATE VIEW w AS SELECT a + 1 AS b FROM v -- $Id$ $Format:%H$"
    )
    subprocess.run(
        ["git", "-c", "core.fsmonitor=false", "status"],
        cwd=repository.folder,
        check=True,
        capture_output=True,
    )
    mark.unlink(missing_ok=True)
    assert diff("HEAD") == []
    assert diff("HEAD", "HEAD") == []
    assert not mark.exists()


def test_links_pointers_and_submodules(repository: Repository, tmp_path: Path) -> None:
    secret = tmp_path / "secret.sql"
    secret.write_text("CREATE VIEW secret AS SELECT 1 AS password")
    (repository.folder / "models" / "out.sql").symlink_to(secret)
    (repository.folder / "models" / "alias.sql").symlink_to("v.sql")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    repository.write("models/big.sql", pointer)
    inner = Repository(tmp_path / "inner")
    repository.git("submodule", "add", "-q", inner.folder.as_uri(), "models/sub")
    repository.commit()
    result = run("HEAD~1", "HEAD", "--project", "models", "--output", "json")
    assert findings(result) == []
    assert "password" not in result.stdout + result.stderr


def test_a_name_that_leads_out_of_the_tree_is_left_out(
    repository: Repository, tmp_path: Path
) -> None:
    blob = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"],
        cwd=repository.folder,
        input=b"SELECT 1",
        capture_output=True,
        check=True,
    ).stdout.strip()
    raw = b"100644 ..\0" + bytes.fromhex(blob.decode())
    tree = subprocess.run(
        ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
        cwd=repository.folder, input=raw, capture_output=True, check=True,
    ).stdout.strip()  # fmt: skip
    commit = repository.git("commit-tree", tree.decode(), "-m", "evil")
    before = {path.name for path in tmp_path.iterdir()}
    result = run(commit, "--output", "json")
    assert result.exit_code in (0, 1)
    assert {path.name for path in tmp_path.iterdir()} == before


def test_the_policy_is_that_of_the_base(repository: Repository) -> None:
    repository.write(
        "models/lineal-policy.yml", "levels: {logic-changed: block}\nignore: [tmp_*]\n"
    )
    repository.commit()
    repository.write("models/lineal-policy.yml", "levels: {logic-changed: safe}\n")
    repository.write("models/w.sql", "CREATE VIEW w AS SELECT a + 2 AS b FROM v")
    repository.write("models/t.sql", "CREATE VIEW tmp_x AS SELECT a FROM v")
    assert run("HEAD", "--project", "models").stdout.startswith("BLOCK: 1 finding")
    assert run(
        "HEAD", "--project", "models", "--policy", "models/lineal-policy.yml"
    ).stdout.startswith("SAFE: 2 findings")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("levels: {logic-chaned: block}", "did you mean logic-changed?"),
        ("levels: {logic-changed: maybe}", "write safe, review or block"),
        ("level: {}", "did you mean levels?"),
        ("levels: [a", "yaml-error"),
        ("levels: 3", "yaml-type"),
    ],
)
def test_a_policy_that_means_nothing_lets_nothing_through(
    repository: Repository, text: str, said: str
) -> None:
    repository.write("p.yml", text)
    result = run("HEAD", "--project", "models", "--policy", "p.yml")
    assert result.exit_code == 2 and said in result.stderr


def test_odd_names_are_only_names(repository: Repository) -> None:
    name = '"`|`<img src=x onerror=y>|@all [x](http://y)"'
    repository.write("models/odd.sql", f"CREATE VIEW odd AS SELECT a AS {name} FROM v WHERE id > 1")
    repository.git("checkout", "-q", "-b", "odd|`<b>`")
    arguments = ("HEAD", "--project", "models", "--dialect", "postgres", "--output", "markdown")
    made = run(*arguments).stdout
    for line in made.splitlines():
        if "<img" in line:
            assert (
                "``" in line and line.count("|") - line.count("\\|") == len(line.split(" | ")) + 1
            )


def test_sarif_is_sarif(repository: Repository) -> None:
    repository.write("models/raw.sql", "CREATE TABLE raw AS SELECT 1 AS id")
    made = json.loads(run("HEAD", "--project", "models", "--output", "sarif").stdout)
    [result] = made["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("column-removed-read", "error")
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "models/raw.sql"
    schema = ROOT / "tests" / "data" / "sarif-2.1.0.json"
    if schema.exists():
        jsonschema.validate(made, json.loads(schema.read_text()))


def test_the_action_leaves_its_report(repository: Repository, tmp_path: Path) -> None:
    import sysconfig

    repository.write("models/w.sql", "CREATE VIEW w AS SELECT a + 2 AS b FROM v")
    told, said = tmp_path / "output", tmp_path / "summary"
    environment = {
        **os.environ, "HERE": str(ROOT), "BASE": "HEAD", "PROJECT": "models", "POLICY": "", "FAIL_ON": "review",
        "FAIL_UNDER": "0", "OPTIONS": "--dialect=duckdb\n", "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(told),
        "GITHUB_STEP_SUMMARY": str(said), "LINEAL": str(Path(sysconfig.get_path("scripts")) / "lineal"),
    }  # fmt: skip
    subprocess.run(
        ["bash", str(ROOT / "tools" / "diff-action.sh")],
        env=environment,
        check=True,
        capture_output=True,
    )
    assert told.read_text().splitlines()[:2] == ["verdict=REVIEW", "code=1"]
    assert "🔎 REVIEW" in said.read_text()


def test_a_damaged_object_is_an_error_and_not_a_new_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(tmp_path / "shop")
    blob = repository.git("rev-parse", "HEAD:models/v.sql").strip()
    stored = repository.folder / ".git" / "objects" / blob[:2] / blob[2:]
    stored.chmod(0o644)
    stored.write_bytes(b"damaged")
    monkeypatch.chdir(repository.folder)
    result = run("HEAD", "models")
    assert result.exit_code == 1
    assert (
        "error[unreadable]: models/v.sql is left out: git cannot read its content" in result.output
    )
