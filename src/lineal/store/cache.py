"""Entries as files: written under another name and then renamed, so that a reader sees all of one
or none of it.

A process that is killed leaves at most a file that nobody reads; of two that write one entry the
later one stays, and both wrote the same. Nothing here is needed: where a folder is missing, full or
not ours there is no cache and no error.

An entry is signed with a key of the user, which is kept outside the folder: whoever can put files
into the folder, as with a cache that a CI service brings back, still cannot make an answer.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import sys
import time
import zlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

MOST_BYTES = 1 << 30
"""The largest size of the folder; beyond it, the entries that were unused longest are removed."""
ABANDONED = 3600.0
"""Seconds after which a file that was never renamed belongs to nobody."""
MAGIC = b"lineal2\n"
UNFINISHED = ".tmp"

KEY = "LINEAL_CACHE_KEY"
"""The variable with a secret that signs the entries, for a cache that several machines share."""
KEY_SIZE = 32
SIGNATURE_SIZE = 32


def cache() -> Cache | None:
    """The user's cache: LINEAL_CACHE names its folder, or turns it off when it is empty."""
    folder = _folder()
    if folder is not None:
        return Cache(folder)

    return None


def _folder() -> Path | None:
    """Return the folder of the cache; None if there is none."""
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


# -- the key of the user ---------------------------------------------------------------------------


def users_key() -> bytes | None:
    """The secret that signs the entries: of the variable, else of a file that is made once; None
    where there is no place for one, and then there is no cache.
    """
    said = os.environ.get(KEY, "")
    if said:
        return hashlib.blake2b(said.encode("utf-8", "surrogateescape"), digest_size=32).digest()

    try:
        return _kept_key(_state_folder() / "lineal" / "cache-key")
    except (OSError, RuntimeError, ValueError):
        return None


def _state_folder() -> Path:
    """Return the folder where programs keep their state; it is never inside the cache."""
    if sys.platform == "win32":
        roaming = os.environ.get("APPDATA")
        return Path(roaming) if roaming else Path.home() / "AppData" / "Roaming"

    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"

    told = os.environ.get("XDG_STATE_HOME", "")
    if Path(told).is_absolute():
        return Path(told)

    return Path.home() / ".local" / "state"


@lru_cache(maxsize=4)
def _kept_key(file: Path) -> bytes | None:
    """The secret in a file, made if it is not there; of several processes the first one makes it."""
    if not file.exists():
        _make_key(file)

    content = _read_ours(file)
    return content if content is not None and len(content) == KEY_SIZE else None


def _make_key(file: Path) -> None:
    """Write a new secret that only its user can read; a file that is there stays."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = file.with_name(f"{file.name}.{os.getpid()}.{os.urandom(4).hex()}{UNFINISHED}")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(unfinished, flags, 0o600), "wb") as stream:
            stream.write(os.urandom(KEY_SIZE))

        with suppress(FileExistsError):
            os.link(unfinished, file)
    finally:
        with suppress(OSError):
            unfinished.unlink()


# -- entries ---------------------------------------------------------------------------------------


class Cache:
    """Bytes by key in a folder."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder
        self.most_bytes = most_bytes
        self.secret = users_key()

    def get(self, key: str) -> bytes | None:
        """Return a cached entry, or None: missing, damaged, forged, or of another user."""
        if self.secret is None:
            return None

        try:
            content = _read_ours(self.folder / key)
        except (OSError, ValueError):
            return None

        found = self._check_entry(key, content) if content is not None else None
        if found is not None:
            with suppress(OSError):
                os.utime(self.folder / key)

        return found

    def put(self, key: str, data: bytes) -> bool:
        """Keep the bytes if that is possible; whether it was."""
        if self.secret is None:
            return False

        body = zlib.compress(data, 1)
        content = MAGIC + _signature(self.secret, key, body) + body
        if len(content) > self.most_bytes // 4:
            return False

        unfinished = self.folder / f"{key}.{os.getpid()}.{os.urandom(4).hex()}{UNFINISHED}"
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
        """Remove the entries that were not used for the longest time, and entries that were never
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

    def _check_entry(self, key: str, content: bytes) -> bytes | None:
        """Return the contents of an entry; None if it is damaged, or if lineal did not write it."""
        assert self.secret is not None, "nothing is read without a key"
        head, body = content[: len(MAGIC) + SIGNATURE_SIZE], content[len(MAGIC) + SIGNATURE_SIZE :]
        if not hmac.compare_digest(head, MAGIC + _signature(self.secret, key, body)):
            return None

        try:
            return zlib.decompress(body)
        except zlib.error:
            return None


def _read_ours(file: Path) -> bytes | None:
    """The content of a regular file of this user; None for anything else, which may never end."""
    descriptor = os.open(
        file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    with os.fdopen(descriptor, "rb") as stream:
        found = os.fstat(descriptor)
        is_ours = sys.platform == "win32" or found.st_uid == os.getuid()
        if not (is_ours and S_ISREG(found.st_mode)) or found.st_size > MOST_BYTES:
            return None

        return stream.read(found.st_size)


def _signature(secret: bytes, key: str, body: bytes) -> bytes:
    """Of the entry and its name: a file that was renamed is damaged, too."""
    signed = hashlib.blake2b(key.encode(), digest_size=SIGNATURE_SIZE, key=secret)
    signed.update(b"\0")
    signed.update(body)
    return signed.digest()
