"""Names as Spark's SQL writes them, whatever letters they have."""

from __future__ import annotations


def quote_name(name: str) -> str:
    """sales.orders is the table orders of the schema sales: `sales`.`orders`"""
    return ".".join(f"`{part.replace('`', '``')}`" for part in name.split("."))


def column(name: str) -> str:
    """A column's dot is part of its name: `a.b`"""
    return f"`{name.replace('`', '``')}`"
