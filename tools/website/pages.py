"""The pages of the site: which files of the repository they are, and how their links are written."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

MOVED = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "internals/architecture.md",
    "CONTRIBUTING.md": "internals/contributing.md",
    "SECURITY.md": "internals/security.md",
    "CHANGELOG.md": "internals/changelog.md",
    "CODE_OF_CONDUCT.md": "internals/code-of-conduct.md",
    "tests/cases/README.md": "internals/cases.md",
    "tests/rules/README.md": "internals/rule-cases.md",
    "examples/shop/README.md": "internals/sample-project.md",
    "docs/how-to": "how-to/index.md",
    "docs/decisions": "decisions/index.md",
}
"""Files and folders of the repository that have another path on the site."""

FILES = "files"
"""The folder of the site for files that pages link to and that are not pages."""

FENCED = re.compile(r"^(?P<fence>`{3,}|~~~+).*?^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?P<open>!?\[[^\]\n]*\]\()(?P<target>[^)\s]+)(?P<close>\))")
SOURCE = re.compile(r'(?P<open>\b(?:src|srcset)=")(?P<target>[^"]+)(?P<close>")')
CODE = re.compile(r"`[^`\n]*`")
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


class DeadLink(Exception):
    """A page links to a file that is not in the repository."""


class Staged(NamedTuple):
    """The pages of the site by their path, and the files that are copied next to them."""

    pages: dict[str, str]
    files: dict[str, Path]


def repository_pages() -> Iterator[tuple[str, Path]]:
    """Yield the path on the site, and the file, of each page that is written by hand."""
    for name, place in MOVED.items():
        if name.endswith(".md"):
            yield place, ROOT / name
    for file in sorted(DOCS.rglob("*.md")):
        yield file.relative_to(DOCS).as_posix(), file


def place_of(file: Path, files: dict[str, Path]) -> str:
    """Return the path on the site of a file that a page links to; other files are copied."""
    name = file.relative_to(ROOT).as_posix()
    if name in MOVED:
        return MOVED[name]
    if name.startswith("tests/cases/"):
        topic = PurePosixPath(name).parts[2]
        return f"constructs/cases-{topic}.md"
    if name.startswith("docs/"):
        place = name.removeprefix("docs/")
    else:
        place = f"{FILES}/{name}"
    if file.is_file() and not name.endswith(".md"):
        files[place] = file
    return place


def rewrite_links(text: str, page: Path, place: str, files: dict[str, Path]) -> str:
    """Return the text of a page with links that hold on the site; code is left alone."""

    def rewrite_link(link: re.Match[str]) -> str:
        target = link["target"]
        if SCHEME.match(target) or target.startswith("#"):
            return link[0]
        path, _, heading = target.partition("#")
        file = (page.parent / path).resolve()
        if not file.exists() or not file.is_relative_to(ROOT):
            raise DeadLink(f"{page.relative_to(ROOT)}: {target}")
        where = relative(place_of(file, files), place)
        return f"{link['open']}{where}{'#' + heading if heading else ''}{link['close']}"

    return outside_code(text, lambda part: SOURCE.sub(rewrite_link, LINK.sub(rewrite_link, part)))


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Apply a function to the text outside code blocks and code spans."""
    kept: list[str] = []

    def hide(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\x00{len(kept) - 1}\x00"

    hidden = CODE.sub(hide, FENCED.sub(hide, text))
    changed = change(hidden)
    while "\x00" in changed:
        changed = re.sub(r"\x00(\d+)\x00", lambda mark: kept[int(mark[1])], changed)
    return changed


def relative(target: str, place: str) -> str:
    """Return the path from a page of the site to another one."""
    return os.path.relpath(target, PurePosixPath(place).parent).replace(os.sep, "/")


def title_of(text: str) -> str:
    """Return the first heading of a page, without marks of code."""
    for line in text.splitlines():
        if line.startswith("# "):
            return line[2:].strip().replace("`", "")
    return ""


def write_pages(staged: Staged, folder: Path) -> None:
    """Write the pages and files of the site into a folder; only those that changed are written."""
    wanted = {*staged.pages, *staged.files}
    for old in folder.rglob("*") if folder.is_dir() else ():
        if old.is_file() and old.relative_to(folder).as_posix() not in wanted:
            old.unlink()
    for place, text in staged.pages.items():
        write_if_changed(folder / place, text.encode("utf-8"))
    for place, file in staged.files.items():
        write_if_changed(folder / place, file.read_bytes())


def write_if_changed(file: Path, content: bytes) -> None:
    """Write a file unless it has this content already."""
    if file.is_file() and file.read_bytes() == content:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def dead_links(pages: Mapping[str, str], files: Mapping[str, Path]) -> list[str]:
    """Return each link of the site that leads to no page, file or heading."""
    headings = {place: headings_of(text) for place, text in pages.items()}
    found = []
    for place, text in pages.items():
        bare = CODE.sub("", FENCED.sub("", text))
        targets = [link["target"] for pattern in (LINK, SOURCE) for link in pattern.finditer(bare)]
        found += [
            f"{place}: {target}" for target in targets if is_dead(target, place, headings, files)
        ]
    return found


def is_dead(
    target: str, place: str, headings: Mapping[str, set[str]], files: Mapping[str, Path]
) -> bool:
    """Tell whether a link of a page leads nowhere."""
    if SCHEME.match(target):
        return False
    path, _, heading = target.partition("#")
    where = os.path.normpath(PurePosixPath(place).parent / path) if path else place
    if where in files:
        return False
    if where not in headings:
        return True
    return bool(heading) and heading not in headings[where]


HEADING = re.compile(r"^#+ +(.*?)(?:\s*\{ *#([\w-]+) *\})?$", re.MULTILINE)


def headings_of(text: str) -> set[str]:
    """Return the anchors of the headings of a page."""
    bare = FENCED.sub("", text)
    return {named or slug(title) for title, named in HEADING.findall(bare)}


def slug(title: str) -> str:
    """Return the anchor that GitHub gives to a heading."""
    words = LINK.sub(lambda link: link["open"].strip("![]("), title.lower())
    return re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
