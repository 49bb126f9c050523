"""Whether an event is as OpenLineage wants it.

The schema next to this file is our own wording of the published ones. LINEAL_OPENLINEAGE_SPEC names
a folder with those (`spec/` of OpenLineage's repository): then each event, and each facet by its
`_schemaURL`, is held against them, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

CORE = "https://openlineage.io/spec/2-0-2/OpenLineage.json"
OWN = Draft202012Validator(
    json.loads(Path(__file__).with_name("spec.schema.json").read_text(encoding="utf-8"))
)
PUBLISHED = os.environ.get("LINEAL_OPENLINEAGE_SPEC", "")


def check(event: Mapping[str, Any]) -> None:
    OWN.validate(event)
    if PUBLISHED:
        validator(CORE).validate(event)
        for name, facet in facets(event):
            url = facet["_schemaURL"]
            if url.startswith("https://openlineage.io/"):
                validator(url).validate(facet if "#" in url else {name: facet})


def facets(event: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    parts = [
        event.get("job"),
        event.get("dataset"),
        *event.get("inputs", ()),
        *event.get("outputs", ()),
    ]
    for part in parts:
        yield from (part or {}).get("facets", {}).items()


@lru_cache
def validator(url: str) -> Draft202012Validator:
    checker = Draft202012Validator.FORMAT_CHECKER
    return Draft202012Validator({"$ref": url}, registry=registry(), format_checker=checker)


@lru_cache
def registry() -> Registry[Any]:
    files = [*Path(PUBLISHED).glob("*.json"), *Path(PUBLISHED, "facets").glob("*.json")]
    schemas = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return Registry().with_resources(
        (schema["$id"], Resource.from_contents(schema)) for schema in schemas
    )
