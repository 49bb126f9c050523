"""The pages of diagnostics and of rules: meaning, why it matters, example, how to fix."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import lineal
from lineal.model.diagnostic import Code, Diagnostic
from lineal.rules import RULES, Rule
from lineal.rules.diagnostics import RULES as DIAGNOSED
from website.pages import DOCS, ROOT

EXPLANATIONS = DOCS / "explanations.toml"
RULE_CASES = ROOT / "tests" / "rules"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LANGUAGES = {".sql": "sql", ".py": "python", ".yml": "yaml", ".json": "json", ".jsonl": "json"}


class NotShown(Exception):
    """The example of a diagnostic does not give the diagnostic."""


@cache
def explanations() -> dict[str, dict[str, Any]]:
    """Return the content of explanations.toml."""
    return tomllib.loads(EXPLANATIONS.read_text(encoding="utf-8"))


def problem_pages() -> dict[str, str]:
    """Return the page of each diagnostic and each rule by its path."""
    pages = {f"reference/diagnostics/{code.code}.md": diagnostic_page(code) for code in Code}
    own = [rule for rule in RULES if rule not in DIAGNOSED]
    return pages | {f"reference/rules/{rule.code}.md": rule_page(rule) for rule in own}


def diagnostic_page(code: Code) -> str:
    """Return the page of a diagnostic."""
    row = explanations().get(code.code, {})
    return assemble(
        f"# {code.code}",
        f"**{code.severity.label.capitalize()}**, reported by every command that reads input. "
        f"[All diagnostics](../diagnostics.md)",
        {
            "What it means": code.meaning,
            "Why it matters": row.get("why", ""),
            "Example": example_of(code, row),
            "How to fix": code.remedy or "No action is needed.",
            "How to silence": f"`lineal validate --ignore {code.code}`, or a severity in the project file: "
            "see [Validate a project](../../how-to/validate.md).",
        },
    )


def rule_page(rule: Rule) -> str:
    """Return the page of a rule of `lineal validate`."""
    level = "Off by default" if rule.severity is None else rule.severity.label.capitalize()
    return assemble(
        f"# {rule.code}: {rule.name}",
        f"**{level}**, reported by `lineal validate`. [All rules](../rules.md)",
        {
            "What it means": rule.meaning,
            "Why it matters": explanations().get(rule.code, {}).get("why", ""),
            "Example": rule_example(rule),
            "How to fix": rule.remedy,
        },
    )


def assemble(title: str, lead: str, sections: dict[str, str]) -> str:
    """Return a page of sections; empty ones are left out."""
    parts = [title, lead]
    for heading, text in sections.items():
        if text:
            parts += [f"## {heading}", text]
    return "\n\n".join(parts) + "\n"


def example_of(code: Code, row: dict[str, Any]) -> str:
    """Return the files of an example, and the messages that lineal gives for them."""
    if "files" not in row:
        return block("text .message", "", row["shown"]) if "shown" in row else ""
    files = row["files"]
    shown = [
        block(LANGUAGES.get(Path(name).suffix, "text"), name, text) for name, text in files.items()
    ]
    said = [str(found) for found in diagnostics_of(files, row) if found.code is code]
    if not said:
        raise NotShown(f"the example of {code.code} does not give it")
    return "\n\n".join([*shown, block("text .message", "Message", "\n".join(said))])


def diagnostics_of(files: dict[str, str], row: dict[str, Any]) -> list[Diagnostic]:
    """Return the diagnostics of some files, with places relative to their folder."""
    with TemporaryDirectory() as folder:
        for name, text in files.items():
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        asked = Path(folder, row.get("path", "."))
        found = lineal.lineage(asked, dialect=row.get("dialect")).diagnostics
    return [relative_to(folder, each) for each in found]


def relative_to(folder: str, found: Diagnostic) -> Diagnostic:
    """Return a diagnostic without the name of a temporary folder."""
    place = found.place and found.place._replace(file=relative_paths(folder, found.place.file))
    message = relative_paths(folder, found.message)
    return found._replace(place=place, message=message)


def relative_paths(folder: str, text: str) -> str:
    """Return a text in which paths are relative to a folder."""
    return text.replace(f"{folder}/", "").replace(folder, ".")


def rule_example(rule: Rule) -> str:
    """Return the smallest case of a rule that has findings."""
    cases = [file.read_text(encoding="utf-8") for file in (RULE_CASES / rule.code).glob("*.md")]
    found = [
        text
        for text in sorted(cases, key=len)
        if re.search(r"^```findings[^\n]*\n(?!```)", text, re.MULTILINE)
    ]
    if not found:
        return ""
    parts = []
    for language, name, text in BLOCK.findall(found[0]):
        if language == "findings":
            parts.append(block("text .message", "Output of lineal validate", text))
        elif name:
            parts.append(block(language, name, text))
    return "\n\n".join(parts)


def block(language: str, title: str, text: str) -> str:
    """Return a code block with a title."""
    titled = f' title="{title}"' if title else ""
    return f"``` {{ .{language}{titled} }}\n{text.rstrip()}\n```"
