from __future__ import annotations

TABLES = {"orders": {"o": "raw.orders", "p": "raw.products"}, "metrics": {"m": "raw.metrics"}}


class Settings:
    def __init__(self, schema_out: str, suffix: str = ""):
        self._schema = schema_out
        self._suffix = suffix

    @classmethod
    def from_dict(cls, d: dict) -> Settings:
        return cls(**d)

    def target(self, name: str) -> str:
        return "{}.{}{}".format(self._schema, name, self._suffix)
