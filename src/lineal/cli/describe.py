"""lineal describe: descriptions that columns can take over from their sources, written into the
YAML.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from lineal.cli.coverage import footer
from lineal.cli.source import Mistake, check_paths, corpus_of, graph_in, source_options
from lineal.model.grouping import group
from lineal.service.source import Source

if TYPE_CHECKING:
    from lineal.graph.graph import Graph
    from lineal.model.script import Corpus
    from lineal.projects.descriptions import Fill

YAML = (".yml", ".yaml")


class Patch(NamedTuple):
    """One file before and after, with the count of filled descriptions and the refused ones."""

    file: str
    before: bytes
    after: bytes
    filled: int
    refused: list[str]


@click.command(name="describe")
@click.argument("arguments", nargs=-1, metavar="[PATH]…")
@click.option("--write", is_flag=True, help="Write the descriptions into the YAML files.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show the patch and write nothing, also with --write.  [default]",
)
@source_options
def command(source: Source, arguments: tuple[str, ...], write: bool, dry_run: bool) -> None:
    """Copy descriptions to columns that are copied or renamed.

    A column without a description gets that of its nearest described source. If sources disagree,
    it gets none. The rest of the YAML is unchanged: comments, order, quotes and line ends.

    A column opts out with `meta: {lineal: {inherit: false}}`, or with the comment `# lineal:
    ignore[A050]`.

    \b
    lineal describe              print the patch
    lineal describe --write      write it

    Exit codes: 0 fine, 1 a file cannot be read or written, or lineal itself failed, 2 a usage error.
    """
    from lineal.cli.console import complain, report_failures

    source = source._replace(paths=check_paths(arguments))
    corpus = corpus_of(source)
    graph = graph_in(source, corpus)
    patches = list(_patches(source, _fills(source, corpus, graph)))
    failed = (
        _write_patches(patches) if write and not dry_run else _show_patches(patches, source.color)
    )
    failed |= report_failures(graph.extraction.diagnostics, source.color)
    complain(footer(graph))
    sys.exit(failed)


def _patches(source: Source, fills_found: Iterable[Fill]) -> Iterator[Patch]:
    """Yield a patch for each YAML file of the project that lacks descriptions."""
    from lineal.projects.descriptions import write_descriptions

    folders = [where.resolve() for path in source.paths if (where := Path(path)).is_dir()]
    by_file = group(fills_found, lambda fill: (fill.column_at or fill.dataset_at).file)
    for file, fills in sorted(by_file.items()):
        if not file.lower().endswith(YAML) or not any(
            Path(file).resolve().is_relative_to(each) for each in folders
        ):
            refused = [
                f"{fill}: it is declared in {file}, which is not a YAML file of the project"
                for fill in fills
            ]
            yield Patch(file, b"", b"", 0, refused)
            continue

        before, mark, text = _read(file)
        made = write_descriptions(text, fills)
        refused = [f"{file}: {fill}: {reason}" for fill, reason in made.refused]
        yield Patch(file, before, mark + made.text.encode(), len(made.filled), refused)


def _fills(source: Source, corpus: Corpus, graph: Graph) -> Iterator[Fill]:
    """Yield the descriptions to fill in: findings of A050 whose sources have one."""
    from lineal.graph.describe import inheritance
    from lineal.model.edge import Column
    from lineal.projects.descriptions import Fill
    from lineal.projects.source_texts import Texts
    from lineal.rules import Subject, active_rules, check

    suppressions = Texts(corpus, source.paths).suppressions()
    texts = inheritance(graph)
    for finding in check(Subject(graph), active_rules(corpus.checks, ["A050"]), suppressions):
        about = finding.found.about
        if isinstance(about, Column) and about in texts:
            info, place = graph.infos[about.dataset], graph.infos[about.dataset].place
            column = graph.info(about)
            if place is not None and column is not None:
                yield Fill(info.dataset.name, about.name, texts[about].text, place, column.place)


def _read(file: str) -> tuple[bytes, bytes, str]:
    """All of it, its byte order mark, and its text."""
    from lineal.projects.intake import open_regular

    try:
        with open_regular(file) as stream:
            data = stream.read()

        mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
        return data, mark, data[len(mark) :].decode()
    except (OSError, UnicodeDecodeError) as problem:
        raise Mistake(f"cannot read {file}: {problem}") from problem


# -- edits -----------------------------------------------------------------------------------------


def _show_patches(patches: list[Patch], color: str) -> int:
    """Print the patches, and return the exit code."""
    from lineal.cli.console import show

    show("".join(chain.from_iterable(map(_difference, patches))), color)
    _count(patches, "to be written")
    return 0


def _difference(patch: Patch) -> Iterator[str]:
    """A unified diff that `patch -p1` and `git apply` take; what cannot be seen is shown as its
    escape.
    """
    from difflib import unified_diff

    from lineal.views.safe import make_visible

    before, after = (
        side.decode("utf-8-sig").splitlines(keepends=True) for side in (patch.before, patch.after)
    )
    name = patch.file.lstrip("/")
    for line in unified_diff(before, after, f"a/{name}", f"b/{name}"):
        text = line.rstrip("\r\n")
        end = line[len(text) :]
        yield make_visible(text) + (end or "\n\\ No newline at end of file\n")


def _write_patches(patches: list[Patch]) -> int:
    """Write the patches to their files, and return the exit code."""
    from lineal.cli.console import complain
    from lineal.store.files import replace_file

    failed = 0
    for patch in patches:
        if patch.after != patch.before:
            try:
                replace_file(Path(patch.file), patch.after)
            except OSError as problem:
                complain(f"cannot write {patch.file}: {problem.strerror}")
                failed = 1

    _count(patches, "written")
    return failed


def _count(patches: list[Patch], done: str) -> None:
    """Print how many descriptions were written, and which were refused."""
    from lineal.cli.console import complain
    from lineal.views.safe import make_visible
    from lineal.views.words import count_noun

    for refused in chain.from_iterable(patch.refused for patch in patches):
        complain(make_visible(f"left alone: {refused}"))

    filled = sum(patch.filled for patch in patches)
    files = sum(patch.filled > 0 for patch in patches)
    complain(
        f"{count_noun(filled, 'description')} {done}, in {count_noun(files, 'file')}"
        if filled
        else "nothing to write"
    )
