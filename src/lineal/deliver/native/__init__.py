"""Catalogs by their own interfaces instead of OpenLineage's.

flows.py          a run event as pairs of tables and columns
http.py           requests with back-off, for interfaces that need no SDK
datahub.py        DataHub's Python SDK
openmetadata.py   OpenMetadata's REST interface
purview.py        Microsoft Purview's data map (Apache Atlas)
unity.py          Unity Catalog's external lineage
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from lineal.deliver.failures import Event
from lineal.deliver.native.datahub import DataHub, sdk
from lineal.deliver.native.flows import Table, flow_of, is_table
from lineal.deliver.native.openmetadata import OpenMetadata
from lineal.deliver.native.purview import Purview
from lineal.deliver.native.unity import Unity, is_own

NATIVE = "native"
"""The type of a configuration that is a courier's."""


class Courier(Protocol):
    """Brings the lineage of one event to a catalog at a time."""

    def send(self, event: Event) -> None:
        """Bring an event; raise Refused for this one, or Stopped for all that follow."""


COURIERS: Mapping[str, Callable[[Mapping[str, Any]], Courier]] = {
    "datahub": DataHub,
    "openmetadata": OpenMetadata,
    "purview": Purview,
    "unity": Unity,
}
"""The courier of a profile."""


def check_client(config: Mapping[str, Any]) -> None:
    """Raise Unavailable if the client that a courier needs is not installed."""
    if config["form"] == "datahub":
        sdk()


def courier_of(config: Mapping[str, Any]) -> Courier:
    """Return the courier that a configuration asks for."""
    return COURIERS[config["form"]](config)


class Cargo(NamedTuple):
    """The events that couriers deliver, and those they leave behind."""

    edges: int
    """pairs of columns"""
    consumers: int
    """tests, metrics and exposures: no catalog holds them as tables"""
    own: int
    """pairs of tables of Unity Catalog itself, which it records itself"""


def cargo_of(config: Mapping[str, Any], events: Iterable[Event]) -> Cargo:
    """Count what a courier brings of events."""
    edges: set[tuple[str, ...]] = set()
    consumers: set[str] = set()
    own: set[tuple[Table, Table]] = set()
    for event in events:
        outputs = event.get("outputs", ())
        consumers |= {each["name"] for each in outputs if not is_table(each)}
        for pair in flow_of(event).pairs:
            ends = (pair.source, pair.target)
            if config["form"] == "unity" and all(map(is_own, ends)):
                own.add(ends)
                continue

            edges |= {
                (*pair.source, each.source, *pair.target, each.target) for each in pair.columns
            }

    return Cargo(len(edges), len(consumers), len(own))
