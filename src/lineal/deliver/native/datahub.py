"""DataHub by its Python SDK: the upstream lineage of each table, column by column, with the text of
each transformation.

Lineage is added to the aspect `upstreamLineage` (a patch): what others have written stays, and so
does what another job writes into the same table.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from lineal.deliver.failures import (
    REASONS,
    REFUSALS,
    Event,
    Refused,
    Stopped,
    Unavailable,
    address_of,
    describe_answer,
    is_page,
    reason_of_retries,
)
from lineal.deliver.native.flows import Flow, Pair, Table, flow_of
from lineal.model.sequences import flatten

PLATFORMS = {"awsathena": "athena", "sqlserver": "mssql", "default": "external"}
"""DataHub's names of systems whose namespace has another name."""

LOWER_CASE = frozenset({"snowflake"})
"""The platforms whose tables DataHub's own ingestion names in lower case."""

ENVIRONMENT, INSTANCE = "DATAHUB_ENV", "DATAHUB_PLATFORM_INSTANCE"


class DataHub:
    """Adds to the aspect `upstreamLineage` of every table that a job makes."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.where = address_of(config["url"])
        self._builder, self._models, specific, emitter = sdk()
        self._patch = specific.DatasetPatchBuilder
        try:
            self._emitter = emitter.DatahubRestEmitter(
                config["url"],
                token=config.get("token") or None,
                timeout_sec=config["timeout"],
                retry_max_times=config["retries"],
            )
        except Exception as problem:  # the SDK asks the server for its version
            raise Unavailable(f"DataHub's client cannot do this: {_first_line(problem)}") from None

        self._emitter.session.hooks["response"].append(self._refuse_page)

    def send(self, event: Event) -> None:
        """Bring the lineage of an event."""
        for target, lineage in self.aspects(flow_of(event)):
            patch = self._patch(target)
            for upstream in lineage.upstreams:
                patch.add_upstream_lineage(upstream)

            for fine in lineage.fineGrainedLineages:
                patch.add_fine_grained_lineage(fine)

            try:
                for proposal in patch.build():
                    self._emitter.emit_mcp(proposal)
            except Exception as problem:  # whatever the SDK and its transport raise
                self._fail(problem)

    def aspects(self, flow: Flow) -> Iterator[tuple[str, Any]]:
        """Yield each table that a job makes, with its upstream lineage in the SDK's own model."""
        for target, pairs in flow.of_target().items():
            lineage = self._models.UpstreamLineageClass(
                upstreams=list(map(self._upstream, pairs)),
                fineGrainedLineages=flatten(map(self._fine, pairs)),
            )
            yield self.urn(target), lineage

    def urn(self, table: Table) -> str:
        """urn:li:dataset:(urn:li:dataPlatform:snowflake,db.shop.orders,PROD)"""
        platform = PLATFORMS.get(table.scheme, table.scheme)
        name = table.name.lower() if platform in LOWER_CASE else table.name
        made: str = self._builder.make_dataset_urn_with_platform_instance(
            platform,
            name,
            os.environ.get(INSTANCE) or None,
            os.environ.get(ENVIRONMENT) or "PROD",
        )
        return made

    def _upstream(self, pair: Pair) -> Any:
        """Return DataHub's upstream entry for the source of a pair."""
        kinds = self._models.DatasetLineageTypeClass
        return self._models.UpstreamClass(dataset=self.urn(pair.source), type=kinds.TRANSFORMED)

    def _fine(self, pair: Pair) -> Iterator[object]:
        """Yield one piece of lineage for each pair of columns: each has its own expression."""
        field = self._builder.make_schema_field_urn
        source, target = self.urn(pair.source), self.urn(pair.target)
        for columns in pair.columns:
            yield self._models.FineGrainedLineageClass(
                upstreamType=self._models.FineGrainedLineageUpstreamTypeClass.FIELD_SET,
                upstreams=[field(source, columns.source)],
                downstreamType=self._models.FineGrainedLineageDownstreamTypeClass.FIELD,
                downstreams=[field(target, columns.target)],
                transformOperation=columns.text or None,
            )

    def _refuse_page(self, answer: Any, *_: Any, **__: Any) -> None:
        """Stop at a web page: the SDK takes any answer with status 200 for a success."""
        if answer.ok and is_page(answer.headers.get("Content-Type", ""), answer.content):
            raise Stopped(f"{self.where} answers with a web page: check the address")

    def _fail(self, problem: Exception) -> None:
        """Say what an error of the SDK means."""
        if isinstance(problem, Stopped):
            raise problem

        status = _status(problem)
        if status is None:
            cause = problem.__cause__ or problem
            names = (type(reason_of_retries(cause)).__name__, _first_line(cause))
            reason = next((REASONS[name] for name in names if name in REASONS), names[-1])
            raise Stopped(f"{self.where} cannot be reached: {reason}") from None

        reason = describe_answer(self.where, status)
        if status in REFUSALS:
            raise Refused(reason) from None

        raise Stopped(reason) from None


def sdk() -> tuple[Any, Any, Any, Any]:
    """The SDK is an extra: it is looked for when lineage is to be sent, and not before."""
    try:
        return (
            import_module("datahub.emitter.mce_builder"),
            import_module("datahub.metadata.schema_classes"),
            import_module("datahub.specific.dataset"),
            import_module("datahub.emitter.rest_emitter"),
        )
    except ImportError as missing:
        raise Unavailable(
            "DataHub's client is not installed: pip install 'lineal[datahub]'"
        ) from missing


STATUS = re.compile(r"\b([45]\d\d) (?:Client|Server) Error\b")


def _status(problem: Exception) -> int | None:
    """Return the status of the answer that an error of the SDK is about."""
    about = getattr(problem, "info", None)
    if isinstance(about, dict) and isinstance(about.get("status"), int):
        return int(about["status"])

    for cause in (problem, problem.__cause__, problem.__context__):
        response = getattr(cause, "response", None)
        if response is not None:
            return int(response.status_code)

    found = STATUS.search(str(problem))
    return int(found[1]) if found else None


def _first_line(problem: BaseException) -> str:
    """Return the class of an error: its text may hold the address with a password."""
    return type(problem).__name__
