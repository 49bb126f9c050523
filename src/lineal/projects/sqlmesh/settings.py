"""config.yaml or config.py of a SQLMesh project: the dialect, the variables and the gateways.

    model_defaults: {dialect: duckdb}
    variables: {schema: shop}
    gateways: {prod: {connection: {type: snowflake, database: DW}, variables: {schema: prod}}}

config.py is parsed, never executed: its Config(…) counts as far as its arguments are constants.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lineal.extract import UnknownDialect
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.plain import as_mapping, some_or_none, texts_in
from lineal.projects import yaml
from lineal.projects.intake import first_file
from lineal.projects.sqlmesh.macros import Value
from lineal.projects.sqlmesh.python_files import constants_of, parse_python
from lineal.projects.text import Report, read_text

FILES = ("config.yaml", "config.yml", "config.py")
WORDS = ("model_defaults", "sqlmesh", "gateways", "default_gateway")
JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
ENGINES = {
    "bigquery": "bigquery", "clickhouse": "clickhouse", "databricks": "databricks",
    "duckdb": "duckdb", "motherduck": "duckdb", "mssql": "tsql", "azuresql": "tsql",
    "fabric": "fabric", "mysql": "mysql", "postgres": "postgres", "redshift": "redshift",
    "snowflake": "snowflake", "spark": "spark", "trino": "trino", "athena": "athena",
    "gcp_postgres": "postgres", "risingwave": "risingwave",
}  # fmt: skip
"""The dialect of a gateway's connection."""


@dataclass
class Settings:
    """The settings of the configuration."""

    file: Path
    dialect: str = ""
    variables: dict[str, Value] = field(default_factory=dict)
    gateways: dict[str, dict[str, Value]] = field(default_factory=dict)
    """The variables of each gateway."""
    catalog: str = ""
    """The catalog that names without one belong to."""
    before_all: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def variables_of(self, gateway: str) -> dict[str, Value]:
        """Return the variables as a model of a gateway sees them."""
        return {**self.variables, **self.gateways.get(gateway, {})}


def config_file(folder: Path) -> Path | None:
    """Return the configuration of a folder, if it is one of SQLMesh."""
    return first_file(folder, FILES)


def read_settings(folder: Path, report: Report) -> Settings:
    """Read the configuration of a project; a mistake in one setting leaves the others valid."""
    file = config_file(folder) or folder / FILES[0]
    data: Mapping[str, Any] = {}
    if file.is_file():
        data = read_python(file, report) if file.suffix == ".py" else read_yaml(file, report)

    found = Settings(file)
    found.variables = values_of(data.get("variables"))
    gateways = as_mapping(data.get("gateways"))
    if not gateways and data.get("gateway"):
        gateways = {"": data["gateway"]}

    chosen = str(data.get("default_gateway") or next(iter(gateways), ""))

    for name, about in gateways.items():
        found.gateways[str(name)] = values_of(as_mapping(about).get("variables"))

    connection = as_mapping(as_mapping(gateways.get(chosen)).get("connection"))
    connection = connection or as_mapping(data.get("default_connection"))
    found.variables |= found.gateways.get(chosen, {})
    found.dialect = dialect_of(data, connection, file, report)
    found.catalog = catalog_of(connection)
    found.before_all = texts_in(some_or_none(data.get("before_all")))
    found.ignored = texts_in(some_or_none(data.get("ignore_patterns")))
    report_gateways(gateways, chosen, file, report)
    return found


def report_gateways(
    gateways: Mapping[str, object], chosen: str, file: Path, report: Report
) -> None:
    """Say which gateway counts, if their variables differ."""
    told = [as_mapping(about).get("variables") or {} for about in gateways.values()]
    if len(gateways) > 1 and any(each != told[0] for each in told):
        message = f"the gateways have different variables: those of '{chosen}' are used"
        report(Diagnostic(Code.DYNAMIC, message, Place(str(file), 1, 1)))


def read_yaml(file: Path, report: Report) -> Mapping[str, object]:
    """Return the values of config.yaml; Jinja in it stands for what only a run knows."""
    text = read_text(file, report)
    if text is None:
        return {}

    held = yaml.parse(JINJA.sub("unknown", text), str(file), report)
    plain = {}
    if held is not None:
        plain = held.plain()

    return as_mapping(plain)


def read_python(file: Path, report: Report) -> Mapping[str, object]:
    """Return the arguments of Config(…) in config.py."""
    text = read_text(file, report)
    tree = None
    if text is not None:
        tree = parse_python(text, str(file), report)

    if tree is None:
        return {}

    names = constants_of(tree)
    found = names.get("config")
    if isinstance(found, dict):
        return found

    several = [each for each in names.values() if isinstance(each, dict)]
    return next((each for each in several if "model_defaults" in each), {})


def dialect_of(
    data: Mapping[str, object], connection: Mapping[str, object], file: Path, report: Report
) -> str:
    """Return the dialect of the models, else that of the gateway."""
    from lineal.extract.sql.dialects import facts_of

    named = str(as_mapping(data.get("model_defaults")).get("dialect") or "").partition(",")[0]
    named = named.strip() or ENGINES.get(str(connection.get("type") or "").lower(), "")

    try:
        facts_of(named)
    except UnknownDialect as unknown:
        report(Diagnostic(Code.YAML_TYPE, f"dialect: {unknown}", Place(str(file), 1, 1)))
        return ""

    return named


def catalog_of(connection: Mapping[str, object]) -> str:
    """Return the catalog of a connection: its database or project, if that is a plain name."""
    kind = str(connection.get("type") or "").lower()
    held = connection.get("catalog") or connection.get("project") or connection.get("database")
    name = str(held or "")
    if kind in ("duckdb", "motherduck"):
        name = Path(name).stem

    if re.fullmatch(r"[A-Za-z][\w-]*", name) and name != "unknown":
        return name

    return ""


def values_of(held: object) -> dict[str, Value]:
    """Return variables as SQL writes them."""
    return {
        str(name).lower(): VALUES[type(value)](value)
        for name, value in as_mapping(held).items()
        if type(value) in VALUES
    }


def list_value(items: Sequence[object]) -> Value:
    """Return a list as SQL writes it."""
    return Value(f"[{', '.join(map(literal_of, items))}]")


VALUES: Mapping[type, Callable[[Any], Value]] = {
    bool: lambda value: Value(str(value).upper()),
    int: lambda value: Value(str(value)),
    float: lambda value: Value(str(value)),
    str: lambda value: Value(value, True),
    list: list_value,
    tuple: list_value,
}
"""How SQL writes a variable, by the class of its value."""


def literal_of(item: object) -> str:
    """Return an item of a list as SQL writes it."""
    if isinstance(item, str):
        return "'" + item.replace("'", "''") + "'"

    return str(item)
