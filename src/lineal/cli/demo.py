"""lineal demo: a tour of the sample project, question by question."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import click

from lineal.cli.source import Mistake
from lineal.model.lifeline import tie_child

FOLDER = "lineal-demo"
SAMPLES, SHOP = "examples", "shop"
PACKAGED = Path(__file__).resolve().parents[1] / "samples"
"""The samples inside an installed lineal."""
CHECKED_OUT = Path(__file__).resolve().parents[3] / "examples"
"""The samples inside a clone, where the package is used without being built."""
NOT_COPIED = (".lineal", "__pycache__")
MARKS = ("lineal.yml", f"{SHOP}/lineal.yml")
"""The files that only a folder has that was unpacked before."""
HERE = "{}"
"""The folder, in a command."""


class Question(NamedTuple):
    """A question of the tour, and the command that answers it."""

    text: str
    command: tuple[str, ...]
    extra: str = ""
    """The extra that the command needs."""


QUESTIONS = (
    Question(
        "Where does a column come from?",
        ("lineage", HERE, "-n", "int_customer_ranking", "--column", "customer_id"),
    ),
    Question(
        "And a column of a PySpark model, through SQL and a module that the model imports?",
        ("lineage", HERE, "-n", "feat_customer_orders", "--column", "amount_band"),
    ),
    Question("What is a model made of?", ("lineage", HERE, "-n", "dim_customers")),
    Question(
        "What does a change of a raw column reach?",
        ("lineage", HERE, "-n", "raw_orders", "--column", "amount", "--impact"),
    ),
    Question(
        "Does the pipeline run, SQL and PySpark, and does Spark see the same lineage?",
        ("run", HERE),
        "spark",
    ),
)

PROVIDERS = {"spark": "pyspark"}
"""The package that tells whether an extra is installed."""

NEXT = (
    ("lineage {} stg_orders.amount+", "where a column goes"),
    ("lineage {} +dim_customers --output mermaid", "a diagram for a wiki"),
    ("show {}", "the lineage as a page in the browser"),
    ("lineage YOUR_SQL_FOLDER --dialect spark", "your own files"),
)


@click.command(name="demo")
@click.argument("folder", required=False)
@click.option(
    "--samples",
    is_flag=True,
    help="Only unpack the samples that the guides use; FOLDER is then `examples`.",
)
def command(folder: str | None, samples: bool) -> None:
    """Unpack the sample project into FOLDER, and answer five questions about it.

    FOLDER must be new or empty.  [default: lineal-demo]

    On a terminal the tour waits for Enter before each question; `q` ends it. In a pipe it prints
    everything at once. The last question runs the project on local Spark and needs the extra `spark`;
    without it the tour says how to install it.

    \b
    lineal demo
    lineal demo somewhere/else
    lineal demo --samples                 write examples/, which the guides use

    Exit codes: 0 fine, 1 a command of the tour failed, 2 a usage error.
    """
    if samples:
        folder = folder or SAMPLES
        unpack_sample(sample_folder(), Path(folder))
        click.echo(f"The samples are in {folder}.")
        return

    folder = folder or FOLDER
    unpack_sample(sample_folder() / SHOP, Path(folder))
    click.echo(f"The sample project, a small web shop, is in {folder}.")
    failed = False
    for number, question in enumerate(QUESTIONS, 1):
        if not wait_for_reader(number):
            break

        click.echo(f"\n{number}. {question.text}\n")
        failed |= answer_question(question, folder)

    click.echo("\n".join(("", "Try next:", "", *next_steps(folder))))
    sys.exit(int(failed))


def sample_folder() -> Path:
    """Return the folder of the samples: the one in the package, or the one in the clone."""
    folder = PACKAGED if PACKAGED.is_dir() else CHECKED_OUT
    if not (folder / SHOP).is_dir():
        raise Mistake("the samples are missing from this installation: install lineal again")

    return folder


def unpack_sample(sample: Path, folder: Path) -> None:
    """Copy a sample into a folder; files that an earlier call put there are kept."""
    if any((folder / mark).is_file() for mark in MARKS):
        return

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Mistake(f"{folder} is not an empty folder: name another one, or remove it")

    ignored = shutil.ignore_patterns(*NOT_COPIED)
    try:
        shutil.copytree(sample, folder, ignore=ignored, dirs_exist_ok=True)
    except OSError as problem:
        raise Mistake(f"cannot write to {folder}: {problem.strerror}") from problem


def wait_for_reader(number: int) -> bool:
    """Wait for Enter before a question; False if the reader ends the tour. A pipe never waits."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        return True

    asked = f"\nPress Enter for question {number} of {len(QUESTIONS)}, or q to end: "
    typed: str = click.prompt(asked, default="", prompt_suffix="", show_default=False)
    return not typed.strip().lower().startswith("q")


def answer_question(question: Question, folder: str) -> bool:
    """Show the command of a question and run it; whether it failed."""
    words = [word.replace(HERE, folder) for word in question.command]
    click.echo(f"$ lineal {shlex.join(words)}")
    if question.extra and find_spec(PROVIDERS[question.extra]) is None:
        click.echo(f"This command needs Spark: pip install 'lineal[{question.extra}]'")
        return False

    # long answers go to the terminal at once: the tour itself is what pages
    environment = {**os.environ, "LINEAL_PAGER": ""}
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "lineal", *words],
        env=environment,
        check=False,
        preexec_fn=tie_child(),
    )
    return done.returncode != 0


def next_steps(folder: str) -> Iterator[str]:
    """Yield the commands to try after the tour, each with its purpose."""
    commands = [
        (f"lineal {text.replace(HERE, shlex.quote(folder))}", about) for text, about in NEXT
    ]
    width = max(len(text) for text, _ in commands)
    for text, about in commands:
        yield f"  {text:<{width}}   {about}"
