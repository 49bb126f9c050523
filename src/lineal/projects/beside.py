"""Files next to a program that its text names: SQL, JSON, YAML, TOML, properties and INI."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from lineal.projects.intake import is_regular
from lineal.projects.text import Report, read_text
from lineal.projects.yaml import parse

SETTINGS = (".json", ".yml", ".yaml", ".toml", ".properties", ".ini", ".cfg", ".sh", ".bash")
NAMED = re.compile(r"""["']([^"'\n{}]+\.(?:sql|json|ya?ml|toml|properties|ini|cfg))["']""")
"""A literal path in the text of a program."""

LARGEST = 1_000_000
TOP = "no section"


def names_in(texts: Iterable[str]) -> set[str]:
    """Return the paths that programs name by a literal."""
    return set(chain.from_iterable(map(NAMED.findall, texts)))


def files_named_in(folder: Path, texts: Iterable[str]) -> list[Path]:
    """Return the files that programs name, seen from a folder and not outside it."""
    found = []
    for name in sorted(names_in(texts)):
        file = folder / name
        if ".." not in file.parts and not Path(name).is_absolute() and is_regular(file):
            found.append(file)

    return found


def read_contents(files: Sequence[Path], texts: Sequence[str], report: Report) -> dict[str, object]:
    """Return the contents of the files that a program names."""
    asked = {Path(name).name for name in names_in(texts)}
    found: dict[str, Any] = {}
    for file in files:
        if file.name not in asked or not is_regular(file) or file.stat().st_size > LARGEST:
            continue

        text = read_text(file, report)
        if text is not None:
            held = value_of(file, text, report)
            if held is not None:
                found[file.as_posix()] = held

    return found


def value_of(file: Path, text: str, report: Report) -> Any:
    """Return the value of a file; a damaged one has none, and its program reports the place."""
    suffix = file.suffix.lower()
    if suffix == ".sql":
        return text

    if suffix in (".yml", ".yaml"):
        parsed = parse(text, str(file), report)
        return parsed.plain() if parsed is not None else None

    if suffix in (".properties", ".ini", ".cfg"):
        return sections_of(text)

    try:
        return json.loads(text) if suffix == ".json" else read_toml(text)
    except (ValueError, RecursionError):
        return None


def read_toml(text: str) -> dict[str, object]:
    """Return the value of a TOML file."""
    import tomllib  # few programs name such a file

    return tomllib.loads(text)


def sections_of(text: str) -> dict[str, dict[str, str]] | None:
    """Return the sections of an INI file or of properties; those before any section are under ""."""
    from configparser import ConfigParser  # few programs name such a file
    from configparser import Error as ConfigError

    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text if text.lstrip().startswith("[") else f"[{TOP}]\n{text}")
    except ConfigError:
        return None

    found = {name: dict(parser.items(name)) for name in parser.sections()}
    return {"" if name == TOP else name: held for name, held in found.items()}
