"""The folders below a folder, however deep they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

Walked = tuple[str, list[str], list[str]]


def walk_folders(
    top: str | os.PathLike[str],
    report: Callable[[OSError], object] = lambda error: None,
    follow_links: bool = False,
) -> Iterator[Walked]:
    """Yield each folder with the names of its folders and of its other entries, outer ones first.

    This is `os.walk`, which calls itself for each level in Python 3.11: a deep tree ends it. The
    caller may remove folders from the list; the walk does not enter them.
    """
    waiting = [os.fspath(top)]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here) as found:
                entries = list(found)
        except OSError as error:
            report(error)
            continue

        are_folders = {entry.name: _is_folder(entry) for entry in entries}
        folders = [name for name, is_folder in are_folders.items() if is_folder]
        yield here, folders, [name for name, is_folder in are_folders.items() if not is_folder]
        below = [os.path.join(here, name) for name in reversed(folders)]  # noqa: PTH118
        waiting += [path for path in below if follow_links or not os.path.islink(path)]  # noqa: PTH114


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry is a folder or a link to one."""
    try:
        return entry.is_dir()
    except OSError:
        return False
