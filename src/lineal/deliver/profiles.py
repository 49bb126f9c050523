"""The catalogs that take OpenLineage events: where each takes them, and in which form.

    lineal emit --to datahub        PROFILES["datahub"]

A profile is a row of facts. An address and a token are in the environment, never on the command line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

START, COMPLETE = "START", "COMPLETE"
MEGABYTE = 1_000_000

VARIABLE = re.compile(r"\{([A-Z_]+)\}")


class MissingVariable(ValueError):
    """The environment lacks a variable that a profile needs."""

    def __init__(self, title: str, variable: str) -> None:
        super().__init__(f"{title} needs the environment variable {variable}, which is not set")


class Profile(NamedTuple):
    """A catalog that takes run events."""

    title: str
    address: str
    """the server; {NAME} is a variable of the environment"""
    endpoint: str
    token: str
    """the variable with the bearer token; none is sent where it is not set"""
    states: tuple[str, ...] = (START, COMPLETE)
    """the states of a run that the catalog turns into lineage"""
    name_parts: int = 1
    """how many parts a table's name needs before the catalog finds the table: 2 for schema.table"""
    largest: int = 0
    """the bytes that one event may have; 0 where no limit is documented"""


PROFILES: Mapping[str, Profile] = {
    "openlineage": Profile(
        "an OpenLineage server",
        "{OPENLINEAGE_URL}",
        "api/v1/lineage",
        "OPENLINEAGE_API_KEY",
    ),
    "marquez": Profile(
        "Marquez",
        "{MARQUEZ_URL}",
        "api/v1/lineage",
        "MARQUEZ_API_KEY",
    ),
    "datahub": Profile(
        "DataHub",
        "{DATAHUB_GMS_URL}",
        "openapi/openlineage/api/v1/lineage",
        "DATAHUB_GMS_TOKEN",
    ),
    "openmetadata": Profile(
        "OpenMetadata",
        "{OPENMETADATA_URL}",
        "api/v1/openlineage/lineage",
        "OPENMETADATA_TOKEN",
        states=(COMPLETE,),
        name_parts=2,
    ),
    "dataplex": Profile(
        "Dataplex",
        "https://datalineage.googleapis.com",
        "v1/projects/{GOOGLE_CLOUD_PROJECT}/locations/{DATAPLEX_LOCATION}:processOpenLineageRunEvent",
        "GOOGLE_OAUTH_ACCESS_TOKEN",
        largest=5 * MEGABYTE,
    ),
    "snowflake": Profile(
        "Snowflake",
        "https://{SNOWFLAKE_ACCOUNT}.snowflakecomputing.com",
        "api/v2/lineage/external-lineage",
        "SNOWFLAKE_TOKEN",
    ),
}


def fill_in(text: str, title: str, environment: Mapping[str, str]) -> str:
    """https://{SNOWFLAKE_ACCOUNT}.snowflakecomputing.com      Put in the variables' values."""

    def value_of(found: re.Match[str]) -> str:
        value = environment.get(found[1], "").strip()
        if not value:
            raise MissingVariable(title, found[1])
        return value

    return VARIABLE.sub(value_of, text)
