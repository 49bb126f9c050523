"""Archives of Python packages that Spark sends to its executors, so that nothing has to be
installed on a cluster.

The packages are sent as they are installed here: the Python of the executors has to be of the same
version, and their machines of the same kind.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

UNPACKED = "lineal_packages"
ARCHIVES, PYTHON_PATH = "spark.archives", "spark.executorEnv.PYTHONPATH"
LEFT_OUT = ("tests", "include", "__pycache__", "src", "distutils", "f2py")
"""folders of the distributions that nobody imports"""
UNUSED = re.compile(
    r"libarrow(_python)?_(flight|s3)\b.*|_(flight|s3fs|simd)\..*"
    r"|libarrow\w*\.so\.\d+\.\d+\.\d+|.*\.(pyi|pyx|pxd|pxi|h|a|lib)"
)
"""Files that nobody imports: other file systems and protocols of pyarrow, headers, second copies."""


LEVEL = 3
"""Beyond this a second of packing saves less than it costs to send."""


def settings_for_archive(archive: Path, conf: Mapping[str, str]) -> dict[str, str]:
    """The settings that send the archive along; who names archives already gets ours in addition."""
    several = list(filter(None, (conf.get(ARCHIVES, ""), f"{archive}#{UNPACKED}")))
    paths = list(filter(None, (UNPACKED, conf.get(PYTHON_PATH, ""))))
    return {ARCHIVES: ",".join(several), PYTHON_PATH: ":".join(paths)}


def pack(archive: Path, distributions: Sequence[str], packages: Sequence[Path] = ()) -> None:
    """Write the archive: installed distributions, and packages by their folders. A distribution
    that is not installed is left out.
    """
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as packed:
        for package in packages:
            for file in sorted(package.rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    packed.write(file, Path(package.name, file.relative_to(package)))

        for file, name in _installed_files(distributions):
            packed.write(file, name)


def _installed_files(distributions: Sequence[str]) -> Iterator[tuple[Path, str]]:
    """Yield the files of installed packages with their paths in the archive."""
    for name in distributions:
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue

        for listed in found.files or ():
            inside = not listed.is_absolute() and ".." not in listed.parts
            wanted = not any(
                part in LEFT_OUT or part.endswith(".dist-info") for part in listed.parts
            )
            file = Path(str(listed.locate()))
            if inside and wanted and not UNUSED.fullmatch(file.name) and file.is_file():
                yield file, listed.as_posix()
