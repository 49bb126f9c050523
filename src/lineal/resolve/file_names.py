"""Names of bare SELECTs: after their file, or after its folders where the file's stem does not tell
them apart.

    sql/shop/orders.sql               orders
    sql/shop/orders_v1/query.sql      orders_v1, or shop.orders_v1 if another statement reads that
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from lineal.extract.sql.statements.steps import Plan
from lineal.model.names import Fold

if TYPE_CHECKING:
    from lineal.resolve.scripts import Prepared

SAYS_NOTHING = frozenset(("query", "view", "script", "model", "main", "index", "init"))
"""Stems that name no dataset."""

Parts = tuple[str, ...]


class FileNames(NamedTuple):
    """The names of the bare SELECTs of files."""

    names: dict[str, str]
    """by file; a file that is not among them is called by its stem"""
    tails: dict[str, str]
    """the key of every tail of a path that means one of these files, and the file's name"""


def file_stem(path: str) -> str:
    """models/orders.sql      orders"""
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[0] if "." in name else name


def folders_of(path: str) -> Parts:
    """sql/shop/orders.sql      sql, shop"""
    folders = path.replace("\\", "/").split("/")[:-1]
    return tuple(each for each in folders if each not in ("", ".", ".."))


def name_files(scripts: Iterable[Prepared], taken: Collection[str], fold: Fold) -> FileNames:
    """Name the files with a bare SELECT whose stem says nothing or is shared, by the shortest tail
    of folders that nothing else is called.
    """
    files = sorted({each.reading.script.file for each in scripts if has_bare_select(each)})
    stems = Counter(fold(file_stem(file), False) for file in files)
    unclear = {
        file: parts_of(file)
        for file in files
        if file_stem(file).lower() in SAYS_NOTHING or stems[fold(file_stem(file), False)] > 1
    }
    if not unclear:
        return FileNames({}, {})

    same = Counter(unclear.values())
    for file, parts in unclear.items():
        if same[parts] > 1:
            unclear[file] = (*folders_of(file), file_stem(file))

    held = set(taken) | {stem for stem, count in stems.items() if count == 1}
    keys = {file: [tail_key(tail, fold) for tail in tails(p)] for file, p in unclear.items()}
    met = Counter(chain.from_iterable(keys.values()))
    found = FileNames({}, {})
    for file, parts in unclear.items():
        free = [
            (".".join(tail), key)
            for tail, key in zip(tails(parts), keys[file], strict=True)
            if met[key] == 1 and (key not in held or len(parts) == 1)
        ]
        name = free[0][0] if free else ".".join(parts)
        found.names[file] = name
        found.tails.update((key, name) for _, key in free)

    return found


def has_bare_select(script: Prepared) -> bool:
    """Tell whether a file has a SELECT that nothing but the file gives a name."""
    about = script.reading.script
    if about.target or about.recurs or not about.file:
        return False

    return any(isinstance(step, Plan) and not step.name for step, _ in script.steps)


def parts_of(file: str) -> Parts:
    """The folders of a file, and its stem if that says something."""
    stem, folders = file_stem(file), folders_of(file)
    if folders and stem.lower() in SAYS_NOTHING:
        return folders

    return (*folders, stem)


def tails(parts: Parts) -> list[Parts]:
    """(a, b, c)      (c), (b, c), (a, b, c)"""
    return [parts[-length:] for length in range(1, len(parts) + 1)]


def tail_key(tail: Parts, fold: Fold) -> str:
    """The key of a name that is written as a tail of a path."""
    return ".".join(fold(part, False) for part in ".".join(tail).split("."))
