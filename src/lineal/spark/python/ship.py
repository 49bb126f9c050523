"""The packages that functions of Python models need on a cluster: those of Spark's own Python APIs.

@F.udf("string")                 pyarrow: Spark sends values as Arrow
@F.pandas_udf("double")          pandas, too

The project's own modules go with the functions that use them; see modules.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from lineal.spark import archive

DISTRIBUTIONS = ("pyarrow", "numpy", "pandas", "python-dateutil", "pytz", "tzdata", "six")


@contextmanager
def settings_for_cluster(master: str, conf: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The settings that send the libraries to a cluster; none if the user's settings say where
    executors find them.
    """
    named = archive.ARCHIVES in conf or archive.PYTHON_PATH in conf
    if master.startswith("local") or named:
        yield {}
        return

    with TemporaryDirectory(prefix="lineal-") as folder:
        packed = Path(folder, "packages.zip")
        archive.pack(packed, DISTRIBUTIONS)
        yield archive.settings_for_archive(packed, conf)
