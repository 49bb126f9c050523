"""Check the words of the documentation, the help texts, the messages and the docstrings.

    python tools/words.py                the number of places for each rule, beside its limit
    python tools/words.py --list RULE    each place of a rule

The rules are rows of words.toml. `make lint` fails when a rule has more places than its limit.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "tools" / "words.toml"
PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**/*.md")
GENERATED = ("docs/decisions",)
"""Records of their time, which nobody rewrites."""
LONG = "long-sentence"

FENCE = re.compile(r"^ {0,3}(```|~~~)")
TABLE_OR_HEADING = re.compile(r"^\s*(?:\||#|<|\[[^\]]+\]:)")
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
SENTENCE = re.compile(r"(?<=[.?!:;])\s+|\n\s*\n|\n\s*(?:[-*]|\d+\.)\s")
WORD = re.compile(r"[\w'-]+")


class Rule(NamedTuple):
    """A pattern that we do not write."""

    name: str
    pattern: re.Pattern[str]
    write: str
    limit: int


class Passage(NamedTuple):
    """A piece of prose, and where it begins."""

    file: str
    line: int
    text: str


class Hit(NamedTuple):
    """A place that breaks a rule."""

    file: str
    line: int
    text: str


class Rules(NamedTuple):
    """The content of words.toml."""

    rules: list[Rule]
    longest_sentence: int
    most_long_sentences: int


def read_rules(file: Path = RULES) -> Rules:
    """Read the rules."""
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    rules = [
        Rule(row["name"], re.compile(row["pattern"], re.IGNORECASE), row["write"], row["limit"])
        for row in content["rule"]
    ]
    return Rules(rules, content["longest_sentence"], content["most_long_sentences"])


# -- prose -----------------------------------------------------------------------------------------


def passages() -> Iterator[Passage]:
    """Yield the prose of the repository."""
    for pattern in PAGES:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(GENERATED):
                yield from prose_of_page(name, path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "src" / "lineal").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        yield from prose_of_module(name, path.read_text(encoding="utf-8"))


def prose_of_page(name: str, text: str) -> Iterator[Passage]:
    """Yield the paragraphs of a page; blocks of code, tables and headings are left out."""
    in_code = False
    start, lines = 1, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if FENCE.match(line):
            in_code = not in_code
        is_prose = line.strip() and not in_code and not TABLE_OR_HEADING.match(line)
        if is_prose and not FENCE.match(line):
            lines.append(line)
            continue
        if lines:
            yield Passage(name, start, plain("\n".join(lines)))
        start, lines = number + 1, []


def prose_of_module(name: str, text: str) -> Iterator[Passage]:
    """Yield the docstrings of a module, and the help texts and messages that it writes."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            said = ast.get_docstring(node, clean=False)
            if said:
                yield Passage(name, node.body[0].lineno, plain(first_paragraph(said)))
        elif isinstance(node, ast.keyword) and node.arg == "help":
            yield from _literal(name, node.value)


def _literal(name: str, node: ast.expr) -> Iterator[Passage]:
    """Yield the text of a literal."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield Passage(name, node.lineno, plain(node.value))


def first_paragraph(docstring: str) -> str:
    """Return what a docstring says before its examples."""
    return docstring.strip().split("\n\n")[0]


def plain(text: str) -> str:
    """Return a text without code and addresses."""
    return LINK.sub(r"\1", CODE.sub("x", text))


# -- rules -----------------------------------------------------------------------------------------


def hits_of(rule: Rule, passage: Passage) -> Iterator[Hit]:
    """Yield the places where a passage breaks a rule."""
    for found in rule.pattern.finditer(passage.text):
        line = passage.line + passage.text.count("\n", 0, found.start())
        yield Hit(passage.file, line, found[0])


def long_sentences(passage: Passage, most: int) -> Iterator[Hit]:
    """Yield the sentences of a passage that have too many words."""
    for sentence in SENTENCE.split(passage.text):
        if len(WORD.findall(sentence)) > most:
            at = passage.text.find(sentence)
            line = passage.line + passage.text.count("\n", 0, at)
            yield Hit(passage.file, line, " ".join(sentence.split())[:80])


def check(rules: Rules, prose: list[Passage]) -> dict[str, list[Hit]]:
    """Return the places that break each rule."""
    found = {
        rule.name: [hit for passage in prose for hit in hits_of(rule, passage)]
        for rule in rules.rules
    }
    pages = [passage for passage in prose if passage.file.endswith(".md")]
    found[LONG] = [hit for page in pages for hit in long_sentences(page, rules.longest_sentence)]
    return found


def main() -> int:
    """Print the number of places beside each limit; 1 if one is above it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", metavar="RULE", help="List the places of a rule.")
    arguments = parser.parse_args()

    rules = read_rules()
    found = check(rules, list(passages()))
    for hit in found.get(arguments.list, []):
        print(f"{hit.file}:{hit.line}: {hit.text}")

    limits = {rule.name: rule.limit for rule in rules.rules}
    limits[LONG] = rules.most_long_sentences
    advice = {rule.name: rule.write for rule in rules.rules}
    above = 0
    for name, limit in limits.items():
        count = len(found[name])
        above += count > limit
        state = "ABOVE" if count > limit else "ok"
        print(f"{state:6} {count:5} (at most {limit})  {name}: {advice.get(name, 'split it')}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
