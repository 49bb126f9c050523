"""Settings of a project file for lineal alone: functions, rules of `lineal validate`, and events.

functions:
  masking: [tokenize_pii, security.scramble]
  aggregates: [weighted_mean]
validate:
  severity: {A052: error, S005: warning, SA02: off}
  terminal: [rpt_*, dim_*]
  personal: [pii, sensitive]
openlineage:
  job_namespace: shop
  namespaces: {raw: "postgres://raw:5432"}
  repository: https://git.example.com/shop/blob/main
"""

from __future__ import annotations

from collections.abc import Iterable

from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.finding import PERSONAL, Checks
from lineal.model.names import closest
from lineal.model.openlineage import Settings
from lineal.model.script import Meaning
from lineal.projects.text import Report
from lineal.projects.yaml import Value

MASKING, AGGREGATES = "masking", "aggregates"


def read_meanings(about: Value, report: Report) -> list[Meaning]:
    """Return the entries of `functions:`; a function may be in both lists."""
    check_keys(about.mapping(report, "functions"), (AGGREGATES, MASKING), "functions", report)
    lists = about.get("functions") or Value({})
    found: dict[str, Meaning] = {}
    for key in (AGGREGATES, MASKING):
        for value in lists.items_of(key):
            name = _name(value, report)
            if name:
                before = found.get(name.lower(), Meaning(name, place=value.place))
                aggregates, masks = (
                    before.aggregates or key == AGGREGATES,
                    before.masks or key == MASKING,
                )
                found[name.lower()] = Meaning(before.name, aggregates, masks, before.place)

    return list(found.values())


def read_checks(about: Value, report: Report) -> Checks:
    """The entries of `validate:`; whether the rules are there that it names, the rules say."""
    check_keys(
        about.mapping(report, "validate"), ("severity", "terminal", "personal"), "validate", report
    )
    section = about.get("validate") or Value({})
    levels = section.mapping(report, "severity")
    personal = tuple(text.lower() for text in texts_of(section, "personal", report))
    return Checks(
        {name: (level.as_text(report).lower(), level.place) for name, level in levels.items()},
        texts_of(section, "terminal", report),
        personal or PERSONAL,
    )


def texts_of(section: Value, key: str, report: Report) -> tuple[str, ...]:
    """Return the texts under a key.

    exclude: [a, b]; exclude: a
    """
    return tuple(text for value in section.items_of(key) if (text := value.as_text(report)))


def read_openlineage(about: Value, report: Report) -> Settings:
    """The entries of `openlineage:`; `namespaces` are those of the datasets whose name begins so."""
    check_keys(about.mapping(report, "openlineage"), Settings._fields, "openlineage", report)
    said = about.get("openlineage") or Value({})
    spaces = said.mapping(report, "namespaces") if said.get("namespaces") else {}
    return Settings(
        said.text(report, "job_namespace"),
        tuple(
            (prefix, space) for prefix, value in spaces.items() if (space := value.as_text(report))
        ),
        said.text(report, "repository"),
    )


def _name(value: Value, report: Report) -> str:
    """The name of a function, its schema before it if need be; anything else is reported where it
    stands.
    """
    name = value.as_text(report)
    if name and not all(part.isidentifier() for part in name.split(".")):
        report(value.report_unexpected("the name of a function"))
        return ""

    return name


def check_keys(entries: dict[str, Value], known: Iterable[str], where: str, report: Report) -> None:
    """A key that nobody reads would be a setting without effect: it is reported where it stands."""
    names = list(known)
    for key, value in entries.items():
        if key not in names:
            near = closest(key, names)
            meant = f", did you mean '{near}'?" if near else f": there are {', '.join(names)}"
            report(
                Diagnostic(Code.UNKNOWN_KEY, f"{where}: unknown key '{key}'{meant}", value.place)
            )
