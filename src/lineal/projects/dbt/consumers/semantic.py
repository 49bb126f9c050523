"""Semantic models, metrics and saved queries: what YAML or a manifest says of them, in one shape.

dbt 1   semantic_models: [{name, model: ref('orders'), entities, dimensions, measures}]
        metrics: [{name, type: simple, type_params: {measure: order_total}}]
dbt 2   models: [{name, semantic_model: true, columns: [{name, entity: {…}, dimension: {…}}],
                  derived_semantics: {…}, metrics: [{name, type: simple, agg: sum, expr: amount}]}]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from lineal.model.diagnostic import Place
from lineal.model.sequences import flatten
from lineal.projects.dbt.node import Node
from lineal.projects.yaml import NOTHING, Value

SEMANTIC_MODEL, METRIC, SAVED_QUERY = "semantic_model", "metric", "saved_query"
SECTIONS = {SEMANTIC_MODEL: "semantic_models", METRIC: "metrics", SAVED_QUERY: "saved_queries"}

AGGREGATES = {
    "sum": "sum({})",
    "sum_boolean": "sum({})",
    "count": "count({})",
    "count_distinct": "count(DISTINCT {})",
    "average": "avg({})",
    "avg": "avg({})",
    "min": "min({})",
    "max": "max({})",
    "median": "median({})",
    "percentile": "percentile({}, 0.5)",
}
"""agg: and what it is in SQL."""


class Entry(NamedTuple):
    """A semantic model, metric or saved query as a file or a manifest has it."""

    kind: str
    package: str
    name: str
    about: Value
    model: Node | None = None
    """Of one inside a model: that model."""
    depends: tuple[str, ...] = ()
    """The ids that a manifest says it depends on."""
    id: str = ""

    @property
    def place(self) -> Place:
        """Return where it is declared."""
        return self.about.place

    @property
    def dataset(self) -> str:
        """metric:revenue      what it is called in the graph"""
        return f"{self.kind}:{self.name}"


class Element(NamedTuple):
    """An entity, a dimension or a measure: a column of its semantic model."""

    name: str
    kind: str
    sql: str
    place: Place
    around: str = "{}"
    """The aggregate around the expression: sum({})"""


@dataclass
class SemanticModel:
    """A semantic model, whatever shape it was written in."""

    entry: Entry
    elements: list[Element] = field(default_factory=list)
    primary: set[str] = field(default_factory=set)
    """The entities that qualify its dimensions."""
    time: str = ""
    """agg_time_dimension: what metric_time means."""
    times: dict[str, str] = field(default_factory=dict)
    """The same for each measure that has its own."""
    narrowed: dict[str, list[Value]] = field(default_factory=dict)
    """The dimensions and entities that decide which rows a measure adds up."""

    def has(self, name: str, *kinds: str) -> bool:
        """Tell whether it has an element of this name, of one of these kinds."""
        return any(each.name == name and each.kind in kinds for each in self.elements)


def text_of(value: Value | None) -> str:
    """Return a scalar as it is written; a mapping and a list say nothing."""
    return value.raw.strip() if value is not None else ""


def name_in(value: Value) -> str:
    """orders, {name: orders, filter: …}"""
    return text_of(value.get("name") or value)


def place_of(value: Value | None, other: Place) -> Place:
    """Return where a text begins; the place of something else if there is none."""
    if value is None or not value.place.file:
        return other

    if value.block:
        return value.place._replace(line=value.text_line, column=1)

    return value.place


# -- semantic models -------------------------------------------------------------------------------


def read_semantic_model(entry: Entry) -> SemanticModel:
    """Return a semantic model with its elements, in either shape."""
    found = SemanticModel(entry)
    about = entry.about
    defaults = about.get("defaults") or about
    found.time = text_of(defaults.get("agg_time_dimension"))
    given = text_of(about.get("primary_entity"))
    if given:
        found.primary.add(given)

    for value in about.items_of("entities"):
        add_element(found, value, "entity")
        if text_of(value.get("type")) in ("primary", "unique", "natural"):
            found.primary.add(name_in(value))

    for value in about.items_of("dimensions"):
        add_element(found, value, "dimension")

    for value in about.items_of("measures"):
        add_measure(found, value)

    if entry.model is not None:
        read_annotations(found, about)

    found.elements.sort(key=lambda each: (each.place.line, each.place.column))
    return found


def add_element(found: SemanticModel, value: Value, kind: str) -> None:
    """{name: customer, expr: customer_id}"""
    name = name_in(value)
    if not name:
        return

    expression = value.get("expr")
    sql = text_of(expression) or name
    place = place_of(expression or value.get("name"), value.place)
    found.elements.append(Element(name, kind, sql, place))


def add_measure(found: SemanticModel, value: Value) -> None:
    """{name: order_total, agg: sum, expr: amount, agg_time_dimension: ordered_at}"""
    name = name_in(value)
    if not name:
        return

    expression = value.get("expr")
    place = place_of(expression or value.get("name"), value.place)
    around = aggregate(text_of(value.get("agg")))
    found.elements.append(Element(name, "measure", text_of(expression) or name, place, around))
    time = text_of(value.get("agg_time_dimension"))
    if time:
        found.times[name] = time

    found.narrowed[name] = narrowing_names(value)


def narrowing_names(about: Value) -> list[Value]:
    """non_additive_dimension: {name: ordered_at, window_choice: max, window_groupings: [customer]}"""
    held = about.get("non_additive_dimension")
    if held is None:
        return []

    keys = ("name", "window_groupings", "group_by")
    return flatten(map(held.items_of, keys))


def aggregate(agg: str) -> str:
    """sum      sum({})"""
    return AGGREGATES.get(agg.lower(), f"{agg or 'sum'}({{}})")


def read_annotations(found: SemanticModel, about: Value) -> None:
    """columns: [{name: order_id, entity: {type: primary, name: order}, dimension: {type: time}}]"""
    for column in about.items_of("columns"):
        name = text_of(column.get("name"))
        for kind in ("entity", "dimension"):
            marked = column.get(kind)
            if marked is None or not name:
                continue

            shown = text_of(marked.get("name")) or name
            place = place_of(column.get("name"), column.place)
            found.elements.append(Element(shown, kind, name, place))
            if kind == "entity" and annotation_type(marked) in ("primary", "unique", "natural"):
                found.primary.add(shown)

    derived = about.part("derived_semantics")
    for kind, key in (("entity", "entities"), ("dimension", "dimensions")):
        for value in derived.items_of(key):
            add_element(found, value, kind)


def annotation_type(marked: Value) -> str:
    """entity: primary, entity: {type: primary}"""
    return text_of(marked.get("type") or marked)


# -- metrics ---------------------------------------------------------------------------------------


class Input(NamedTuple):
    """A measure or metric that a metric is made of."""

    kind: str
    """measure or metric"""
    name: str
    alias: str
    about: Value


@dataclass
class Metric:
    """A metric, whatever shape it was written in."""

    entry: Entry
    type: str
    inputs: list[Input] = field(default_factory=list)
    expression: Value | None = None


def read_metric(entry: Entry) -> Metric:
    """Return a metric with its inputs, in either shape."""
    about = entry.about
    params = about.get("type_params") or about
    found = Metric(entry, text_of(about.get("type")).lower() or "simple")
    found.expression = params.get("expr")
    for keys, kind in INPUT_KEYS:
        for key in keys:
            for place in (params, params.part("conversion_type_params")):
                found.inputs += list(inputs_at(place, key, kind))

    if found.type == "cumulative":
        cumulative = params.part("cumulative_type_params")
        found.inputs += list(inputs_at(cumulative, "metric", "metric"))

    if not found.inputs and own_measure(entry) is not None:
        found.inputs.append(Input("measure", entry.name, "", about))

    found.inputs = list({each[:3]: each for each in found.inputs}.values())
    return found


INPUT_KEYS = (
    (("measure", "base_measure", "conversion_measure"), "measure"),
    (
        ("numerator", "denominator", "metrics", "input_metrics", "input_metric", "base_metric", "conversion_metric"),
        "metric",
    ),
)  # fmt: skip
"""Where a metric names what it is made of, in dbt 1 and in dbt 2."""


def inputs_at(about: Value, key: str, kind: str) -> Iterator[Input]:
    """measure: revenue, metrics: [{name: revenue, alias: r, filter: …}]"""
    for value in about.items_of(key):
        name = name_in(value)
        if name:
            yield Input(kind, name, text_of(value.get("alias")), value)


class OwnMeasure(NamedTuple):
    """The aggregation that a simple metric of dbt 2 brings itself."""

    semantic_model: str
    agg: str
    expression: Value | None
    narrowed: list[Value]


def own_measure(entry: Entry) -> OwnMeasure | None:
    """{name: revenue, type: simple, agg: sum, expr: amount}"""
    about = entry.about
    params = about.part("type_params")
    held = params.get("metric_aggregation_params")
    if held is not None:
        model = text_of(held.get("semantic_model"))
        expression = held.get("expr") or params.get("expr")
        return OwnMeasure(model, text_of(held.get("agg")), expression, narrowing_names(held))

    agg = text_of(about.get("agg"))
    if not agg:
        return None

    model = text_of(about.get("semantic_model"))
    return OwnMeasure(model, agg, about.get("expr"), narrowing_names(about))


def conversion_names(about: Value) -> Iterator[Value]:
    """entity: customer, constant_properties: [{base_property: p, conversion_property: p}]"""
    params = about.get("type_params") or about
    for held in (params, params.part("conversion_type_params")):
        yield from held.items_of("entity")
        for each in held.items_of("constant_properties"):
            for key in ("base_property", "conversion_property"):
                yield from each.items_of(key)


# -- what files say --------------------------------------------------------------------------------


def entries_of_file(
    package: str, sections: dict[str, list[Value]], models: Iterable[Node]
) -> Iterator[Entry]:
    """Yield what the property files of a package declare, in the shape of dbt 1 and of dbt 2."""
    for kind, section in SECTIONS.items():
        for value in sections.get(section, ()):
            if name := text_of(value.get("name")):
                if is_on(value):
                    yield Entry(kind, package, name, value)

                if kind == SEMANTIC_MODEL:
                    yield from created_metrics(package, value)

    for node in models:
        if node.about is not None:
            yield from entries_of_model(node, node.about)


def is_on(value: Value) -> bool:
    """config: {enabled: false}"""
    return value.part("config").part("enabled").data is not False


def created_metrics(package: str, value: Value) -> Iterator[Entry]:
    """measures: [{name: orders, agg: sum, create_metric: true}]"""
    for measure in value.items_of("measures"):
        name = name_in(measure)
        if name and measure.part("create_metric").data is True:
            about = Value(
                {"type": Value("simple", measure.place, raw="simple"), "measure": measure.data["name"]},
                measure.place,
            )  # fmt: skip
            yield Entry(METRIC, package, name, about)


def entries_of_model(node: Node, about: Value) -> Iterator[Entry]:
    """models: [{name: orders, semantic_model: true, metrics: […]}]"""
    marked = about.part("semantic_model")
    if marked is NOTHING or marked.data is False or marked.part("enabled").data is False:
        return

    if not marked.is_mapping and marked.data is not True and about.get("metrics") is None:
        return

    name = text_of(marked.get("name")) or node.name
    yield Entry(SEMANTIC_MODEL, node.package, name, about, node)
    for value in about.items_of("metrics"):
        if (metric := text_of(value.get("name"))) and is_on(value):
            yield Entry(METRIC, node.package, metric, value, node)
