"""The folder of an output, here or where Hadoop's FileSystem reaches.

Here a table is put together in `_unfinished` and renamed. Elsewhere it is put together here, copied
there into `_unfinished`, and renamed there. `_lineal` says that the folder is an output, and here
also who is at work on it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from lineal.spark.lock import LockHeld, hold_file
from lineal.spark.pipeline.address import local, to_write
from lineal.spark.pipeline.errors import BulkError, explain_error
from lineal.spark.pipeline.sessions import check_jvm

UNFINISHED, OWNER = "_unfinished", "_lineal"

Finish = Callable[[str], object]
"""The last steps on a table, at its address, before all can see it."""


def nothing_more(address: str) -> None:
    """Parquet is finished as it is."""


class Folder(Protocol):
    """The operations that an output needs of its folder; names may be paths in it, with slashes."""

    def __str__(self) -> str: ...

    def names(self, name: str = "") -> set[str]:
        """The names of the files and folders in it, or in a folder of it."""

    def read(self, name: str) -> bytes | None:
        """A file; None if it is not there."""

    def write(self, name: str, data: bytes) -> None:
        """A file, there as a whole or not."""

    def remove(self, *names: str) -> None:
        """Files and folders, if they are there."""

    def aside(self, name: str) -> Path:
        """Where on this machine a table is put together."""

    def put(self, name: str, finish: Finish = nothing_more) -> None:
        """Put the finished table in the place of the former one; `finish` runs first, at an address
        that Spark reaches.
        """

    def address(self, name: str) -> str:
        """As Spark has to be told it."""

    def local_copy(self) -> AbstractContextManager[Path]:
        """A folder of this machine with its tables."""

    def hold(self) -> AbstractContextManager[None]:
        """Hold the folder for one run."""


def folder_at(where: str | Path, spark: SparkSession | None = None) -> Folder:
    """Return the output folder at an address."""
    path = local(where)
    if path is not None:
        return Local(path)

    if spark is None:
        raise BulkError(f"{where} needs a session of Spark")

    return Hadoop(spark, str(where))


class Local:
    """A folder of this machine."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def names(self, name: str = "") -> set[str]:
        """Return the names in the folder."""
        where = self.path / name
        if where.is_dir():
            return {each.name for each in where.iterdir()}

        if where.exists() and not name:
            raise BulkError(f"{self} is a file: name a folder for the output")

        return set()

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if it is not there."""
        where = self.path / name
        if where.is_file():
            return where.read_bytes()

        return None

    def write(self, name: str, data: bytes) -> None:
        """Write a file whole: a reader sees the old or the new content."""
        written = self.aside("written")
        for parent in (written.parent, (self.path / name).parent):
            parent.mkdir(parents=True, exist_ok=True)

        written.write_bytes(data)
        written.replace(self.path / name)

    def remove(self, *names: str) -> None:
        """Remove files and folders."""
        for name in names:
            where = self.path / name
            if where.is_dir() and not where.is_symlink():
                shutil.rmtree(where)
            else:
                where.unlink(missing_ok=True)

    def aside(self, name: str) -> Path:
        """Return where a part is written before it is put in place."""
        return self.path / UNFINISHED / name

    def put(self, name: str, finish: Finish = nothing_more) -> None:
        """Put a finished part in the place of the old one."""
        finish(to_write(self.aside(name)))
        gone = f"{UNFINISHED}/{name}.gone"
        self.remove(gone)
        if (self.path / name).exists():
            (self.path / name).rename(self.path / gone)

        self.aside(name).rename(self.path / name)
        self.remove(gone)

    def address(self, name: str) -> str:
        """Return a name as the URL that Spark reads."""
        return to_write(self.path / name)

    @contextmanager
    def local_copy(self) -> Iterator[Path]:
        """The folder itself."""
        yield self.path

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the folder for one run."""
        with ExitStack() as stack:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                stack.enter_context(hold_file(self.path / OWNER))
            except OSError as problem:
                raise BulkError(
                    f"cannot write to {self}: {problem.strerror or problem}"
                ) from problem
            except LockHeld as other:
                raise BulkError(
                    f"another run is at work on {self}{other}: wait for it, or name another folder"
                ) from other

            yield


class Hadoop:
    """A folder that the driver's JVM reaches by a FileSystem of Hadoop: HDFS, or an object store."""

    def __init__(self, spark: SparkSession, address: str) -> None:
        check_jvm(spark, f"an output at {address}", "name a folder of this machine with --out")
        jvm: Any = spark._jvm
        self.root = address.rstrip("/")
        self.path = jvm.org.apache.hadoop.fs.Path
        try:
            self.files = self.path(address).getFileSystem(spark._jsc.hadoopConfiguration())
            self.files.exists(self.path(address))
        except Py4JJavaError as problem:
            raise BulkError(f"{address} cannot be reached: {explain_error(problem)}") from problem

    def __str__(self) -> str:
        return self.root

    def names(self, name: str = "") -> set[str]:
        """Return the names in the folder."""
        where = self.there(name)
        if not self.files.exists(where):
            return set()

        if not name and self.files.getFileStatus(where).isFile():
            raise BulkError(f"{self} is a file: name a folder for the output")

        return {each.getPath().getName() for each in self.files.listStatus(where)}

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if it is not there."""
        if not self.files.exists(self.there(name)):
            return None

        copy = self.here / "read"
        self.files.copyToLocalFile(False, self.there(name), self.path(to_write(copy)), True)
        return copy.read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """Write a file whole: a reader sees the old or the new content."""
        copy = self.here / "written"
        copy.write_bytes(data)
        self.bring(copy, f"{UNFINISHED}/written")
        self.rename(f"{UNFINISHED}/written", name)

    def remove(self, *names: str) -> None:
        """Remove files and folders."""
        for name in names:
            self.files.delete(self.there(name), True)

    def aside(self, name: str) -> Path:
        """Return where a part is written before it is put in place."""
        return self.here / UNFINISHED / name

    def put(self, name: str, finish: Finish = nothing_more) -> None:
        """Put a finished part in the place of the old one."""
        self.bring(self.aside(name), f"{UNFINISHED}/{name}")
        shutil.rmtree(self.aside(name))
        finish(self.address(f"{UNFINISHED}/{name}"))
        self.rename(f"{UNFINISHED}/{name}", name)

    def address(self, name: str) -> str:
        """Return a name as the URL that Spark reads."""
        return f"{self.root}/{name}"

    @contextmanager
    def local_copy(self) -> Iterator[Path]:
        """A copy of the folder, for as long as it is needed."""
        with tempfile.TemporaryDirectory(prefix="lineal-") as here:
            copy = Path(here, "copy")
            self.files.copyToLocalFile(False, self.there(""), self.path(to_write(copy)), True)
            yield copy

    @contextmanager
    def hold(self) -> Iterator[None]:
        """No file system of the kind has locks that a killed process gives back: two runs at once
        are not noticed.
        """
        with tempfile.TemporaryDirectory(prefix="lineal-") as here:
            self.here = Path(here)
            if OWNER not in self.names():
                self.write(OWNER, b"")

            yield

    def there(self, name: str) -> Any:
        """Return a name as a Path of Hadoop."""
        return self.path(self.address(name) if name else self.root)

    def bring(self, copy: Path, name: str) -> None:
        """Move a local file or folder to the folder."""
        self.remove(name)
        self.files.mkdirs(self.there(name).getParent())
        self.files.copyFromLocalFile(False, True, self.path(to_write(copy)), self.there(name))

    def rename(self, before: str, after: str) -> None:
        """Rename a part; the old one of that name is removed."""
        self.remove(after)
        self.files.mkdirs(self.there(after).getParent())
        if not self.files.rename(self.there(before), self.there(after)):
            raise BulkError(f"{self.address(before)} cannot be renamed to {after}")
