"""Runs in DataHub's environment: run events on standard input, the fine-grained lineage that
DataHub makes of them on standard output, in the SDK's own models and validated by them.

DataHub's converter is written in Java; ConvertEvents.java calls it where its jar can be had. What it
does with names and fields (OpenLineageToDataHub) is repeated here:
`convertOpenlineageDatasetToDatasetUrn` and `getFineGrainedLineage`.
"""

from __future__ import annotations

import json
import sys
from typing import Any
from urllib.parse import urlsplit

from datahub.emitter.mce_builder import make_dataset_urn, make_schema_field_urn
from datahub.metadata.schema_classes import (
    DatasetLineageTypeClass,
    FineGrainedLineageClass,
    FineGrainedLineageDownstreamTypeClass,
    FineGrainedLineageUpstreamTypeClass,
    UpstreamClass,
    UpstreamLineageClass,
)
from datahub.utilities.urns.urn import Urn

PLATFORMS = {"awsathena": "athena", "sqlserver": "mssql"}


def platform_of(namespace: str, name: str) -> str:
    """Whatever is before :// is the platform; the namespace itself if there is no ://."""
    if "://" not in namespace:
        return namespace
    scheme = urlsplit(f"{namespace}/{name}").scheme
    return PLATFORMS.get(scheme, scheme)


def urn_of(dataset: dict[str, Any]) -> str:
    namespace, name = dataset["namespace"], dataset["name"]
    for link in dataset.get("facets", {}).get("symlinks", {}).get("identifiers", ()):
        if link["type"] == "TABLE":
            is_glue = link["namespace"].startswith(("aws:glue:", "arn:aws:glue:"))
            namespace, name = "glue" if is_glue else "hive", link["name"]
    return make_dataset_urn(platform_of(namespace, name), name, "PROD")


def lineage_of(output: dict[str, Any]) -> UpstreamLineageClass:
    fine, upstreams = [], {}
    for name, made in output["facets"].get("columnLineage", {}).get("fields", {}).items():
        sources = [(urn_of(each), each["field"]) for each in made["inputFields"]]
        upstreams |= dict.fromkeys(urn for urn, _ in sources)
        kinds = {
            f"{t['type']}:{t['subtype']}" for s in made["inputFields"] for t in s["transformations"]
        }
        fine.append(
            FineGrainedLineageClass(
                upstreamType=FineGrainedLineageUpstreamTypeClass.FIELD_SET,
                upstreams=sorted(make_schema_field_urn(urn, field) for urn, field in sources),
                downstreamType=FineGrainedLineageDownstreamTypeClass.FIELD_SET,
                downstreams=[make_schema_field_urn(urn_of(output), name)],
                transformOperation=",".join(sorted(kinds)),
                confidenceScore=0.5,
            )
        )
    kind = DatasetLineageTypeClass.TRANSFORMED
    return UpstreamLineageClass(
        upstreams=[UpstreamClass(dataset=urn, type=kind) for urn in upstreams],
        fineGrainedLineages=fine,
    )


for text in sys.stdin:
    event = json.loads(text)
    edges: list[tuple[str, str]] = []
    for output in event["outputs"]:
        lineage = lineage_of(output)
        assert lineage.validate()
        again = UpstreamLineageClass.from_obj(json.loads(json.dumps(lineage.to_obj())))
        for each in again.fineGrainedLineages or ():
            for source in each.upstreams or ():
                Urn.from_string(source)
                edges.extend((source, target) for target in each.downstreams or ())
    outputs = event["outputs"]
    platform = platform_of(outputs[0]["namespace"], outputs[0]["name"]) if outputs else ""
    print(json.dumps({"platform": platform, "edges": edges}))
