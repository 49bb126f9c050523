"""The rules of .gitignore: which files and folders of a tree git passes over.

    rules = IgnoreFile("/repo", "*.log\n/build/\n!keep.log")
    rules.decide("/repo/a.log", is_folder=False)        True: ignored
    rules.decide("/repo/keep.log", is_folder=False)     False: named again with !
    rules.decide("/repo/a.sql", is_folder=False)        None: no rule matches

`IgnoreStack` asks the files of all folders from the root of the repository down; the nearest one
that says anything wins. The same patterns are those of --exclude and --include.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

Read = Callable[[str], bytes]
"""Returns the bytes of a file, none if it is not there."""

IGNORE_FILE = ".gitignore"

CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
"""[[:alpha:]] in a pattern."""


class Pattern(NamedTuple):
    """One line of a .gitignore."""

    regex: str
    """Matches the path below the folder of the file, with a / behind a folder's."""
    is_negated: bool


def parse_pattern(line: str) -> Pattern | None:
    """Return the pattern of a line; None for a comment, an empty line, or what matches nothing."""
    text = strip_trailing_spaces(line.rstrip("\r\n"))
    if not text or text.startswith("#"):
        return None

    is_negated = text.startswith("!")
    text = text[is_negated:]
    only_folders = text.endswith("/")
    text = text.removesuffix("/")
    if not text:
        return None

    is_anchored = "/" in text
    body = translate(text.removeprefix("/"))
    if body is None:
        return None

    start = "" if is_anchored else "(?:.*/)?"
    return Pattern(f"{start}{body}{'/' if only_folders else '/?'}", is_negated)


def strip_trailing_spaces(text: str) -> str:
    """Return a line without the spaces at its end; one behind a backslash stays."""
    stripped = text.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    if backslashes % 2 and len(stripped) < len(text):
        return stripped + " "

    return stripped


def translate(pattern: str) -> str | None:
    """Return a glob as a regular expression; None if its last character is a lone backslash.

    a*b*c/**/d      a(?>[^/]*?b)[^/]*c/(?:.*/)?d

    Of several stars each but the last takes as little as it can, and keeps it: that leaves the most
    for the others. An expression that tries every length of every star may take years.
    """
    blocks: list[str] = [""]
    segment: list[str] = [""]
    """the fixed texts between the stars of the part up to the next slash"""
    at = 0
    while at < len(pattern):
        starts_part = at == 0 or pattern[at - 1] == "/"
        if starts_part and pattern.startswith("**/", at):
            blocks += [""] if blocks[-1] or len(blocks) == 1 else []
            at += 3
        elif starts_part and at > 0 and pattern[at:] == "**":
            segment[-1] += ".+"
            at += 2
        elif pattern[at] == "*":
            at += len(pattern[at:]) - len(pattern[at:].lstrip("*"))
            segment.append("")
        else:
            found, at = translate_character(pattern, at)
            if found is None:
                return None

            segment[-1] += found

        if at == len(pattern) or pattern[at - 1] == "/":
            blocks[-1] += with_stars(segment, "[^/]*?", "[^/]*")
            segment = [""]

    return with_stars(blocks, "(?:.*?/)??", "(?:.*/)?")


def with_stars(fixed: list[str], least: str, any_length: str) -> str:
    """Return the expression of fixed parts with stars between them."""
    *most, last = fixed
    if not most:
        return last

    middle = "".join(f"(?>{least}{part})" for part in most[1:])
    return f"{most[0]}{middle}{any_length}{last}"


def translate_character(pattern: str, at: int) -> tuple[str | None, int]:
    """Return the expression of one character of a glob, and where the next one is."""
    character = pattern[at]
    if character == "?":
        return "[^/]", at + 1

    if character == "[":
        return translate_class(pattern, at)

    if character == "\\":
        if at + 1 == len(pattern):
            return None, at + 1

        return re.escape(pattern[at + 1]), at + 2

    return re.escape(character), at + 1


def translate_class(pattern: str, at: int) -> tuple[str | None, int]:
    """[a-z], [!a], [[:digit:]]      a class that is never closed matches nothing"""
    start = at + 1
    is_negated = pattern[start : start + 1] in ("!", "^")
    start += is_negated
    items: list[str] = []
    at = start
    while at < len(pattern):
        if pattern[at] == "]" and at > start:
            inside = "".join(items)
            return (f"[^/{inside}]" if is_negated else f"(?!/)[{inside}]"), at + 1

        item, at = class_item(pattern, at)
        items.append(item)

    return None, at


def class_item(pattern: str, at: int) -> tuple[str, int]:
    """Return one member of a class, and where the next one is."""
    named = re.compile(r"\[:(\w+):\]").match(pattern, at)
    if named is not None and named[1] in CLASSES:
        return CLASSES[named[1]], named.end()

    if pattern[at] == "\\" and at + 1 < len(pattern):
        return re.escape(pattern[at + 1]), at + 2

    if pattern[at] == "-":
        return "-", at + 1

    return re.escape(pattern[at]), at + 1


class IgnoreFile:
    """The patterns of one folder: of its .gitignore, or of an option."""

    def __init__(self, folder: str, text: str) -> None:
        self.start = len(folder.rstrip(os.sep)) + 1
        lines = map(parse_pattern, as_bytes(text).split("\n"))
        self.rules = [
            (compiled, found.is_negated)
            for found in lines
            if found is not None and (compiled := compile_pattern(found.regex)) is not None
        ]
        self.any_rule = compile_pattern("|".join(rule.pattern for rule, _ in self.rules))

    def decide(self, path: str, is_folder: bool) -> bool | None:
        """Tell whether a path is ignored; None if no rule is about it."""
        below = as_bytes(path[self.start :].replace(os.sep, "/")) + "/" * is_folder
        if not self.rules or self.any_rule is None or self.any_rule.fullmatch(below) is None:
            return None

        for rule, is_negated in reversed(self.rules):
            if rule.fullmatch(below) is not None:
                return not is_negated

        return None


def as_bytes(text: str) -> str:
    """Return a text with a character per byte: `?` is one byte of a letter, as git has it."""
    if text.isascii():
        return text

    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def compile_pattern(regex: str) -> re.Pattern[str] | None:
    """Return a compiled expression; None for a range that is none ([z-a]), which matches nothing."""
    try:
        return re.compile(regex, re.DOTALL)
    except re.error:
        return None


class PathPatterns:
    """--exclude and --include: patterns as in .gitignore, from the folder that is read."""

    def __init__(self, folder: str, patterns: Iterable[str]) -> None:
        self.rules = IgnoreFile(folder, "\n".join(patterns))
        self.folder = folder

    def __bool__(self) -> bool:
        return bool(self.rules.rules)

    def match(self, path: str, is_folder: bool) -> bool:
        """Tell whether a pattern names a file, or a folder that it is in."""
        if self.rules.decide(path, is_folder):
            return True

        parent = os.path.dirname(path)  # noqa: PTH120  thousands of them
        while len(parent) > len(self.folder):
            if self.rules.decide(parent, True):
                return True

            parent = os.path.dirname(parent)  # noqa: PTH120

        return False


class IgnoreStack:
    """All .gitignore files that hold below a folder, each read when its folder is met."""

    def __init__(self, root: str, read: Read) -> None:
        self.root = root
        """The folder that is read, as an absolute path."""
        self.read = read
        self.files: dict[str, tuple[IgnoreFile, ...]] = {}
        """The files that hold in a folder, the nearest last."""
        self.above = self.read_above()

    def read_above(self) -> tuple[IgnoreFile, ...]:
        """Return the rules between the repository's root and the folder that is read.

        If they ignore the folder, it was asked for by its name: then they do not hold.
        """
        top = repository_above(self.root)
        if top is None:
            return ()

        found = self.rules_of(top, f".git{os.sep}info{os.sep}exclude")
        here = top
        for name in Path(self.root).relative_to(top).parts:
            found += self.rules_of(here, IGNORE_FILE)
            here = f"{here.rstrip(os.sep)}{os.sep}{name}"
            if decide_by(found, here, True):
                return ()

        return found

    def rules_of(self, folder: str, name: str) -> tuple[IgnoreFile, ...]:
        """Return the rules of one file, if it is there and has any."""
        text = self.read(os.path.join(folder, name)).decode("utf-8", "replace")  # noqa: PTH118
        return (IgnoreFile(folder, text),) if text else ()

    def rules_in(self, folder: str) -> tuple[IgnoreFile, ...]:
        """Return the rules that hold for the files of a folder."""
        found = self.files.get(folder)
        if found is None:
            is_inner = folder.startswith(f"{self.root.rstrip(os.sep)}{os.sep}")
            outer = self.rules_in(os.path.dirname(folder)) if is_inner else self.above  # noqa: PTH120
            found = self.files[folder] = outer + self.rules_of(folder, IGNORE_FILE)

        return found

    def is_ignored(self, folder: str, name: str, is_folder: bool) -> bool:
        """Tell whether an entry of a folder is ignored; the folder itself is not."""
        rules = self.rules_in(folder)
        path = f"{folder.rstrip(os.sep)}{os.sep}{name}"
        return bool(rules) and decide_by(rules, path, is_folder)


def decide_by(rules: tuple[IgnoreFile, ...], path: str, is_folder: bool) -> bool:
    """Return what the nearest rule says of a path."""
    for each in reversed(rules):
        decided = each.decide(path, is_folder)
        if decided is not None:
            return decided

    return False


def repository_above(folder: str) -> str | None:
    """Return the root of the git repository that a folder is in."""
    here = folder
    while True:
        if os.path.exists(os.path.join(here, ".git")):  # noqa: PTH110, PTH118
            return here

        above = os.path.dirname(here)  # noqa: PTH120
        if above == here:
            return None

        here = above
