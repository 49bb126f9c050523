"""Compare the lineage that two commits of lineal read from the same inputs, edge for edge.

python tools/compare_commits.py OLD NEW                      case files, TPC, examples and jobs
python tools/compare_commits.py OLD NEW ~/a-project …        and these checkouts
python tools/compare_commits.py OLD NEW --bench              and the CPU seconds of both

The inputs are those of OLD, so a case that NEW adds does not count as a difference. Both commits are checked out
into a temporary folder and run with the interpreter that runs this file. Each difference is a line:
`-` only in OLD, `+` only in NEW. The exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^(`{3,})(\w+)([^\n]*)\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
PARTS = ("edges", "reads", "diagnostics")
ROUNDS = 5
"""How often each commit is measured, in turns."""
SHOWN = 12
"""How many lines of an input's difference are printed."""


class Input(NamedTuple):
    """A path or a text to read, with its dialect and its known tables."""

    name: str
    path: str = ""
    text: str = ""
    dialect: str | None = None
    schema: dict[str, dict[str, str]] | None = None


# -- inputs ----------------------------------------------------------------------------------------


def inputs_of(tree: Path, work: Path, checkouts: list[str]) -> Iterator[Input]:
    """Yield the inputs that a commit has, and the checkouts."""
    for path in sorted((tree / "tests" / "cases").glob("*/*.md")):
        yield from case_inputs(path, work)

    yield from tpc_inputs()
    for folder in (tree / "examples", tree / "tests" / "jobs"):
        for path in sorted(folder.iterdir()):
            if path.is_dir() or path.suffix == ".py":
                yield Input(str(path.relative_to(tree)), str(path))

    for checkout in checkouts:
        yield Input(Path(checkout).name, str(Path(checkout).resolve()))


def case_inputs(path: Path, work: Path) -> Iterator[Input]:
    """Yield the query of a case file, its program, or the folder of its files."""
    name = f"{path.parent.name}/{path.stem}"
    blocks = [(found[2], found[3], found[4]) for found in BLOCK.finditer(path.read_text("utf-8"))]
    schema = {}
    dialect = "spark"
    for language, options, text in blocks:
        if language == "schema":
            schema = dict(map(read_table, filter(None, text.splitlines())))
        if language == "sql":
            dialect = option("dialect", options, "spark")

    files = [each for each in blocks if "file=" in each[1]]
    if files:
        yield Input(name, write_files(files, work / name), dialect=dialect, schema=schema)
        return

    for language, _, text in blocks:
        if language == "sql":
            yield Input(name, text=text, dialect=dialect, schema=schema)
        elif language == "pyspark":
            folder = write_files([(language, "file=job.py", text)], work / name)
            yield Input(f"{name} (program)", folder, schema=schema)


def write_files(blocks: list[tuple[str, str, str]], folder: Path) -> str:
    """Write the files of a case, and return their folder."""
    for _, options, text in blocks:
        file = folder / option("file", options, "")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    return str(folder)


def option(name: str, options: str, default: str) -> str:
    """Return the value of name=value behind the language of a block."""
    found = re.search(rf"\b{name}=(\S*)", options)
    return found[1] if found else default


def read_table(line: str) -> tuple[str, dict[str, str]]:
    """orders(id int, tags array<string>)      the table, and its columns with their types"""
    table, _, listed = line.strip().rstrip(")").partition("(")
    columns = re.split(r",\s*(?![^<(]*[>)])", listed)
    pairs = (column.strip().partition(" ") for column in filter(None, columns))
    return table.strip(), {name: kind for name, _, kind in pairs}


def tpc_inputs() -> Iterator[Input]:
    """Yield the queries of TPC-DS and TPC-H, if they have been fetched."""
    sys.path.insert(0, str(ROOT / "bench"))
    import tpc

    for name in tpc.SUITES:
        try:
            suite = tpc.suite(name)
        except tpc.NotFetched as problem:
            print(f"left out: {name} ({problem})")
            continue

        for number, query in enumerate(suite.queries, 1):
            yield Input(f"{name} {number}", text=query, schema=suite.schema)


# -- one commit ------------------------------------------------------------------------------------


def dump(inputs: list[Input], out: Path) -> None:
    """Write what this process' lineal reads from each input: a list of lines."""
    found = {each.name: lines_of(each) for each in inputs}
    out.write_text(json.dumps(found), "utf-8")


def lines_of(each: Input) -> list[str]:
    """Return the edges, reads and diagnostics of an input as lines; a failure is a line, too."""
    try:
        read = json.loads(read_input(each))
    except Exception as problem:
        return [f"failed: {type(problem).__name__}: {problem}"]

    lines = (f"{part} {json.dumps(row, sort_keys=True)}" for part in PARTS for row in read[part])
    return sorted(lines)


def read_input(each: Input) -> str:
    """Return the lineage of an input as JSON."""
    import lineal

    source: object = Path(each.path) if each.path else {"result": each.text}
    return lineal.lineage(source, each.dialect, each.schema or None).to("json")


def measure(inputs: list[Input], out: Path) -> None:
    """Write the CPU seconds from the texts to their edges; a first pass warms up."""
    import lineal

    texts = [each for each in inputs if each.text]
    for _ in range(2):
        before = time.process_time()
        for each in texts:
            lineal.lineage({"result": each.text}, each.dialect, each.schema or None)

    out.write_text(str(time.process_time() - before), "utf-8")


TASKS = {"dump": dump, "measure": measure}


def run_task(task: str, tree: Path, inputs: Path) -> str:
    """Run a task in a process with the lineal of a tree, and return what it writes."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        known = {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONHASHSEED": "0"}
        command = [sys.executable, __file__, "--task", task, str(inputs), str(out)]
        subprocess.run(command, env=known, cwd=folder, check=True)
        return out.read_text("utf-8")


@contextmanager
def checked_out(commit: str, folder: Path) -> Iterator[Path]:
    """Check a commit out into a folder for as long as it is needed."""
    subprocess.run(
        ["git", "-C", str(ROOT), "worktree", "add", "-q", "--detach", str(folder), commit],
        check=True,
    )
    try:
        yield folder
    finally:
        subprocess.run(
            ["git", "-C", str(ROOT), "worktree", "remove", "--force", str(folder)], check=True
        )


# -- both ------------------------------------------------------------------------------------------


def compare(old: Path, new: Path, inputs: Path) -> int:
    """Print the differences of two trees, and return how many inputs differ."""
    before, after = read_both(old, new, inputs)
    differing = [name for name in before if before[name] != after[name]]
    for name in differing:
        print(f"\n{name}")
        show(before[name], after[name])

    lines = sum(map(len, before.values()))
    print(f"\n{len(before):,} inputs, {lines:,} lines, {len(differing)} inputs differ")
    return len(differing)


def read_both(old: Path, new: Path, inputs: Path) -> list[dict[str, list[str]]]:
    """Return the lines of each input, of both trees; both are read at the same time."""
    with ThreadPoolExecutor() as threads:
        texts = threads.map(lambda tree: run_task("dump", tree, inputs), (old, new))
        return list(map(json.loads, texts))


def show(before: list[str], after: list[str]) -> None:
    """Print the lines that only one side has."""
    gone, new = set(before) - set(after), set(after) - set(before)
    lines = [*(f"- {line}" for line in sorted(gone)), *(f"+ {line}" for line in sorted(new))]
    for line in lines[:SHOWN]:
        print(line[:400])

    if len(lines) > SHOWN:
        print(f"  and {len(lines) - SHOWN} more")


def bench(old: Path, new: Path, inputs: Path) -> None:
    """Print the CPU seconds of both trees, measured in turns, and their ratio."""
    seconds: dict[Path, list[float]] = {old: [], new: []}
    for _ in range(ROUNDS):
        for tree, times in seconds.items():
            times.append(float(run_task("measure", tree, inputs)))

    least = {tree: min(times) for tree, times in seconds.items()}
    ratio = least[new] / least[old]
    print(f"text to edges: old {least[old]:.2f} s, new {least[new]:.2f} s CPU, ratio {ratio:.3f}")


def main() -> int:
    """Compare two commits; or, with --task, do one commit's part."""
    if sys.argv[1:2] == ["--task"]:
        task, inputs, out = sys.argv[2:]
        TASKS[task]([Input(*row) for row in json.loads(Path(inputs).read_text("utf-8"))], Path(out))
        return 0

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("checkouts", nargs="*")
    parser.add_argument("--bench", action="store_true", help="Measure the CPU seconds of both.")
    asked = parser.parse_args()

    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        old = stack.enter_context(checked_out(asked.old, work / "old"))
        new = stack.enter_context(checked_out(asked.new, work / "new"))
        inputs = work / "inputs.json"
        inputs.write_text(
            json.dumps(list(inputs_of(old, work / "cases", asked.checkouts))), "utf-8"
        )
        differing = compare(old, new, inputs)
        if asked.bench:
            bench(old, new, inputs)

    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
