"""Files that nobody should wait for, follow or take for text: each is left out, counted and said,
and its neighbors keep their lineage.
"""

from __future__ import annotations

import bz2
import gzip
import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lineal import lineage
from lineal.model.diagnostic import Code
from lineal.model.ledger import FileLedger, Reason
from lineal.model.script import Corpus
from lineal.projects import load, make_rules
from lineal.projects.errors import ProjectError

GOOD = "CREATE VIEW good AS SELECT id FROM raw"
SECONDS = 30


@pytest.fixture(autouse=True)
def deadline() -> Iterator[None]:
    """A read that waits fails its test, and not the whole suite."""

    def late(*_: object) -> None:
        raise TimeoutError("reading waits for something")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def fifo(path: Path) -> None:
    os.mkfifo(path)


def zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


def terminal(path: Path) -> None:
    path.symlink_to("/dev/tty")


def unix_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def binary(path: Path) -> None:
    path.write_bytes(b"\x7fELF\x02\x01\x00\x00" * 500)


def outside(path: Path) -> None:
    top = next(each for each in path.parents if each.name.startswith("test_"))
    secret = top / "secret.sql"
    secret.write_text("CREATE VIEW stolen AS SELECT password FROM accounts")
    path.symlink_to(secret)


def link_to_fifo(path: Path) -> None:
    os.mkfifo(path.with_suffix(".pipe"))
    path.symlink_to(path.with_suffix(".pipe").name)


def circle(path: Path) -> None:
    path.symlink_to(path.name)


def broken_utf16(path: Path) -> None:
    path.write_bytes(b"\xff\xfes\x00e\x00l")


HOSTILE: list[tuple[Callable[[Path], None], Reason]] = [
    (fifo, Reason.NOT_REGULAR),
    (zero, Reason.OUTSIDE),
    (terminal, Reason.OUTSIDE),
    (unix_socket, Reason.NOT_REGULAR),
    (binary, Reason.NOT_TEXT),
    (outside, Reason.OUTSIDE),
    (link_to_fifo, Reason.NOT_REGULAR),
    (circle, Reason.UNREADABLE),
    (broken_utf16, Reason.ENCODING),
]


def reasons(ledger: FileLedger) -> dict[str, Reason]:
    """The reasons of the due files, by the names of the files."""
    return {
        Path(file).name: reason for file, reason in ledger.due_files.items() if reason is not None
    }


def targets(corpus: Corpus) -> list[str]:
    return sorted(Path(script.file).name for script in corpus.scripts)


@pytest.mark.parametrize(("make", "reason"), HOSTILE)
def test_a_hostile_file_in_a_folder_of_sql(
    tmp_path: Path, make: Callable[[Path], None], reason: Reason
) -> None:
    folder = tmp_path / "sql"
    folder.mkdir()
    (folder / "good.sql").write_text(GOOD)
    make(folder / "a.sql")
    corpus = load(folder)
    assert targets(corpus) == ["good.sql"]
    assert reasons(corpus.files) == {"a.sql": reason}
    assert any(each.place and each.place.file.endswith("a.sql") for each in corpus.diagnostics)
    assert (corpus.files.chain().due, corpus.files.chain().read) == (2, 1)


@pytest.mark.parametrize(("make", "reason"), HOSTILE)
@pytest.mark.parametrize("name", ["models/a.sql", "models/a.yml", "seeds/a.csv", "macros/a.sql"])
def test_a_hostile_file_in_a_dbt_project(
    tmp_path: Path, make: Callable[[Path], None], reason: Reason, name: str
) -> None:
    folder = tmp_path / "shop"
    for each in ("models", "seeds", "macros"):
        (folder / each).mkdir(parents=True)
    (folder / "dbt_project.yml").write_text("name: shop\nprofile: duckdb\n")
    (folder / "models" / "good.sql").write_text("select id from raw")
    make(folder / name)
    corpus = load(folder)
    assert targets(corpus) == ["good.sql"]
    assert reasons(corpus.files) == {Path(name).name: reason}


@pytest.mark.parametrize(("make", "reason"), HOSTILE)
@pytest.mark.parametrize("suffix", ["sql", "yml"])
def test_a_hostile_file_in_a_project(
    tmp_path: Path, make: Callable[[Path], None], reason: Reason, suffix: str
) -> None:
    folder = tmp_path / "shop"
    for node in ("good", "bad"):
        (folder / "nodes" / node).mkdir(parents=True)
        (folder / "nodes" / node / f"{node}.yml").write_text("kind: sql\n")
        (folder / "nodes" / node / f"{node}.sql").write_text("select id from raw")
    (folder / "lineal.yml").write_text("name: shop\n")
    file = folder / "nodes" / "bad" / f"bad.{suffix}"
    file.unlink()
    make(file)
    corpus = load(folder)
    assert "good.sql" in targets(corpus)
    assert reasons(corpus.files) == {f"bad.{suffix}": reason}


@pytest.mark.parametrize("name", ["dbt_project.yml", "lineal.yml", "manifest.json", "lineage.json"])
@pytest.mark.parametrize("make", [fifo, zero])
def test_a_hostile_project_file(tmp_path: Path, name: str, make: Callable[[Path], None]) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "good.sql").write_text(GOOD)
    make(folder / name)
    assert "good.sql" in targets(load(folder))


@pytest.mark.parametrize("make", [fifo, zero, unix_socket])
@pytest.mark.parametrize("name", ["a.sql", "a.py", "a.jsonl", "a.json", "a.csv.gz", "a.db"])
def test_a_hostile_file_that_is_named(
    tmp_path: Path, name: str, make: Callable[[Path], None]
) -> None:
    make(tmp_path / name)
    corpus = load(tmp_path / name)
    assert not corpus.scripts
    assert [each.code for each in corpus.diagnostics] == [Code.LEFT_OUT]
    assert reasons(corpus.files) == {name: Reason.NOT_REGULAR}


@pytest.mark.parametrize("make", [fifo, zero, unix_socket])
def test_a_hostile_schema(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """It was asked for: to go on without it would be another answer that looks complete."""
    make(tmp_path / "schema.yml")
    with pytest.raises(ProjectError, match=r"schema\.yml is left out"):
        lineage({"v": GOOD}, schema=tmp_path / "schema.yml")


def test_a_link_that_is_named_is_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "real.sql").write_text(GOOD)
    (tmp_path / "folder" / "link.sql").symlink_to(tmp_path / "real.sql")
    corpus = load(tmp_path / "folder" / "link.sql")
    assert targets(corpus) == ["link.sql"] and not reasons(corpus.files)


def test_a_link_inside_the_project_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "real.sql").write_text(GOOD)
    (tmp_path / "link.sql").symlink_to("a/real.sql")
    assert targets(load(tmp_path)) == ["link.sql", "real.sql"]


def test_a_folder_that_is_a_link_is_left_out_unless_asked(tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "far.sql").write_text(GOOD)
    folder = tmp_path / "sql"
    folder.mkdir()
    (folder / "near.sql").write_text("SELECT 1 AS a")
    (folder / "out").symlink_to(tmp_path / "away")
    (folder / "round").symlink_to(folder)
    corpus = load(folder)
    assert targets(corpus) == ["near.sql"]
    assert reasons(corpus.files) == {"out": Reason.OUTSIDE}
    found = lineage(folder, follow_links=True)
    assert {info.dataset.name for info in found.datasets} == {"near", "good", "raw"}


def test_models_of_a_dbt_project_that_are_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "far.sql").write_text("select password from accounts")
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "dbt_project.yml").write_text("name: shop\nprofile: duckdb\n")
    (folder / "models").symlink_to(tmp_path / "away")
    corpus = load(folder)
    assert targets(corpus) == []
    assert Reason.OUTSIDE in reasons(corpus.files).values()


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    (tmp_path / "good.sql").write_text(GOOD)
    with (tmp_path / "huge.sql").open("wb") as stream:
        stream.truncate(1 << 40)
    corpus = load(tmp_path)
    assert targets(corpus) == ["good.sql"]
    assert reasons(corpus.files) == {"huge.sql": Reason.TOO_LARGE}
    assert not lineage(tmp_path, max_file_size=10).edges


@pytest.mark.parametrize("packer", [gzip, bz2])
def test_a_log_that_unpacks_to_too_much(tmp_path: Path, packer: object) -> None:
    log = tmp_path / "bomb.jsonl.gz"
    row = b'{"sql": "SELECT a FROM t"}\n'
    with packer.open(log, "wb") as stream:  # type: ignore[attr-defined]
        stream.write(row)
        for _ in range(40):
            stream.write(b" " * (1 << 20))
    corpus = load(log)
    assert len(corpus.scripts) == 1 and not reasons(corpus.files)
    found = lineage(log, max_file_size=1 << 20)
    assert [each.code for each in found.diagnostics] == [Code.LEFT_OUT]


ENCODED = [
    ("utf-8", "utf-8"),
    ("utf-8-sig", None),
    ("utf-16", None),
    ("utf-16-le", "utf-16-le"),
    ("utf-32", None),
    ("cp1252", "cp1252"),
    ("shift_jis", "shift_jis"),
]


@pytest.mark.parametrize(("encoding", "option"), ENCODED)
def test_encodings(tmp_path: Path, encoding: str, option: str | None) -> None:
    name = "名前" if encoding == "shift_jis" else "größe"
    file = tmp_path / "a.sql"
    file.write_bytes(f"CREATE VIEW v AS SELECT {name} FROM t".encode(encoding))
    found = lineage(file, encoding=option)
    assert [str(column) for column in found.columns if column.dataset.name == "v"] == [f"v.{name}"]
    assert not found.diagnostics


@pytest.mark.parametrize("name", ["klingon", "hex", "zlib"])
def test_an_unknown_encoding_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.sql").write_text(GOOD)
    with pytest.raises(ValueError, match=f"there is no encoding '{name}'"):
        lineage(tmp_path, encoding=name)


@pytest.mark.parametrize("name", ["punycode", "undefined"])
def test_an_encoding_that_decodes_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.sql").write_text(GOOD)
    found = lineage(tmp_path, encoding=name)
    assert [each.code for each in found.diagnostics] == [Code.LEFT_OUT]


@pytest.mark.parametrize("bom", [b"\xff\xfe", b"\xfe\xff"])
def test_utf16_and_utf32_by_their_marks(tmp_path: Path, bom: bytes) -> None:
    order = "le" if bom == b"\xff\xfe" else "be"
    for width in (16, 32):
        mark = "\ufeff".encode(f"utf-{width}-{order}")
        text = "CREATE VIEW v AS SELECT a FROM t".encode(f"utf-{width}-{order}")
        (tmp_path / f"v{width}.sql").write_bytes(mark + text)
    corpus = load(tmp_path)
    assert {script.text for script in corpus.scripts} == {"CREATE VIEW v AS SELECT a FROM t"}
    assert not corpus.diagnostics


def test_latin1_is_read_with_a_diagnostic(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_bytes("CREATE VIEW v AS\nSELECT größe FROM t".encode("latin-1"))
    corpus = load(tmp_path)
    assert [script.text for script in corpus.scripts] == ["CREATE VIEW v AS\nSELECT größe FROM t"]
    assert [(each.code, each.place and each.place.line) for each in corpus.diagnostics] == [
        (Code.NOT_UTF8, 2)
    ]
    assert (corpus.files.chain().due, corpus.files.chain().read) == (1, 1)


@pytest.mark.parametrize("encoding", ["utf-32", "utf-16", "latin-1"])
def test_a_log_in_other_encodings(tmp_path: Path, encoding: str) -> None:
    log = tmp_path / "q.jsonl"
    log.write_bytes('{"sql": "SELECT größe FROM t"}\n'.encode(encoding))
    corpus = load(log, rules=make_rules("latin-1", False, None))
    assert [script.text for script in corpus.scripts] == ["SELECT größe FROM t"]
    assert not corpus.diagnostics


SETTINGS = (".gitignore", "dbt_project.yml", "lineal.yml", "workflow_settings.yaml", "config.yaml")


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("make", [fifo, zero])
def test_pipes_and_devices_that_are_named_like_settings(
    name: str, make: Callable[[Path], None], tmp_path: Path
) -> None:
    (tmp_path / "good.sql").write_text(GOOD, encoding="utf-8")
    make(tmp_path / name)
    found = lineage(tmp_path)
    assert [str(edge) for edge in found.edges] == ["raw.id -> good.id  IDENTITY"]
    (loss,) = found.coverage.files.losses()
    assert (loss.stage, loss.reason, found.coverage.percent) == ("read", "not a regular file", 50)
