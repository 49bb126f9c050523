"""Check the words of the documentation, the help texts, the messages, the docstrings, the comments,
the labels of the page, and the titles of cases and tests.

    python tools/words.py                the number of places for each rule, next to its limit
    python tools/words.py --list RULE    each place of a rule

The rules are rows of words.toml. A rule applies to all texts, or to the kinds that it lists: page,
message (help texts and errors), label, docstring, comment, case, test. `make lint` fails when a
rule has more places than its limit.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeGuard

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "tools" / "words.toml"
PAGES = (
    "README.md",
    "CHANGELOG.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/**/*.md",
)
GENERATED = ("docs/decisions",)
"""Records of their time, which nobody rewrites."""
LONG = "long-sentence"
TEST = "test_"

FENCE = re.compile(r"^ {0,3}(```|~~~)")
FENCE_LINE = re.compile(r"^```", re.MULTILINE)
CODE_LINE = re.compile(r"^(?:    |>>> )")
TABLE_OR_HEADING = re.compile(r"^\s*(?:\||#|<|\[[^\]]+\]:)")
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
SENTENCE = re.compile(r"(?<=[.?!:;])\s+|\n\s*\n|\n\s*(?:[-*]|\d+\.)\s")
WORD = re.compile(r"[\w'-]+")
SMALL_WORDS = re.compile(r"\b[a-z']+ [a-z']+ [a-z']+\b")
CODE_MARKS = re.compile(r"\(\?[:P<!=]|\\[bswd]|\b(?:SELECT|FROM|WHERE|CREATE|INSERT|UPDATE)\b")
COMMENT = re.compile(r"\s*# ?(?!type:|noqa|-- )(.*)")
SCRIPT_COMMENT = re.compile(r"^\s*(?:/?\*|//).*")
QUOTED = re.compile(r""""[^"\\]*"|'[^'\\]*'|`[^`\\]*`""")


class Text(ast.Constant):
    """The literal of a text."""

    value: str


class Rule(NamedTuple):
    """A pattern that we do not write."""

    name: str
    pattern: re.Pattern[str]
    write: str
    limit: int
    kinds: tuple[str, ...] = ()
    """The kinds of texts that it applies to; none: all of them."""


class Passage(NamedTuple):
    """A piece of prose, and where it begins."""

    file: str
    line: int
    text: str
    kind: str = "page"


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
        Rule(
            row["name"],
            re.compile(row["pattern"], re.IGNORECASE),
            row["write"],
            row["limit"],
            tuple(row.get("kinds", ())),
        )
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
    for path in sorted((ROOT / "tests" / "cases").rglob("*.md")):
        name = path.relative_to(ROOT).as_posix()
        yield Passage(
            name, 1, without_code(introduction_of(path.read_text(encoding="utf-8"))), "case"
        )
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        name = path.relative_to(ROOT).as_posix()
        yield from prose_of_tests(name, path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "src" / "lineal").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        yield from prose_of_module(name, path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "web" / "src").glob("*.ts")):
        name = path.relative_to(ROOT).as_posix()
        yield from prose_of_script(name, path.read_text(encoding="utf-8"))


def prose_of_page(name: str, text: str) -> Iterator[Passage]:
    """Yield the paragraphs of a page; blocks of code, tables and headings are left out."""
    in_code = in_session = False
    start, lines = 1, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if FENCE.match(line):
            in_code = not in_code
        in_session = bool(line.strip()) and (
            in_session or bool(CODE_LINE.match(line) and not lines)
        )
        is_code = in_code or in_session or FENCE.match(line)
        if line.strip() and not is_code and not TABLE_OR_HEADING.match(line):
            lines.append(line)
            continue
        if lines:
            yield Passage(name, start, without_code("\n".join(lines)))
        start, lines = number + 1, []


def introduction_of(case: str) -> str:
    """Return the title and the words of a case before its first block; the site shows them."""
    return FENCE_LINE.split(case, maxsplit=1)[0]


def prose_of_module(name: str, text: str) -> Iterator[Passage]:
    """Yield the docstrings of a module, its comments, and the help texts and messages that it writes."""
    tree = ast.parse(text)
    docstrings = {
        id(node.value): node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and is_text(node.value)
    }
    for node in ast.walk(tree):
        if id(node) in docstrings:
            text_of_it = without_code(first_paragraph(docstrings[id(node)]))
            yield Passage(name, node.lineno, text_of_it, "docstring")
        elif isinstance(node, ast.keyword) and node.arg == "help" and is_text(node.value):
            yield Passage(name, node.value.lineno, without_code(node.value.value), "message")
        elif is_text(node) and is_prose(node.value):
            yield Passage(name, node.lineno, without_code(node.value), "message")
    yield from comments_of(name, text)


def prose_of_tests(name: str, text: str) -> Iterator[Passage]:
    """Yield the titles of tests, from the names of their functions, and the docstrings of a module."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        line = getattr(node, "lineno", 1)
        docstring = ast.get_docstring(node) or ""
        yield Passage(name, line, without_code(first_paragraph(docstring)), "test")
        if isinstance(node, ast.FunctionDef) and node.name.startswith(TEST):
            yield Passage(name, line, node.name.removeprefix(TEST).replace("_", " "), "test")


def is_text(node: ast.AST) -> TypeGuard[Text]:
    """Tell whether a node is the literal of a text, or a part of one."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_prose(text: str) -> bool:
    """Tell words from SQL, patterns and templates: a message has several small words in a row."""
    return bool(SMALL_WORDS.search(text)) and not CODE_MARKS.search(text)


def comments_of(name: str, text: str) -> Iterator[Passage]:
    """Yield the comments of a module, a block of lines as one passage."""
    start, lines = 1, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], 1):
        found = COMMENT.match(line)
        if found:
            start = start if lines else number
            lines.append(found[1])
        elif lines:
            yield Passage(name, start, without_code("\n".join(lines)), "comment")
            lines = []


def prose_of_script(name: str, text: str) -> Iterator[Passage]:
    """Yield the labels and messages of a script of the page."""
    for number, line in enumerate(text.split("\n"), 1):
        for found in QUOTED.finditer(SCRIPT_COMMENT.sub("", line)):
            if is_prose(found[0]):
                yield Passage(name, number, without_code(found[0].strip("\"'")), "label")


def first_paragraph(docstring: str) -> str:
    """Return what a docstring says before its examples."""
    return docstring.strip().split("\n\n")[0]


def without_code(text: str) -> str:
    """Return a text without code and addresses."""
    return LINK.sub(r"\1", CODE.sub("x", text))


# -- rules -----------------------------------------------------------------------------------------


def hits_of(rule: Rule, passage: Passage) -> Iterator[Hit]:
    """Yield the places where a passage breaks a rule."""
    if rule.kinds and passage.kind not in rule.kinds:
        return

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
    pages = [each for each in prose if each.kind == "page"]
    found[LONG] = [hit for page in pages for hit in long_sentences(page, rules.longest_sentence)]
    return found


def main() -> int:
    """Print the number of places next to each limit; 1 if one is above it."""
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
