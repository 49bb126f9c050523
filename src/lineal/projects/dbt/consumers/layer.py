"""The semantic layer of a project as scripts: a statement for each semantic model, metric and saved
query.

semantic_model:orders    SELECT order_id, sum(amount) AS order_total FROM orders
metric:revenue           SELECT orders.order_total AS revenue FROM semantic_model:orders WHERE …
saved_query:weekly       SELECT revenue.revenue, orders.status AS order__status FROM …
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from typing import NamedTuple

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.script import Script
from lineal.projects.dbt.consumers.dimensions import (
    METRIC_TIME,
    TEMPLATE,
    Named,
    filters_of,
    named_in,
)
from lineal.projects.dbt.consumers.semantic import (
    METRIC,
    SAVED_QUERY,
    SEMANTIC_MODEL,
    Element,
    Entry,
    Input,
    Metric,
    SemanticModel,
    aggregate,
    conversion_names,
    own_measure,
    place_of,
    read_metric,
    read_semantic_model,
    text_of,
)
from lineal.projects.dbt.consumers.sheet import Sheet
from lineal.projects.dbt.node import Node
from lineal.projects.dbt.sandbox.relation import quote_if_needed, relation_sql
from lineal.projects.text import Report
from lineal.projects.yaml import Value

ALIAS = re.compile(r"s\d+\.(?=\W?\w+\W?\Z)")
"""s1.revenue      the alias that a statement has for a relation, before the name that YAML writes"""
HIDDEN_SCHEMA = "lineal_{}"
"""The schema under which statements of the layer name each other: lineal_metric.revenue."""

Find = Callable[[Entry, str], Node | None]
"""Looks up ref('orders') as an entry writes it."""


@dataclass
class Query:
    """The statement of a metric or saved query on its way: its sources and conditions."""

    entry: Entry
    sources: dict[str, str] = field(default_factory=dict)
    """The relations of FROM, by their aliases."""
    conditions: list[tuple[str, Place]] = field(default_factory=list)

    def alias(self, relation: str) -> str:
        """Return the alias of a relation, which is added to FROM if it is not there."""
        for alias, held in self.sources.items():
            if held == relation:
                return alias

        alias = f"s{len(self.sources) + 1}"
        self.sources[alias] = relation
        return alias


class Item(NamedTuple):
    """A column of a statement on its way: its operands with their places, and the text around them."""

    pieces: list[tuple[str, Place]]
    name: str
    before: str = ""
    between: str = ""
    behind: str = ""


def name_place(about: Value) -> Place:
    """Return where an input is named: revenue, {name: revenue, filter: …}"""
    return place_of(about.get("name"), about.place)


class Layer:
    """All entries of the semantic layer, and what they mean."""

    def __init__(
        self, entries: Iterable[Entry], dialect: str, quote: str, find: Find, report: Report
    ) -> None:
        self.dialect = dialect
        self.quote = quote
        self.find = find
        self.report = report
        self.entries = list(distinct(entries))
        self.models = {
            each.name: read_semantic_model(each)
            for each in self.entries
            if each.kind == SEMANTIC_MODEL
        }
        self.metrics = {
            each.name: read_metric(each) for each in self.entries if each.kind == METRIC
        }
        for metric in self.metrics.values():
            self.add_own_measure(metric)

        self.measures = {
            element.name: model
            for model in self.models.values()
            for element in model.elements
            if element.kind == "measure"
        }

    def add_own_measure(self, metric: Metric) -> None:
        """Give the semantic model of a simple metric of dbt 2 the measure that the metric brings."""
        own = own_measure(metric.entry)
        if own is None:
            return

        model = self.models.get(own.semantic_model) or self.model_around(metric.entry)
        if model is None:
            self.complain(
                metric.entry, f"semantic model {own.semantic_model or '(none)'}", self.models
            )
            return

        name = metric.entry.name
        sql = text_of(own.expression) or name
        place = place_of(own.expression, metric.entry.place)
        model.elements.append(Element(name, "measure", sql, place, aggregate(own.agg)))
        model.narrowed[name] = own.narrowed
        model.elements.sort(key=lambda each: (each.place.line, each.place.column))

    def model_around(self, entry: Entry) -> SemanticModel | None:
        """Return the semantic model of the model that a metric is declared in."""
        for model in self.models.values():
            if entry.model is not None and model.entry.model is entry.model:
                return model

        return None

    # -- scripts -----------------------------------------------------------------------------------

    def scripts(self) -> Iterator[Script]:
        """Yield the statement of each entry."""
        for entry in self.entries:
            if entry.kind == SEMANTIC_MODEL:
                yield self.of_semantic_model(self.models[entry.name])
            elif entry.kind == METRIC:
                yield self.of_metric(self.metrics[entry.name])
            else:
                yield self.of_saved_query(entry)

    def aliases(self) -> dict[str, str]:
        """Return how statements of the layer write its entries, and the datasets that these are."""
        return {self.relation(each.kind, each.name): each.dataset for each in self.entries}

    def relation(self, kind: str, name: str) -> str:
        """metric, revenue      lineal_metric.revenue"""
        return relation_sql(("", HIDDEN_SCHEMA.format(kind), name), self.quote)

    def name(self, name: str) -> str:
        """Return a name as SQL writes it."""
        return quote_if_needed(name, self.quote)

    def of_semantic_model(self, model: SemanticModel) -> Script:
        """SELECT order_id, sum(amount) AS order_total FROM shop.orders"""
        entry = model.entry
        node = entry.model or self.node_of(entry)
        sheet = Sheet(entry.place)
        sheet.put("SELECT ")
        for number, element in enumerate(model.elements):
            before, _, behind = element.around.partition("{}")
            sheet.put(f", {before}" if number else before)
            sheet.put(element.sql, element.place)
            sheet.put(f"{behind} AS {self.name(element.name)}")

        if not model.elements:
            sheet.put("1 AS nothing")

        if node is not None:
            sheet.put(f" FROM {relation_sql(node.parts, self.quote)}")

        return sheet.script(self.dialect, entry.dataset, SEMANTIC_MODEL)

    def node_of(self, entry: Entry) -> Node | None:
        """model: ref('orders')      the model; a diagnostic if there is none"""
        told = entry.about.get("model")
        node = self.find(entry, text_of(told))
        if node is None:
            said = text_of(told) or "a model"
            message = f"{entry.dataset} needs {said}, which is not in the project"
            self.report(Diagnostic(Code.UNKNOWN_REFERENCE, message, entry.place))

        return node

    def of_metric(self, metric: Metric) -> Script:
        """SELECT a.revenue / b.orders AS average FROM … WHERE …"""
        if text_of(metric.entry.about.get("calculation_method")):
            return self.of_plain_metric(metric)

        entry, query = metric.entry, Query(metric.entry)
        self.check_inputs(metric)
        value = [
            (self.operand(each, query) or "NULL", name_place(each.about)) for each in metric.inputs
        ]
        before, between, behind = "", " / ", ""
        if metric.type == "derived" and metric.expression is not None:
            value = [(text_of(metric.expression), place_of(metric.expression, entry.place))]
            self.name_inputs(metric, query)
        elif metric.type in ("cumulative", "conversion"):
            before, between, behind = f"{metric.type}(", ", ", ")"

        self.add_filters(entry.about, query, "filter")
        for each in metric.inputs:
            if isinstance(each.about.data, dict) and each.about is not entry.about:
                self.add_filters(each.about, query, "filter")

        self.add_narrowing(metric, query)
        pieces = value or [("NULL", entry.place)]
        return self.write(query, [Item(pieces, entry.name, before, between, behind)])

    def add_narrowing(self, metric: Metric, query: Query) -> None:
        """Let the names decide the rows that a non-additive measure or a conversion is bound to."""
        values = [
            value
            for each in metric.inputs
            if each.kind == "measure" and each.name in self.measures
            for value in self.measures[each.name].narrowed.get(each.name, ())
        ]
        if metric.type == "conversion":
            values += conversion_names(metric.entry.about)

        for value in values:
            meant = named_in(text_of(value))
            place = place_of(value, metric.entry.place)
            for _, column in self.meant_by(meant, query, place) if meant else ():
                query.conditions.append((f"{column} IS NOT NULL", place))

    def check_inputs(self, metric: Metric) -> None:
        """Report a metric that is made of nothing, or of itself."""
        entry = metric.entry
        if not metric.inputs:
            self.complain(entry, f"the measure or metric of a {metric.type} metric", ())

        if any(each.kind == "metric" and each.name == entry.name for each in metric.inputs):
            message = f"{entry.dataset} is defined through itself"
            self.report(Diagnostic(Code.CYCLIC_DEFINITION, message, entry.place))

    def of_plain_metric(self, metric: Metric) -> Script:
        """{model: ref('orders'), calculation_method: sum, expression: amount}      before dbt 1.6"""
        entry, query = metric.entry, Query(metric.entry)
        method = text_of(entry.about.get("calculation_method")).lower()
        expression = entry.about.get("expression")
        sql, place = text_of(expression), place_of(expression, entry.place)
        if method == "derived":
            sql = TEMPLATE.sub(lambda found: self.called_metric(found[1], query), sql)
        else:
            sql = aggregate(method).format(sql)
            node = self.node_of(entry)
            if node is not None:
                query.alias(relation_sql(node.parts, self.quote))

        for each in entry.about.items_of("filters"):
            parts = [text_of(each.get(key)) for key in ("field", "operator", "value")]
            query.conditions.append((" ".join(parts), each.place))

        return self.write(query, [Item([(sql, place)], entry.name)])

    def called_metric(self, call: str, query: Query) -> str:
        """{{ metric('revenue') }}      the column of that metric"""
        name = call.partition("(")[2].strip(" )'\"")
        return self.column(METRIC, name, name, query) if name in self.metrics else "NULL"

    def name_inputs(self, metric: Metric, query: Query) -> None:
        """FROM (SELECT revenue AS r FROM lineal_metric.revenue) AS r      what the expression calls r"""
        query.sources.clear()
        for each in metric.inputs:
            if each.name in self.metrics:
                shown = self.name(each.alias or each.name)
                relation = self.relation(METRIC, each.name)
                query.sources[shown] = f"(SELECT {self.name(each.name)} AS {shown} FROM {relation})"  # noqa: S608

    def operand(self, each: Input, query: Query) -> str:
        """Return the column that an input is; '' and a diagnostic if there is none."""
        if each.kind == "measure" and each.name in self.measures:
            model = self.measures[each.name]
            return self.column(SEMANTIC_MODEL, model.entry.name, each.name, query)

        if each.kind == "metric" and each.name in self.metrics:
            return self.column(METRIC, each.name, each.name, query)

        known = self.measures if each.kind == "measure" else self.metrics
        self.complain(query.entry, f"{each.kind} {each.name}", known, each.about.place)
        return ""

    def column(self, kind: str, owner: str, name: str, query: Query) -> str:
        """Return a column of an entry as the statement writes it."""
        return f"{query.alias(self.relation(kind, owner))}.{self.name(name)}"

    def of_saved_query(self, entry: Entry) -> Script:
        """query_params: {metrics: […], group_by: [Dimension('order__status')], where: […]}"""
        query = Query(entry)
        params = entry.about.get("query_params") or entry.about
        columns: list[Item] = []
        for value in params.items_of("metrics"):
            name = text_of(value) or text_of(value.get("name"))
            operand = self.operand(Input("metric", name, "", value), query)
            columns.append(Item([(operand or "NULL", name_place(value))], name))

        for value in params.items_of("group_by"):
            meant = named_in(text_of(value))
            for shown, column in self.meant_by(meant, query, value.place) if meant else ():
                columns.append(Item([(column, value.place)], shown))

        self.add_filters(params, query, "where")
        self.check_order(params, query, {each.name for each in columns})
        return self.write(query, columns or [Item([("NULL", entry.place)], entry.name)])

    def check_order(self, params: Value, query: Query, shown: set[str]) -> None:
        """order_by: [Metric('revenue').descending(True)]      report the names that do not exist"""
        for value in params.items_of("order_by"):
            meant = named_in(text_of(value).lstrip("-"))
            if meant is not None and meant.name not in shown:
                list(self.meant_by(meant, query, value.place))

    def write(self, query: Query, columns: list[Item]) -> Script:
        """Return the script of a metric or saved query."""
        entry = query.entry
        sheet = Sheet(entry.place)
        sheet.put("SELECT ")
        for number, item in enumerate(columns):
            sheet.put(f", {item.before}" if number else item.before)
            for at, (sql, place) in enumerate(item.pieces):
                alias = ALIAS.match(sql)
                name = sql[alias.end() :] if alias is not None else sql
                sheet.put((item.between if at else "") + sql.removesuffix(name))
                sheet.put(name, place)

            sheet.put(f"{item.behind} AS {self.name(item.name)}")

        sources = [f"{relation} AS {alias}" for alias, relation in query.sources.items()]
        sheet.put(f" FROM {', '.join(sources)}" if sources else "")
        for number, (condition, place) in enumerate(query.conditions):
            sheet.put(" AND (" if number else " WHERE (")
            sheet.put(condition, place)
            sheet.put(")")

        return sheet.script(self.dialect, entry.dataset, entry.kind)

    # -- filters and groupings ---------------------------------------------------------------------

    def add_filters(self, about: Value, query: Query, key: str) -> None:
        """filter: "{{ Dimension('order__status') }} = 'paid'" """
        for value in filters_of(about, key):
            place = place_of(value, query.entry.place)
            text = TEMPLATE.sub(partial(self.filled_in, query=query, place=place), text_of(value))
            if text:
                query.conditions.append((text, place))

    def filled_in(self, found: re.Match[str], query: Query, place: Place) -> str:
        """{{ Dimension('order__status') }}      the column; NULL if there is none"""
        meant = named_in(found[1].strip())
        columns = list(self.meant_by(meant, query, place)) if meant is not None else []
        return columns[0][1] if columns else "NULL"

    def meant_by(self, meant: Named, query: Query, place: Place) -> Iterator[tuple[str, str]]:
        """Yield name and column of what a filter names; a diagnostic if it is nothing."""
        found = False
        if meant.kind == "Metric":
            if meant.name in self.metrics:
                yield meant.name, self.column(METRIC, meant.name, meant.name, query)
                return
        else:
            shown = "__".join((*meant.entities, meant.name))
            for model, column in self.places_of(meant, query.entry):
                found = True
                yield shown, self.column(SEMANTIC_MODEL, model.entry.name, column, query)

        if not found:
            self.complain(query.entry, str(meant), (), place)

    def places_of(self, meant: Named, entry: Entry) -> list[tuple[SemanticModel, str]]:
        """Return the semantic models and columns that a dimension or entity can be."""
        own = self.models_behind(entry)
        if meant.name == METRIC_TIME:
            return [(model, time) for model in own for time in self.times_of(model)]

        kinds = ("entity",) if meant.kind == "Entity" else ("dimension", "entity")
        holding = [each for each in self.models.values() if each.has(meant.name, *kinds)]
        if meant.entities:
            entity = meant.entities[-1]
            holding = [each for each in holding if entity in each.primary] or [
                each for each in holding if each.has(entity, "entity")
            ]

        mine = [each for each in holding if each in own]
        return [(each, meant.name) for each in (mine or holding)[:1]]

    def times_of(self, model: SemanticModel) -> list[str]:
        """Return what metric_time can mean in a semantic model."""
        named = [*model.times.values()] or [model.time]
        return [name for name in dict.fromkeys(named) if model.has(name, "dimension")]

    def models_behind(self, entry: Entry) -> list[SemanticModel]:
        """Return the semantic models whose measures a metric or saved query is made of."""
        waiting: list[str]
        found: dict[str, SemanticModel] = {}
        if entry.kind == SAVED_QUERY:
            params = entry.about.get("query_params") or entry.about
            waiting = list(map(text_of, params.items_of("metrics")))
        else:
            waiting = [entry.name]

        met: set[str] = set()
        while waiting:
            name = waiting.pop(0)
            metric = self.metrics.get(name)
            if metric is None or name in met:
                continue

            met.add(name)
            for each in metric.inputs:
                if each.kind == "metric":
                    waiting.append(each.name)
                elif each.name in self.measures:
                    model = self.measures[each.name]
                    found[model.entry.name] = model

        return list(found.values())

    def complain(
        self, entry: Entry, what: str, known: Iterable[str], place: Place | None = None
    ) -> None:
        """Report a name that the semantic layer does not have."""
        close = get_close_matches(what.rpartition(" ")[2], list(known), 1)
        hint = f"Did you mean {close[0]}?" if close else ""
        at = place if place is not None and place.file else entry.place
        message = f"{entry.dataset} names {what}, which is not in the project"
        self.report(Diagnostic(Code.UNKNOWN_REFERENCE, message, at, hint))


def distinct(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield each entry once: the first of a kind and name."""
    met: set[tuple[str, str]] = set()
    for entry in entries:
        if (entry.kind, entry.name) not in met:
            met.add((entry.kind, entry.name))
            yield entry
