"""Makes the reference pages that must not drift: python docs/generate.py

cli.md from the commands themselves, diagnostics.md from the codes, rules.md from the rules,
dataframes.md from the tables of methods. A test
compares the files with what this makes.
"""

from __future__ import annotations

from pathlib import Path

import click

import lineal.extract.dataframes  # noqa: F401  (its front ends enter their methods)
from lineal.cli import main
from lineal.extract.pyspark.frame_libraries import KNOWN
from lineal.model.diagnostic import Code, Severity
from lineal.rules import RULES, Rule
from lineal.rules.diagnostics import RULES as DIAGNOSED

REFERENCE = Path(__file__).resolve().parent / "reference"
WIDTH = 100


def cli() -> str:
    """Every command with its help, as `--help` prints it."""
    parts = [
        "# The command line\n",
        "<!-- Made by docs/generate.py from the commands; do not edit. -->\n",
        CLI_NOTES,
    ]
    width = {"terminal_width": WIDTH, "max_content_width": WIDTH}
    with click.Context(main, info_name="lineal", **width, **main.context_settings) as context:
        parts += ["## lineal\n", _block(main.get_help(context))]
        for name in main.list_commands(context):
            command = main.get_command(context, name)
            assert command is not None
            with click.Context(command, context, name, **width) as inner:
                parts += [f"## lineal {name}\n", _block(command.get_help(inner))]
                for part, below in getattr(command, "commands", {}).items():
                    with click.Context(below, inner, part, **width) as innermost:
                        parts += [f"### lineal {name} {part}\n", _block(below.get_help(innermost))]
    return "\n".join(parts)


CLI_NOTES = """\
```sh
lineal lineage examples/sales                                 # every edge of a folder
lineal lineage examples/sales +customer_value.lifetime_value  # where a column comes from
lineal impact orders.amount examples/sales                    # what a change of a column affects
lineal impact --help                                          # the options of a command
```

## Output

- Results go to standard output.
- Diagnostics (`file:line:column: severity[code]: message (hint)`), their count and the coverage line go to standard
  error. With `--output json` they are part of the document, and standard error has errors only.
- On a terminal, tables have box lines and colors. In a pipe, or with `NO_COLOR` set, the text is plain and never
  wrapped or cut.

| exit code | means |
|---|---|
| 0 | no problem |
| 1 | at least one diagnostic of the severity of `--fail-on`, or above |
| 2 | usage error: an unknown node, column or dialect, or a path that does not exist |
| 70 | internal error of lineal, reported in one line; `LINEAL_DEBUG=1` shows the traceback |

Names of nodes and columns are not case-sensitive. The last parts are enough (`orders` for `prod.sales.orders`) if
only one name ends with them.

## Selectors

| selector | means |
|---|---|
| `+m.c` | everything upstream of column `c` of `m` |
| `m.c+` | everything downstream of it |
| `+m.c+` | both |
| `2+m.c`, `m.c+3` | two hops upstream, three hops downstream |
| `+m` | upstream of every column of `m` |
"""


def diagnostics() -> str:
    """Every code with its severity, meaning and remedy."""
    rows = [
        f"| `{code.code}` | {code.severity.label} | {code.meaning} | {code.remedy or '–'} |"
        for code in Code
    ]
    severities = ", ".join(severity.label for severity in sorted(Severity, reverse=True))
    return "\n".join(
        [
            "# Diagnostics",
            "",
            "<!-- Made by docs/generate.py from lineal.model.diagnostic.Code; do not edit. -->",
            "",
            f"A diagnostic reports what lineal could not read, resolve or decide. Severities: {severities}.",
            "",
            "| code | severity | meaning | what to do |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def rules() -> str:
    """Every rule of `lineal validate`, a section each; diagnostics are rules, too, and have a page
    of their own.
    """
    own = [rule for rule in RULES if rule not in DIAGNOSED]
    rows = [
        f"| [{rule.code}](#{rule.code.lower()}) | `{rule.name}` | {_level(rule)} |" for rule in own
    ]
    return "\n".join(
        [RULES_NOTES, "| code | name | severity |", "|---|---|---|", *rows, "", *map(_section, own)]
    )


def _section(rule: Rule) -> str:
    parts = [
        f"## {rule.code}",
        f"`{rule.name}`, {_level(rule)}.",
        rule.meaning,
        f"**What to do:** {rule.remedy}",
        "",
    ]
    return "\n\n".join(parts)


def _level(rule: Rule) -> str:
    return rule.severity.label if rule.severity is not None else "off by default"


RULES_NOTES = """\
# Rules

<!-- Made by docs/generate.py from lineal.rules.RULES; do not edit. -->

The rules of `lineal validate`; `lineal validate --explain CODE` explains one. Use the code or the name of
a rule in settings, comments and options. Every [diagnostic](diagnostics.md) is a rule as well, under its own code:
`unresolved-column`, `ambiguous-column`, `cyclic-definition`, `missing-yaml`, `parse-error`, …
How to set severities and to silence a rule: [Validate a project](../how-to/validate.md).
"""


def _block(text: str) -> str:
    return "```text\n" + "\n".join(line.rstrip() for line in text.splitlines()) + "\n```\n"


def dataframes() -> str:
    """The methods of DataFrame libraries that are traced, from the tables of the front ends."""
    parts = ["# Methods of DataFrame libraries\n", DATAFRAME_NOTES]
    for library, kinds in sorted(KNOWN.items()):
        parts.append(f"## {library}\n\n| of | names |\n|---|---|")
        for kind, names in kinds.items():
            listed = ", ".join(f"`{name}`" for name in sorted(names) if not name.startswith("_"))
            parts.append(f"| {kind} | {listed} |")
        parts.append("")
    return "\n".join(parts)


DATAFRAME_NOTES = """\
<!-- Made by docs/generate.py from the tables of the front ends; do not edit. -->

lineal reports any other method as `unsupported-construct`, and never guesses its columns. Methods of `.str`, `.dt` and
`.cat` transform the series. How values become edges: [pandas](../how-to/pandas.md).
"""


PAGES = {
    "cli.md": cli,
    "dataframes.md": dataframes,
    "diagnostics.md": diagnostics,
    "rules.md": rules,
}


if __name__ == "__main__":
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")
