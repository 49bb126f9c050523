"""Runs in an environment with the SDKs of Databricks and of Purview (pyapacheatlas): requests on
standard input, the column edges of their models on standard output.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from databricks.sdk.service.catalog import CreateRequestExternalLineage, ExternalMetadata
from pyapacheatlas.core import AtlasEntity, AtlasProcess
from pyapacheatlas.core.typedef import EntityTypeDef

Edges = list[tuple[str, str]]


def unity_edges(request: dict[str, Any]) -> Edges:
    """Return the edges of a relationship; what a model does not know is lost on its way through."""
    body = request["body"]
    if "external-metadata" in request["path"]:
        held = ExternalMetadata.from_dict(body)
        assert held.system_type is not None
        assert held.as_dict() == {key: value for key, value in body.items() if value}
        return []
    made = CreateRequestExternalLineage.from_dict(body)
    assert made.as_dict() == {key: value for key, value in body.items() if value}
    return [
        (f"{name(made.source)}.{each.source}", f"{name(made.target)}.{each.target}")
        for each in made.columns or ()
    ]


def name(end: Any) -> str:
    return str((end.external_metadata or end.table).name)


def purview_edges(request: dict[str, Any]) -> Edges:
    """Return the edges of a process."""
    if "typedefs" in request["path"]:
        for each in request["body"]["entityDefs"]:
            assert each["superTypes"] == ["Process"]
            plain = {key: value for key, value in each.items() if key != "category"}
            assert EntityTypeDef(**plain).to_json()["name"] == each["name"]
        return []
    *tables, process = request["body"]["entities"]
    for each in tables:
        assert AtlasEntity.from_json(each).qualifiedName
    made = AtlasProcess.from_json(process)
    assert made.inputs and made.outputs and made.qualifiedName
    return [
        (f"{ends['Source']}.{pair['Source']}", f"{ends['Sink']}.{pair['Sink']}")
        for each in json.loads(made.attributes["columnMapping"])
        for ends in [each["DatasetMapping"]]
        for pair in each["ColumnMapping"]
    ]


read = {"unity": unity_edges, "purview": purview_edges}[sys.argv[1]]
print(json.dumps([edge for text in sys.stdin for edge in read(json.loads(text))]))
