"""Extractions written by hand, in the notation of tests/cases.

orders.amount -> mart.paid  AGGREGATION        a field-level edge
orders.year => mart  FILTER                    a dataset-level edge
-> mart.n                                      a column without sources
read orders.year => mart  WHERE                a read
"""

from __future__ import annotations

from lineal.graph.graph import Graph
from lineal.model.diagnostic import Diagnostic, Place
from lineal.model.edge import Column, Dataset, Doubt, Edge, Read, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.ledger import Columns, Coverage, Files, Statements
from lineal.model.way import Clause, Confidence, How, way

CLAUSES = {
    "JOIN": Clause.JOIN_ON,
    "FILTER": Clause.WHERE,
    "GROUP_BY": Clause.GROUP_BY,
    "SORT": Clause.ORDER_BY,
}


def column(text: str) -> Column:
    dataset, name, *path = text.split(".")
    return Column(Dataset("", dataset), name, tuple(path))


def dataset(text: str) -> Dataset:
    return Dataset("", text)


About = dict[str, ColumnInfo]
Kinds = dict[str, str]


def extraction(text: str, about: About | None = None, kinds: Kinds | None = None) -> Extraction:
    """`about` says what is known of a column, by `dataset.column`; `kinds` of a dataset, by its
    name.
    """
    made = Extraction()
    for written in filter(None, (each.strip() for each in text.splitlines())):
        if written.startswith("read "):
            made.reads.append(_read(written[5:]))
        else:
            _edge(made, written)
    for name, info in (about or {}).items():
        at = column(name)
        known = made.datasets.setdefault(at.dataset, DatasetInfo(at.dataset, "table"))
        known.columns = [info if each.name == at.name else each for each in known.columns]
        if not known.column(at.name):
            known.columns.append(info)
    for name, kind in (kinds or {}).items():
        made.datasets.setdefault(dataset(name), DatasetInfo(dataset(name), kind)).kind = kind
    return made


def graph(text: str, about: About | None = None, kinds: Kinds | None = None) -> Graph:
    return Graph(extraction(text, about, kinds))


def _edge(made: Extraction, text: str) -> None:
    arrow = "=>" if "=>" in text else "->"
    source, rest = (part.strip() for part in text.split(arrow))
    name, _, marks = rest.partition("  ")
    target: Column | Dataset = column(name) if arrow == "->" else dataset(name)
    if isinstance(target, Column):
        _list(made, target)
    else:
        made.datasets.setdefault(target, DatasetInfo(target, "view"))
    if source:
        _list(made, column(source))
        made.edges.append(Edge(column(source), target, usages(marks.strip() or "IDENTITY")))


def _list(made: Extraction, at: Column) -> None:
    known = made.datasets.setdefault(at.dataset, DatasetInfo(at.dataset, "view"))
    if not known.column(at.name):
        known.columns.append(ColumnInfo(at.name))


def usages(text: str) -> tuple[Usage, ...]:
    """AGGREGATION masked, FILTER [LOW ambiguous]"""
    marks, _, doubted = text.partition("[")
    doubt = None
    if doubted:
        level = Confidence[doubted.rstrip("]").split()[0]]
        doubt = Doubt(level, "ambiguous" in doubted, "by hand")
    return tuple(_usage(each.split(), doubt) for each in marks.split(","))


def _usage(words: list[str], doubt: Doubt | None) -> Usage:
    how = How[words[0]]
    calls = tuple(word for word in words[1:] if word not in ("masked", "windowed"))
    made = way(how, CLAUSES.get(how.name, Clause.SELECT), "masked" in words, "windowed" in words)
    return Usage(made, doubt, None, Site(Place("by_hand.sql", 1, 1), "an expression", calls))


def _read(text: str) -> Read:
    source, rest = (part.strip() for part in text.split("=>"))
    target, _, clause = rest.partition("  ")
    name, _, read = source.partition(".")
    return Read(
        dataset(target), dataset(name), read or None, Clause(clause.strip() or "FROM"), None
    )


LINEAGEX = """
    customers.cid -> webinfo.wcid
    web.date -> webinfo.wdate
    web.page -> webinfo.wpage
    web.reg -> webinfo.wreg
    customers.cid => webinfo  JOIN
    web.cid => webinfo  JOIN
    web.date => webinfo  FILTER

    webinfo.wcid -> webact.wcid
    web.cid -> webact.wcid
    webinfo.wdate -> webact.wdate
    web.date -> webact.wdate
    webinfo.wpage -> webact.wpage
    web.page -> webact.wpage
    webinfo.wreg -> webact.wreg
    web.reg -> webact.wreg
    webinfo.wcid => webact  FILTER
    webinfo.wdate => webact  FILTER
    webinfo.wpage => webact  FILTER
    webinfo.wreg => webact  FILTER
    web.cid => webact  FILTER
    web.date => webact  FILTER
    web.page => webact  FILTER
    web.reg => webact  FILTER

    customers.name -> info.name
    customers.age -> info.age
    orders.oid -> info.oid
    webact.wcid -> info.wcid
    webact.wdate -> info.wdate
    webact.wpage -> info.wpage
    webact.wreg -> info.wreg
    customers.cid => info  JOIN
    orders.cid => info  JOIN
    webact.wcid => info  JOIN
"""
"""Example 1 of seed 002."""

PII, INTERNAL = ("pii",), ("internal",)

RANKING = """
    raw_customers.id -> stg_customers.customer_id
    raw_customers.name -> stg_customers.customer_name
    raw_orders.user_id -> stg_orders.customer_id
    raw_orders.amount -> stg_orders.amount
    raw_orders.id -> stg_orders.order_id
    stg_customers.customer_id -> int_customer_metrics.customer_id
    stg_orders.order_id -> int_customer_metrics.total_orders  AGGREGATION masked count
    stg_orders.amount -> int_customer_metrics.lifetime_value  AGGREGATION coalesce sum, CONDITIONAL
    stg_customers.customer_id => int_customer_metrics  JOIN, GROUP_BY
    stg_orders.customer_id => int_customer_metrics  JOIN
    stg_customers.customer_id -> int_customer_ranking.customer_id
    stg_customers.customer_name -> int_customer_ranking.customer_name
    int_customer_metrics.lifetime_value -> int_customer_ranking.lifetime_value
    int_customer_metrics.lifetime_value -> int_customer_ranking.value_or_zero  TRANSFORMATION coalesce, CONDITIONAL
    int_customer_metrics.total_orders -> int_customer_ranking.nonzero_orders  TRANSFORMATION nullif, CONDITIONAL
    int_customer_metrics.lifetime_value -> int_customer_ranking.value_per_order  TRANSFORMATION divide
    int_customer_metrics.total_orders -> int_customer_ranking.value_per_order  TRANSFORMATION divide
    -> int_customer_ranking.made_by
    stg_customers.customer_id => int_customer_ranking  JOIN
    int_customer_metrics.customer_id => int_customer_ranking  JOIN
    read raw_customers => stg_customers
    read raw_customers.id => stg_customers  SELECT
    read raw_orders => stg_orders
    read stg_customers => int_customer_metrics
    read stg_orders => int_customer_metrics
    read stg_orders.customer_id => int_customer_metrics  JOIN ON
    read stg_customers => int_customer_ranking
    read int_customer_metrics => int_customer_ranking
    read int_customer_metrics.customer_id => int_customer_ranking  JOIN ON
"""
ABOUT = {
    "raw_customers.id": ColumnInfo("id", "INTEGER", "Unique order identifier"),
    "raw_customers.name": ColumnInfo("name", "VARCHAR"),
    "stg_customers.customer_id": ColumnInfo(
        "customer_id", "INTEGER", "Unique identifier for the customer", PII
    ),
    "stg_customers.customer_name": ColumnInfo(
        "customer_name", "VARCHAR", "Full name of the customer", PII
    ),
    "int_customer_metrics.customer_id": ColumnInfo(
        "customer_id", "INTEGER", "Unique customer identifier"
    ),
    "int_customer_metrics.lifetime_value": ColumnInfo(
        "lifetime_value", "DECIMAL(10,2)", "Total amount spent"
    ),
    "int_customer_ranking.customer_id": ColumnInfo(
        "customer_id", "INTEGER", "Unique customer identifier"
    ),
    "int_customer_ranking.customer_name": ColumnInfo(
        "customer_name", "VARCHAR", "Customer full name", INTERNAL
    ),
    "int_customer_ranking.lifetime_value": ColumnInfo(
        "lifetime_value", "DECIMAL(10,2)", "Total amount spent"
    ),
}
KINDS = {
    "raw_customers": "source",
    "raw_orders": "seed",
    "stg_customers": "sql",
    "stg_orders": "sql",
    "int_customer_metrics": "sql",
    "int_customer_ranking": "sql",
}


def ranking() -> Graph:
    """A part of the sample project of seed 000."""
    made = extraction(RANKING, ABOUT, KINDS)
    made.coverage = Coverage(Files(4), Statements(4), Columns(20))
    return Graph(made)


def diagnosed(*diagnostics: Diagnostic) -> Graph:
    made = extraction("t.a -> v.a")
    made.diagnostics += diagnostics
    return Graph(made)
