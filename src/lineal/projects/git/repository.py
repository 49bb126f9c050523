"""A repository, asked through git's plumbing."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from lineal.projects.errors import ProjectError
from lineal.projects.git.snapshot import LINK, OTHER, SUBMODULE, Entry, Snapshot, write_snapshot

HARMLESS = (
    "--no-replace-objects", "--no-optional-locks", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
    "-c", "core.untrackedCache=false", "-c", "protocol.allow=never", "-c", "core.attributesFile=/dev/null",
)  # fmt: skip
"""The options of git that turn off programs which the repository is configured to run."""
ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_PAGER": "cat",
    "GIT_ASKPASS": "", "GIT_EXTERNAL_DIFF": "", "LC_ALL": "C",
}  # fmt: skip
STEERING = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
)
"""The variables in which a hook's environment names another repository."""
LONGEST_WAIT = 120


LOG_FORMAT = "%H%x1f%P%x1f%cI%x1f%s"


class Commit(NamedTuple):
    """A commit of the history."""

    name: str
    parents: str
    date: str
    subject: str

    @property
    def parent(self) -> str:
        """Return the first parent; '' of a first commit, and where a shallow clone ends."""
        return self.parents.partition(" ")[0]


@dataclass(frozen=True)
class Repository:
    """A work tree, and the folder in it that is asked about."""

    top: Path
    inside: PurePosixPath

    @classmethod
    def around(cls, path: str | os.PathLike[str]) -> Repository:
        """The repository that a folder or file is in."""
        where = Path(path).resolve()
        folder = where if where.is_dir() else where.parent
        if shutil.which("git") is None:
            raise ProjectError("revisions are read with git, and git is not installed")

        found = _git(folder, "rev-parse", "--show-toplevel")
        if found.returncode:
            raise ProjectError(_why_no_repository(path, found))

        top = Path(os.fsdecode(found.stdout.rstrip(b"\n"))).resolve()
        try:
            return cls(top, PurePosixPath(where.relative_to(top).as_posix()))
        except ValueError:
            raise ProjectError(f"{path} is not in the work tree {top}") from None

    # -- names -------------------------------------------------------------------------------------

    def commit(self, revision: str) -> str:
        """The commit that a name stands for; one that is not there is the caller's mistake."""
        if (
            not revision
            or revision.startswith("-")
            or any(ord(character) < 32 for character in revision)
        ):
            raise ProjectError(f"{revision!r} is not the name of a revision")

        found = self._ask(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
        )
        if found.returncode:
            raise ProjectError(
                f"unknown revision {revision} in {self.top.name}: "
                f"no branch, tag or commit has this name{self._shallow()}"
            )

        return found.stdout.decode("ascii").strip()

    def merge_base(self, one: str, other: str) -> str:
        """main...topic      where the two parted"""
        found = self._ask("merge-base", self.commit(one), self.commit(other))
        if found.returncode:
            raise ProjectError(f"{one} and {other} have no commit in common{self._shallow()}")

        return found.stdout.decode("ascii").split()[0]

    def history(self, most: int) -> list[Commit]:
        """The last commits that touch the folder, the newest first; of a merge, only the branch
        that it was merged into.
        """
        found = self._ask(
            "rev-list",
            "--first-parent",
            f"--max-count={most}",
            f"--format={LOG_FORMAT}",
            self.commit("HEAD"),
            *self._where(),
        )
        if found.returncode:
            raise ProjectError(f"git cannot list the commits: {_error_text(found)}")

        text = found.stdout.decode("utf-8", "replace")
        lines = [line.split("\x1f") for line in text.splitlines() if "\x1f" in line]
        return [Commit(*line) for line in lines if len(line) == len(Commit._fields)]

    def has(self, revision: str) -> bool:
        """Tell whether the repository has a revision."""
        try:
            self.commit(revision)
        except ProjectError:
            return False

        return True

    def shallow_note(self) -> str:
        """Return what to do about a clone without its history; '' for any other."""
        return self._shallow()

    def _shallow(self) -> str:
        """Return the hint about a shallow clone; '' if the clone is complete."""
        said = self._ask("rev-parse", "--is-shallow-repository").stdout.strip()
        fetch = "this clone is shallow: run git fetch --unshallow, or give actions/checkout fetch-depth: 0"
        if said == b"true":
            return f"; {fetch}"

        return ""

    # -- contents ----------------------------------------------------------------------------------

    @contextmanager
    def revision(self, name: str) -> Iterator[Snapshot]:
        """The folder as it is in a revision."""
        commit = self.commit(name)
        with tempfile.TemporaryDirectory(prefix="lineal-") as folder:
            yield write_snapshot(
                self, list(self._list_entries(commit)), Path(folder), f"{name} ({commit[:10]})"
            )

    @contextmanager
    def work_tree(self) -> Iterator[Snapshot]:
        """Yield the folder as it is on disk: the files that git tracks, and new ones that it does
        not ignore.
        """
        with tempfile.TemporaryDirectory(prefix="lineal-") as folder:
            yield write_snapshot(self, list(self._on_disk()), Path(folder), "the work tree")

    def list_on_disk(self) -> list[Entry]:
        """List the files of the work tree: those that git tracks, and new ones that it does not
        ignore.
        """
        return list(self._on_disk())

    def holds(self, commit: str, name: str) -> bool:
        """Tell whether a commit has a file of this name in the folder that is asked about."""
        found = self._ask("cat-file", "-e", f"{commit}:{(self.inside / name).as_posix()}")
        return not found.returncode

    def _list_entries(self, commit: str) -> Iterator[Entry]:
        """Yield the files of a commit."""
        found = self._ask("ls-tree", "-r", "-z", "-l", "--full-tree", commit, *self._where())
        if found.returncode:
            raise ProjectError(f"cannot list {commit[:10]}: {_error_text(found)}")

        for row in found.stdout.split(b"\0"):
            if row:
                about, _, name = row.partition(b"\t")
                mode, _, object_, size = about.decode("ascii").split()
                yield Entry(os.fsdecode(name), mode, object_, int(size) if size.isdigit() else 0)

    def _on_disk(self) -> Iterator[Entry]:
        """Yield the files of the work tree, untracked ones included."""
        asked = (
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
            "--full-name",
            *self._where(),
        )
        found = self._ask(*asked)
        if found.returncode:
            raise ProjectError(f"cannot list the work tree: {_error_text(found)}")

        for name in dict.fromkeys(os.fsdecode(row) for row in found.stdout.split(b"\0") if row):
            entry = _entry_on_disk(self.top / name, name)
            if entry is not None:
                yield entry

    def _where(self) -> tuple[str, ...]:
        """Return the arguments that limit git to the folder of the project."""
        if str(self.inside) != ".":
            return ("--", f":(top,literal){self.inside}")

        return ()

    def blobs(self, objects: list[str]) -> Iterator[bytes | None]:
        """The contents of objects, as they are stored; None for one that is not there."""
        if not objects:
            return

        left = list(objects)
        while left:
            read = list(self._blobs_until_failure(left))
            yield from read
            left = left[len(read) :]

    def _blobs_until_failure(self, objects: list[str]) -> Iterator[bytes | None]:
        """The contents of objects up to the first one over which git fails, which is None."""
        asked = "".join(f"{object_}\n" for object_ in objects).encode("ascii")
        found = _git(self.top, "cat-file", "--batch", "--buffer", text=asked)
        data, at = found.stdout, 0
        for _ in objects:
            end = data.find(b"\n", at)
            head = data[at:end].split() if end >= 0 else []
            size = int(head[2]) if len(head) == 3 and head[1] == b"blob" else -1
            if end < 0 or end + 1 + size > len(data):  # git has ended here
                yield None
                return

            if size < 0:
                yield None
                at = end + 1
                if len(head) == 3:  # a tree or a commit, with its content
                    at = end + int(head[2]) + 2

                continue

            yield data[end + 1 : end + 1 + size]
            at = end + size + 2

    def _ask(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """Run git in the work tree."""
        return _git(self.top, *arguments)


def _entry_on_disk(file: Path, name: str) -> Entry | None:
    """Return a file of the work tree; None for one that is deleted there."""
    try:
        mode = file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):  # a name that no file system takes
        return Entry(name, OTHER, "", 0)

    if stat.S_ISLNK(mode.st_mode):
        return Entry(name, LINK, "", 0)

    if stat.S_ISDIR(mode.st_mode):
        return Entry(name, SUBMODULE, "", 0)

    if stat.S_ISREG(mode.st_mode):
        return Entry(name, "100644", "", mode.st_size)

    return Entry(name, OTHER, "", 0)


def _git(
    folder: Path, *arguments: str, text: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run git without the user's settings and hooks, and return its answer."""
    environment = {
        name: value for name, value in os.environ.items() if name not in STEERING
    } | ENVIRONMENT
    command = ["git", *HARMLESS, *arguments]
    try:
        return subprocess.run(  # noqa: S603  git itself, with nothing but plumbing
            command,
            cwd=folder,
            env=environment,
            input=text,
            capture_output=True,
            timeout=LONGEST_WAIT,
            check=False,
        )
    except FileNotFoundError:
        raise ProjectError("revisions are read with git, and git is not installed") from None
    except subprocess.TimeoutExpired:
        raise ProjectError(f"git {arguments[0]} takes longer than {LONGEST_WAIT} seconds") from None


def _why_no_repository(
    path: str | os.PathLike[str], found: subprocess.CompletedProcess[bytes]
) -> str:
    """Return the message for a path that is not in a repository."""
    said = _error_text(found)
    if "dubious ownership" in said:
        return f"git does not trust the repository of {os.fspath(path)}, which is another user's: see safe.directory"

    return (
        f"{os.fspath(path)} is not in a git repository: without one, compare two existing folders, "
        "or two saved lineages"
    )


def _error_text(found: subprocess.CompletedProcess[bytes]) -> str:
    """Return the first line of git's error."""
    lines = found.stderr.decode("utf-8", "replace").strip().splitlines()
    if lines:
        return lines[0]

    return f"git ended with {found.returncode}"
