"""The one way to open input: every file of a project, a folder or a log is opened here.

    with Intake(Path("shop"), Rules(encoding="cp1252")) as intake:
        text = read_text(Path("shop/models/orders.sql"), report)
    intake.files                                                   what was read, and what was not

A file is opened only if it is a regular file, of a size that can be read, and inside the folder
that was named. Files that are not read are reported and counted. `Refused` says why; it is an
OSError, so that a reader who only looks at a file handles both alike.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar, Token
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple

from lineal.model.boundary import internal_error
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.folders import walk_folders
from lineal.model.ledger import FileLedger, Reason
from lineal.model.limits import size_of
from lineal.projects.ignore import IGNORE_FILE
from lineal.projects.tree import Tree, is_build_folder

Report = Callable[[Diagnostic], None]
"""Where a reader puts what it could not read: usually a list's `append`."""

LARGEST = 1 << 30
"""Bytes of a file, or of a line of a log, that are held in memory at once: 1 GiB."""

ENCODING, FOLLOW_LINKS, MAX_FILE_SIZE = (
    "LINEAL_ENCODING",
    "LINEAL_FOLLOW_LINKS",
    "LINEAL_MAX_FILE_SIZE",
)
"""The environment variables that say the same as the options."""

FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
FLAGS |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""A FIFO or a device does not wait for anybody, should one take the place of a file."""

KINDS_OF_FILES = (
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class Refused(OSError):
    """A file that lineal does not read, and why."""

    def __init__(self, reason: Reason, problem: str) -> None:
        super().__init__(problem)
        self.reason = reason
        self.strerror: str = problem


@dataclass(frozen=True)
class Rules:
    """Which files may be read, and how: the options --encoding, --follow-links, --max-file-size."""

    encoding: str | None = None
    """Of texts without a byte order mark; without it they are UTF-8, else Latin-1."""
    follow_links: bool = False
    """Whether links may lead out of the folder that was named."""
    largest: int = LARGEST
    exclude: tuple[str, ...] = ()
    """Patterns of files and folders that are left out, as in .gitignore."""
    include: tuple[str, ...] = ()
    """Patterns of the only files that are read."""

    @classmethod
    def from_environment(cls) -> Rules:
        """Return the rules that the environment variables give."""
        return make_rules(None, False, None)


def make_rules(
    encoding: str | None,
    follow_links: bool,
    max_file_size: int | None,
    exclude: tuple[str, ...] = (),
    include: tuple[str, ...] = (),
) -> Rules:
    """Return the rules of these options; an option that is not given is taken from the environment."""
    encoding = encoding or os.environ.get(ENCODING) or None
    if encoding is not None:
        check_encoding(encoding)

    given = os.environ.get(MAX_FILE_SIZE, "")
    if max_file_size is None and given:
        max_file_size = size_of(given)

    return Rules(
        encoding,
        follow_links or os.environ.get(FOLLOW_LINKS, "").lower() in ("1", "true", "yes"),
        LARGEST if max_file_size is None else max_file_size,
        exclude,
        include,
    )


def check_encoding(name: str) -> None:
    """Raise a ValueError if there is no encoding of this name."""
    try:
        b" ".decode(name)  # of no bytes at all, Python does not look for the encoding
    except LookupError:
        raise ValueError(f"there is no encoding {name!r}: write utf-16-le, cp1252, …") from None
    except UnicodeError:
        return  # one byte is half a character of UTF-16


class Intake:
    """The files of one input: the folders that they may be in, and what became of each."""

    def __init__(self, path: Path | None = None, rules: Rules | None = None) -> None:
        self.rules = rules if rules is not None else Rules.from_environment()
        self.path = path
        self.files = FileLedger()
        self.passed_over: set[str] = set()
        """The files that are not due; the ledger only counts them."""
        self.tree: Tree | None = None
        """The files that are left out of a named folder; None where a file was named."""
        self.restored = False
        """Whether lineal has written this input: then the ledger of that run counts, not its files."""
        self._roots: list[str] = []
        self._inside: dict[str, bool] = {}
        self._token: Token[Intake | None] | None = None

    def __enter__(self) -> Intake:
        self._token = _CURRENT.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._token is not None, "entered before"
        _CURRENT.reset(self._token)

    def admit(self, folder: Path) -> None:
        """Let files of this folder be read: it is, or belongs to, the input that was named."""
        self._roots.append(os.path.realpath(folder))
        self._inside.clear()

    def open_tree(self, folder: Path, exclude: tuple[str, ...], include: tuple[str, ...]) -> Tree:
        """Leave out what .gitignore and these patterns name below a folder; those of the rules count
        as well.
        """
        patterns = (*self.rules.exclude, *exclude), (*self.rules.include, *include)
        self.tree = Tree(str(folder), read_quietly, *patterns)
        return self.tree

    def pass_over(self, file: str, reason: Reason) -> None:
        """Count a file that is not due, once."""
        if file not in self.passed_over:
            self.passed_over.add(file)
            self.files.due_files.pop(file, None)
            self.files.leave_out(file, reason)

    def add(self, file: str) -> None:
        """Count a file that was read, unless it is known not to be due."""
        if file not in self.passed_over:
            self.files.add(file)

    def mark_invalid(self, file: str) -> None:
        """Say of a file that was read that it is not valid YAML, JSON or CSV."""
        if file in self.files.due_files:
            self.files.leave_out(file, Reason.INVALID)

    def is_counted(self, file: str) -> bool:
        """Tell whether a file is in the ledger already."""
        return file in self.files.due_files or file in self.passed_over

    def folders_read(self) -> set[str]:
        """Return the folders that files were due in, with those above them."""
        found: set[str] = set()
        for folder in set(map(os.path.dirname, self.files.due_files)):
            here = folder
            while here and here not in found:
                found.add(here)
                here = os.path.dirname(here)  # noqa: PTH120

        return found

    def check_place(self, path: str) -> None:
        """Refuse a file that is outside the input, or a link that leads there."""
        if not self._roots or self.rules.follow_links or path == str(self.path):
            return

        folder = os.path.dirname(path)  # noqa: PTH120  thousands of them
        if folder not in self._inside:
            self._inside[folder] = self.is_plainly_inside(folder) or self.contains(folder or ".")

        if not self._inside[folder] or (os.path.islink(path) and not self.contains(path)):  # noqa: PTH114
            raise Refused(Reason.OUTSIDE, "it is a link that leaves the project")

    def is_plainly_inside(self, folder: str) -> bool:
        """Tell whether a folder is a real one in a folder that is known to be inside. To follow
        every path from the root takes minutes in a deep tree.
        """
        above, name = os.path.split(folder)
        return self._inside.get(above, False) and name != ".." and not os.path.islink(folder)  # noqa: PTH114

    def contains(self, path: str) -> bool:
        """Tell whether a path, with its links followed, is inside the input."""
        real = os.path.realpath(path)
        return any(
            real == root or real.startswith(f"{root.rstrip(os.sep)}{os.sep}")
            for root in self._roots
        )


_CURRENT: ContextVar[Intake | None] = ContextVar("intake", default=None)


def current() -> Intake:
    """Return the intake of the input that is being read; outside any, one that admits all files."""
    return _CURRENT.get() or Intake()


# -- opening ---------------------------------------------------------------------------------------


SHADOWS: dict[str, str] = {}
"""By the absolute path of a file: the file that is read in its place. An editor's unsaved texts."""


def shadow_of(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return the file that is read for a path: itself, unless an editor has another text of it."""
    if not SHADOWS:
        return path

    return SHADOWS.get(os.path.abspath(path), path)  # noqa: PTH100  thousands of them


def open_regular(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a regular file, wherever it is, without waiting for anything; `Refused` if it is none."""
    path = shadow_of(path)
    check_kind(os.stat(path).st_mode)  # a device is not even opened  # noqa: PTH116
    descriptor = os.open(path, FLAGS)
    try:
        check_kind(os.fstat(descriptor).st_mode)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def check_kind(mode: int) -> None:
    """Refuse everything except regular files."""
    if stat.S_ISREG(mode):
        return

    if stat.S_ISDIR(mode):
        raise IsADirectoryError(21, "it is a folder")

    kind = next((name for test, name in KINDS_OF_FILES if test(mode)), "not a regular file")
    raise Refused(Reason.NOT_REGULAR, f"it is {kind}")


def open_input(path: Path, asked: bool = False) -> BufferedReader:
    """Open a file of the input; one that the caller has asked for by its name may be anywhere."""
    if not asked:
        current().check_place(str(path))

    return open_regular(path)


def first_file(folder: Path, names: Iterable[str]) -> Path | None:
    """Return the first of these files that a folder has."""
    return next((folder / name for name in names if (folder / name).is_file()), None)


def is_regular(path: Path) -> bool:
    """Tell whether a path is a regular file; links are followed."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return False


def read_bytes(
    path: Path, report: Report, most: int | None = None, *, asked: bool = False
) -> bytes | None:
    """Return the first `most` bytes of a file (all of them by default); None and a diagnostic if it
    cannot be read. Both are entered in the ledger, but for a file that the caller asked for.
    """
    intake = current()
    try:
        with open_input(path, asked) as stream:
            data = read_limited(stream, intake.rules.largest) if most is None else stream.read(most)
    except OSError as error:
        leave_out(path, error, report, asked)
        return None

    if not asked:
        intake.add(str(path))

    return data


def read_limited(stream: BinaryIO, largest: int) -> bytes:
    """Return all bytes of a stream; `Refused` if there are too many."""
    if os.fstat(stream.fileno()).st_size <= largest:
        data = stream.read(largest + 1)
        if len(data) <= largest:
            return data

    raise too_large(largest)


def too_large(largest: int) -> Refused:
    """Return the refusal of a file that is larger than the limit."""
    return Refused(Reason.TOO_LARGE, f"it is larger than {largest:,} bytes (--max-file-size)")


def leave_out(path: Path, error: OSError, report: Report, asked: bool = False) -> None:
    """Report a file that cannot be read, and count it."""
    file = str(path)
    reason = error.reason if isinstance(error, Refused) else Reason.UNREADABLE
    if not asked:
        current().files.leave_out(file, reason)

    if isinstance(error, Refused):
        report(left_out(file, error.strerror))
    else:
        report(unreadable_file(file, error))


def left_out(file: str, problem: str) -> Diagnostic:
    """Return the diagnostic of a file that lineal does not read."""
    return Diagnostic(Code.LEFT_OUT, f"{file} is left out: {problem}", Place(file, 1, 1))


def unreadable_file(file: str, error: Exception) -> Diagnostic:
    """Return the diagnostic of a file or folder that cannot be opened."""
    problem = getattr(error, "strerror", None) or error
    return Diagnostic(Code.UNREADABLE, f"cannot read {file}: {problem}", Place(file, 1, 1))


def peek_bytes(path: Path, most: int) -> bytes:
    """Return how a file begins, to tell what it is; nothing if it cannot be read. It is not counted."""
    try:
        with open_input(path) as stream:
            return stream.read(most)
    except (OSError, ValueError):
        return b""


def read_installed(path: Path) -> str:
    """Return the text of a file that lineal itself brings along."""
    with open_regular(path) as stream:
        return stream.read().decode()


def read_quietly(path: str) -> bytes:
    """Return a file that only says what to leave out; nothing if it is not there."""
    try:
        with open_regular(path) as stream:
            return stream.read(min(os.fstat(stream.fileno()).st_size, MOST_RULES))
    except (OSError, ValueError):
        return b""


MOST_RULES = 1 << 28
"""Bytes of a .gitignore, or of the index of git, that are read."""


# -- folders ---------------------------------------------------------------------------------------


def walk(folder: Path, report: Report, by_rules: bool = False) -> Iterator[tuple[Path, list[str]]]:
    """Yield every folder below a folder with the sorted names of its files.

    Hidden folders and what --exclude names are not entered. A project's reader reads what the tool
    itself would read; `by_rules`, .gitignore holds as well, and build folders are left alone. Links
    to folders are followed only if the rules say so, and then each folder is entered once; a link
    that leaves the input is reported and counted.
    """
    intake = current()
    seen: set[str] = set()
    for where, folders, names in walk_folders(
        folder,
        lambda error: report(unreadable_file(str(error.filename), error)),
        intake.rules.follow_links,
    ):
        if intake.rules.follow_links:
            real = os.path.realpath(where)
            if real in seen:
                folders.clear()
                continue

            seen.add(real)

        here = os.path.abspath(where)  # noqa: PTH100
        decide = Decision(intake.tree, where, here, by_rules, report)
        folders[:] = sorted(filter(decide.enters, folders))
        yield Path(where), sorted(filter(decide.takes, names))


class Decision(NamedTuple):
    """The entries of one folder that a walk takes; an entry that fails is left out."""

    tree: Tree | None
    folder: str
    absolute: str
    by_rules: bool
    report: Report

    def enters(self, name: str) -> bool:
        """Tell whether the walk enters a folder."""
        return self.allows(name, True)

    def takes(self, name: str) -> bool:
        """Tell whether the walk takes a file."""
        return self.allows(name, False)

    def allows(self, name: str, is_folder: bool) -> bool:
        """Tell whether no rule leaves out an entry, and no link leads out of the input."""
        try:
            is_allowed = is_kept(self.tree, self.absolute, name, is_folder, self.by_rules)
            return is_allowed and (not is_folder or is_entered(self.folder, name, self.report))
        except Exception as error:
            file = str(Path(self.folder, name))
            self.report(internal_error(error, Place(file, 1, 1), "this file or folder"))
            return False


def is_kept(tree: Tree | None, folder: str, name: str, is_folder: bool, by_rules: bool) -> bool:
    """Tell whether no rule leaves out an entry of a folder."""
    if tree is None:
        return not (by_rules and is_folder and is_build_folder(folder, name))

    if by_rules:
        return tree.reason(folder, name, is_folder) is None

    return not tree.is_excluded(f"{folder.rstrip(os.sep)}{os.sep}{name}", is_folder)


def is_entered(where: str, name: str, report: Report) -> bool:
    """Tell whether a walk enters a folder; a link out of the input is reported and counted."""
    if name.startswith("."):
        return False

    path = Path(where, name)
    try:
        current().check_place(str(path))
    except Refused as refused:
        leave_out(path, refused, report)
        return False

    return True


def count_others(folder: Path, intake: Intake) -> None:
    """Count the files below a folder that nobody reads: hidden ones, those in build folders, and
    those of other kinds. A folder that is not entered counts as one.
    """
    tree = intake.tree or Tree(str(folder), read_quietly)
    read = intake.folders_read()
    waiting = [str(folder)]
    while waiting:
        here = waiting.pop()
        absolute = os.path.abspath(here)  # noqa: PTH100
        for entry in entries_of(here):
            is_folder = entry.is_dir(follow_symlinks=False)
            file = str(Path(here, entry.name))
            reason = tree.reason(absolute, entry.name, is_folder)
            if is_folder and file in read:
                reason = None  # a reader has asked for it
            elif is_unreadable_setting(entry):
                reason = Reason.NOT_REGULAR

            if reason is None and is_folder:
                waiting.append(file)
            elif not intake.is_counted(file):
                intake.files.leave_out(file + os.sep * is_folder, reason or Reason.OTHER_KIND)


def is_unreadable_setting(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry has the name of a file of settings, and is a pipe or a device."""
    if entry.name not in SETTINGS:
        return False

    try:
        return not entry.is_file() and not entry.is_dir()
    except OSError:  # a link to itself
        return True


SETTINGS = frozenset((
    IGNORE_FILE, "dbt_project.yml", "lineal.yml", "lineal.yaml", "featherflow.yml", "featherflow.yaml",
    "workflow_settings.yaml", "dataform.json", "config.yaml", "config.yml",
))  # fmt: skip
"""Files that decide how the files around them are read."""


def entries_of(folder: str) -> list[os.DirEntry[str]]:
    """Return the entries of a folder by name; none if it cannot be read."""
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return []
