"""Entries as files: written under another name and then renamed, so that a reader sees all of one
or none of it.

A process that is killed leaves at most a file that nobody reads; of two that write one entry the
later one stays, and both wrote the same. Nothing here is needed: where a folder is missing, full or
not ours there is no cache and no error.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
import time
import zlib
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 1 << 30
"""What the folder may hold; beyond it the entries go that were not used for the longest time."""
ABANDONED = 3600.0
"""Seconds after which a file that was never renamed belongs to nobody."""
MAGIC = b"lineal1\n"
UNFINISHED = ".tmp"


def cache() -> Cache | None:
    """The user's cache: LINEAL_CACHE names its folder, or turns it off when it is empty."""
    folder = _folder()
    if folder is not None:
        return Cache(folder)
    return None


def _folder() -> Path | None:
    asked = os.environ.get("LINEAL_CACHE")
    if asked is not None:
        if asked:
            return Path(asked)
        return None
    try:
        return _users_folder() / "lineal"
    except RuntimeError:  # nobody's home
        return None


def _users_folder() -> Path:
    """Where a user's caches are kept: each system has its place."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        if local:
            return Path(local)
        return Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    told = os.environ.get("XDG_CACHE_HOME", "")
    if Path(told).is_absolute():
        return Path(told)
    return Path.home() / ".cache"


class Cache:
    """Bytes by key in a folder."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder
        self.most_bytes = most_bytes

    def get(self, key: str) -> bytes | None:
        """What was put there, or None: not there, damaged, or somebody else's."""
        try:
            with (self.folder / key).open("rb") as stream:
                if not _ours(stream.fileno()):
                    return None
                content = stream.read()
        except (OSError, ValueError):
            return None
        found = _checked(key, content)
        if found is not None:
            with suppress(OSError):
                os.utime(self.folder / key)
        return found

    def put(self, key: str, data: bytes) -> bool:
        """Keep the bytes if that is possible; whether it was."""
        content = _packed(key, data)
        if len(content) > self.most_bytes // 4:
            return False
        unfinished = self.folder / f"{key}.{os.getpid()}.{secrets.token_hex(4)}{UNFINISHED}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with unfinished.open("xb") as stream:
                stream.write(content)
            unfinished.replace(self.folder / key)
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                unfinished.unlink()
            return False
        self._make_room()
        return True

    def _make_room(self) -> None:
        """The entries that were not used for the longest time go first; so does what was never
        finished.
        """
        with suppress(OSError):
            files = sorted(
                (found.stat().st_mtime, found.stat().st_size, found.path)
                for found in os.scandir(self.folder)
            )
            total = sum(size for _, size, _ in files)
            old = time.time() - ABANDONED
            for used, size, path in files:
                if total > self.most_bytes or (path.endswith(UNFINISHED) and used < old):
                    with suppress(OSError):
                        Path(path).unlink()
                        total -= size


def _ours(descriptor: int) -> bool:
    """An entry that somebody else wrote into a folder that we share is none."""
    return sys.platform == "win32" or os.fstat(descriptor).st_uid == os.getuid()


def _packed(key: str, data: bytes) -> bytes:
    body = zlib.compress(data, 1)
    return MAGIC + _checksum(key, body) + body


def _checked(key: str, content: bytes) -> bytes | None:
    body = content[len(MAGIC) + 32 :]
    if content[: len(MAGIC) + 32] != MAGIC + _checksum(key, body):
        return None
    try:
        return zlib.decompress(body)
    except zlib.error:
        return None


def _checksum(key: str, body: bytes) -> bytes:
    """Of the entry and its name: a file that was renamed is damaged, too."""
    return hashlib.blake2b(body, digest_size=32, key=key.encode()[:64]).digest()
