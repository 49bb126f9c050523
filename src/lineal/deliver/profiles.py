"""The catalogs: where each takes lineage, and in which form.

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


class UnusableVariable(ValueError):
    """A variable has a value that no HTTP header can hold; its value may be secret."""

    def __init__(self, variable: str) -> None:
        super().__init__(
            f"the environment variable {variable} has a line break, a blank or a character outside "
            "ASCII in it, which no token has: copy the token again, without quotes"
        )


class Profile(NamedTuple):
    """A catalog, and how lineage reaches it."""

    title: str
    address: str
    """the server; {NAME} is a variable of the environment"""
    endpoint: str
    """the path for OpenLineage events"""
    token: str
    """the variable with the bearer token; none is sent where it is not set"""
    states: tuple[str, ...] = (START, COMPLETE)
    """the states of a run that the catalog turns into lineage"""
    name_parts: int = 1
    """how many parts a table's name needs before the catalog finds the table: 2 for schema.table"""
    largest: int = 0
    """the bytes that one event may have; 0 where no limit is documented"""
    batch_endpoint: str = ""
    """the path for several events in one request, if the catalog has one"""
    batch_size: int = 1
    """how many events go into one request, unless --batch says another number"""
    unknown_type: str = ""
    """the type of a column whose type is not known, if the catalog refuses columns without one"""
    headers: tuple[tuple[str, str], ...] = ()
    """headers and their values; one whose variable is not set is left out"""
    native: str = ""
    """the courier for the catalog's own interface, if it has one"""
    is_native_only: bool = False
    """whether the catalog takes no OpenLineage events"""
    native_path: str = ""
    """the start of the paths of the courier's requests"""
    namespace: str = ""
    """a namespace as the catalog needs it: without one it does not know the system of a table"""


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
        native="datahub",
        native_path="aspects?action=ingestProposal",
        namespace="snowflake://account",
    ),
    "openmetadata": Profile(
        "OpenMetadata",
        "{OPENMETADATA_URL}",
        "api/v1/openlineage/lineage",
        "OPENMETADATA_TOKEN",
        states=(COMPLETE,),
        name_parts=2,
        batch_endpoint="api/v1/openlineage/lineage/batch",
        batch_size=50,
        unknown_type="UNKNOWN",
        native="openmetadata",
        native_path="api/v1/lineage",
        namespace="snowflake://account",
    ),
    "dataplex": Profile(
        "Dataplex",
        "https://datalineage.googleapis.com",
        "v1/projects/{GOOGLE_CLOUD_PROJECT}/locations/{DATAPLEX_LOCATION}:processOpenLineageRunEvent",
        "GOOGLE_OAUTH_ACCESS_TOKEN",
        largest=5 * MEGABYTE,
        headers=(("x-goog-user-project", "{GOOGLE_CLOUD_QUOTA_PROJECT}"),),
        namespace="bigquery",
    ),
    "snowflake": Profile(
        "Snowflake",
        "https://{SNOWFLAKE_ACCOUNT}.snowflakecomputing.com",
        "api/v2/lineage/external-lineage",
        "SNOWFLAKE_TOKEN",
        states=(COMPLETE,),
        headers=(("X-Snowflake-Authorization-Token-Type", "{SNOWFLAKE_TOKEN_TYPE}"),),
        namespace="snowflake://account",
    ),
    "purview": Profile(
        "Microsoft Purview",
        "{PURVIEW_ENDPOINT}",
        "",
        "PURVIEW_TOKEN",
        states=(COMPLETE,),
        native="purview",
        is_native_only=True,
        native_path="datamap/api/atlas/v2",
        namespace="mssql://server.database.windows.net",
    ),
    "unity": Profile(
        "Unity Catalog",
        "{DATABRICKS_HOST}",
        "",
        "DATABRICKS_TOKEN",
        states=(COMPLETE,),
        native="unity",
        is_native_only=True,
        native_path="api/2.0/lineage-tracking",
        namespace="databricks://workspace",
    ),
}


def fill_in(text: str, title: str, environment: Mapping[str, str]) -> str:
    """https://{SNOWFLAKE_ACCOUNT}.snowflakecomputing.com      Put in the variables' values."""

    def value_of(found: re.Match[str]) -> str:
        """Return the environment variable that a placeholder names."""
        value = environment.get(found[1], "").strip()
        if not value:
            raise MissingVariable(title, found[1])

        return value

    return VARIABLE.sub(value_of, text)


TOKEN = re.compile(r"[!-~]*")
AROUND = " \t\r\n\ufeff"
"""Blanks, line breaks and a byte order mark."""


def token_from(variable: str, environment: Mapping[str, str]) -> str:
    """Return a token without the blanks and line breaks around it, which files of secrets have."""
    token = environment.get(variable, "").strip(AROUND)
    if TOKEN.fullmatch(token) is None:
        raise UnusableVariable(variable)

    return token


def headers_of(profile: Profile, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the headers whose variables are set."""
    found: dict[str, str] = {}
    for name, pattern in profile.headers:
        try:
            found[name] = fill_in(pattern, profile.title, environment)
        except MissingVariable:
            continue

    return found
