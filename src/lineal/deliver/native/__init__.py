"""Catalogs by their own interfaces instead of OpenLineage's.

flows.py          a run event as pairs of tables and columns
http.py           requests with back-off, for interfaces that need no SDK
datahub.py        DataHub's Python SDK
openmetadata.py   OpenMetadata's REST interface
purview.py        Microsoft Purview's data map (Apache Atlas)
unity.py          Unity Catalog's external lineage
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from lineal.deliver.failures import Event
from lineal.deliver.native.datahub import DataHub
from lineal.deliver.native.openmetadata import OpenMetadata
from lineal.deliver.native.purview import Purview
from lineal.deliver.native.unity import Unity

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


def courier_of(config: Mapping[str, Any]) -> Courier:
    """Return the courier that a configuration asks for."""
    return COURIERS[config["form"]](config)
