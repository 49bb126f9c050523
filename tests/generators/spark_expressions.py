"""What Spark can write in an expression: structs, arrays, maps, lambdas, and functions of many
kinds.

A table per use; `spark_queries` draws from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from generators.queries import SHOP, One, Writer
from generators.scope import NUMBER, TEXT, Field, Schema

PLACE, TEXTS, NUMBERS, LINES, PROPS = "place", "texts", "numbers", "lines", "props"
TYPES = {
    NUMBER: "double",
    TEXT: "string",
    PLACE: "struct<city: string, zip: double>",
    TEXTS: "array<string>",
    NUMBERS: "array<double>",
    LINES: "array<struct<sku: string, price: double>>",
    PROPS: "map<string, double>",
}
COMPARABLE: Schema = {
    **SHOP,
    "visits": {
        "id": NUMBER,
        "region": TEXT,
        "place": PLACE,
        "tags": TEXTS,
        "sizes": NUMBERS,
        "lines": LINES,
    },
}
RICH: Schema = {**COMPARABLE, "traits": {"id": NUMBER, "label": TEXT, "props": PROPS}}
"""Nothing compares a map: what asks another query, or sets one next to another, draws on the
comparable tables.
"""
LITERALS = {
    PLACE: "named_struct('city', 'x', 'zip', 1D)",
    TEXTS: "array('a', 'b')",
    NUMBERS: "array(1D, 2D)",
    LINES: "array(named_struct('sku', 'x', 'price', 1D))",
    PROPS: "map('a', 1D)",
}
Scoped = Callable[[Writer, Sequence[Field]], str]


def out_of(kind: str, *texts: str) -> list[tuple[str, Scoped]]:
    """Values that can be taken out of a column of the kind."""
    return [(kind, partial(taken_out, kind, text)) for text in texts]


def taken_out(kind: str, text: str, writer: Writer, scope: Sequence[Field]) -> str:
    return text.replace("@", writer.column(scope, kind))


PARTS: dict[str, list[tuple[str, Scoped]]] = {
    NUMBER: [
        *out_of(PLACE, "@.zip", "length(@.city)", "named_struct('a', @.zip, 'b', 1).a"),
        *out_of(
            TEXTS,
            "size(@)",
            "length(@[0])",
            "cardinality(filter(@, x -> x LIKE 'a%'))",
            "array_position(@, 'a')",
        ),
        *out_of(
            NUMBERS,
            "aggregate(@, 0D, (a, x) -> a + x)",
            "reduce(@, 0D, (a, x) -> a + x, a -> a * 2)",
            "@[0]",
            "element_at(@, 1)",
            "transform(@, (x, i) -> x * i)[1]",
            "array_max(@)",
        ),
        *out_of(
            LINES,
            "@[0].price",
            "@.price[0]",
            "transform(@, l -> l.price)[0]",
            "size(@.sku)",
            "array_max(@.price)",
        ),
        *out_of(PROPS, "@['a']", "element_at(@, 'b')", "transform_values(@, (k, v) -> v + 1)['a']"),
    ],
    TEXT: [
        *out_of(PLACE, "@.city", "upper(@.city)", "to_json(@)"),
        *out_of(
            TEXTS,
            "@[0]",
            "concat_ws(',', @)",
            "array_join(transform(@, x -> upper(x)), '-')",
            "try_element_at(@, 1)",
        ),
        *out_of(LINES, "@[0].sku", "filter(@, l -> l.price > 3)[0].sku", "array_sort(@.sku)[0]"),
        *out_of(PROPS, "map_keys(@)[0]", "to_json(map_filter(@, (k, v) -> v > 1))"),
    ],
}
BUILT: dict[str, Scoped] = {
    PLACE: lambda w, s: (
        f"named_struct('city', {w.column(s, TEXT)}, 'zip', cast({w.column(s, NUMBER)} AS DOUBLE))"
    ),
    TEXTS: lambda w, s: f"array({w.column(s, TEXT)}, 'z')",
    NUMBERS: lambda w, s: f"array(cast({w.column(s, NUMBER)} AS DOUBLE), 1D)",
    LINES: lambda w, s: (
        f"array(named_struct('sku', {w.column(s, TEXT)}, 'price', cast({w.column(s, NUMBER)} AS DOUBLE)))"
    ),
}
TESTS = {
    PLACE: ("{}.city = 'a'", "{}.zip > 3", "{} IS NULL"),
    TEXTS: ("array_contains({}, 'a')", "exists({}, x -> x = 'a')", "size({}) > 1"),
    NUMBERS: ("forall({}, x -> x > 0)", "{}[0] > 1"),
    LINES: ("exists({}, l -> l.price > 2)",),
    PROPS: ("map_contains_key({}, 'a')",),
}
MORE: dict[str, list[Callable[[Writer, One, One, Sequence[Field]], str]]] = {
    NUMBER: [
        lambda w, one, other, s: f"nvl({one(NUMBER)}, {other(NUMBER)})",
        lambda w, one, other, s: f"nvl2({one(TEXT)}, {one(NUMBER)}, {other(NUMBER)})",
        lambda w, one, other, s: f"ifnull({one(NUMBER)}, {other(NUMBER)})",
        lambda w, one, other, s: (
            f"decode({one(TEXT)}, 'a', {one(NUMBER)}, 'b', {other(NUMBER)}, 0)"
        ),
        lambda w, one, other, s: (
            f"CASE {one(NUMBER)} WHEN {other(NUMBER)} THEN 1 ELSE {one(NUMBER)} END"
        ),
        lambda w, one, other, s: f"greatest({one(NUMBER)}, {other(NUMBER)})",
        lambda w, one, other, s: f"try_divide({one(NUMBER)}, {other(NUMBER)})",
        lambda w, one, other, s: f"({one(NUMBER)} % {other(NUMBER)} - {one(NUMBER)})",
        lambda w, one, other, s: f"named_struct('a', {one(NUMBER)}, 'b', {other(TEXT)}).a",
        lambda w, one, other, s: f"struct({one(NUMBER)} AS a, {one(NUMBER)} AS b).b",
        lambda w, one, other, s: f"array({one(NUMBER)}, {other(NUMBER)})[0]",
        lambda w, one, other, s: f"map('a', {one(NUMBER)}, 'b', {other(NUMBER)})['a']",
        lambda w, one, other, s: f"{one(TEXT)}::int",
        lambda w, one, other, s: f"try_cast({one(TEXT)} AS INT)",
        lambda w, one, other, s: f"nullifzero({one(NUMBER)})",
        lambda w, one, other, s: f"zeroifnull({one(NUMBER)})",
        lambda w, one, other, s: f"extract(YEAR FROM to_date({one(TEXT)}))",
        lambda w, one, other, s: f"datediff(to_date({one(TEXT)}), to_date({other(TEXT)}))",
        lambda w, one, other, s: f"cast(get_json_object({one(TEXT)}, '$.a') AS INT)",
        lambda w, one, other, s: f"xxhash64({one(TEXT)}, {one(NUMBER)})",
        lambda w, one, other, s: f"round({one(NUMBER)}, 2)",
        lambda w, one, other, s: f"instr({one(TEXT)}, {other(TEXT)})",
        lambda w, one, other, s: f"position('a' IN {one(TEXT)})",
        lambda w, one, other, s: f"size(split({one(TEXT)}, ','))",
        lambda w, one, other, s: f"if({one(TEXT)} RLIKE 'a', 1, 2)",
        lambda w, one, other, s: (
            f"aggregate(array({one(NUMBER)}), cast({other(NUMBER)} AS DOUBLE), (a, x) -> a + x)"
        ),
        lambda w, one, other, s: f"transform(array({one(NUMBER)}), x -> x + {one(NUMBER)})[0]",
        lambda w, one, other, s: f"bit_count(cast({one(NUMBER)} AS INT) & 3)",
        lambda w, one, other, s: f"from_json({one(TEXT)}, 'a INT, b STRING').a",
        lambda w, one, other, s: f"try_add({one(NUMBER)}, {other(NUMBER)})",
        lambda w, one, other, s: f"try_multiply({one(NUMBER)}, {other(NUMBER)})",
        lambda w, one, other, s: f"try_to_number({one(TEXT)}, '999')",
        lambda w, one, other, s: f"get(array({one(NUMBER)}, {other(NUMBER)}), 0)",
        lambda w, one, other, s: (
            f"zip_with(array({one(NUMBER)}), array({other(NUMBER)}), (x, y) -> x + y)[0]"
        ),
        lambda w, one, other, s: f"filter(array({one(NUMBER)}), x -> x > {other(NUMBER)})[0]",
        lambda w, one, other, s: f"map_from_arrays(array({one(TEXT)}), array({one(NUMBER)}))['a']",
        lambda w, one, other, s: f"element_at(map({one(TEXT)}, {one(NUMBER)}), {other(TEXT)})",
        lambda w, one, other, s: (
            f"map_filter(map({one(TEXT)}, {one(NUMBER)}), (k, v) -> v > {other(NUMBER)})['a']"
        ),
        lambda w, one, other, s: (
            f"map_zip_with(map('a', {one(NUMBER)}), map('a', 1), (k, x, y) -> x + y)['a']"
        ),
        lambda w, one, other, s: (
            f"struct(struct({one(NUMBER)} AS a, {one(TEXT)} AS b) AS c, 1 AS d).c.a"
        ),
        lambda w, one, other, s: f"array(struct({one(NUMBER)} AS a, {one(TEXT)} AS b))[0].a",
        lambda w, one, other, s: f"arrays_zip(array({one(NUMBER)}), array({one(TEXT)}))['0'][0]",
        lambda w, one, other, s: (
            f"from_json({one(TEXT)}, 'a STRUCT<b: INT, c: ARRAY<INT>>').a.c[0]"
        ),
        lambda w, one, other, s: f"year(date_trunc({one(TEXT)}, to_timestamp({other(TEXT)})))",
        lambda w, one, other, s: f"month(trunc(to_date({one(TEXT)}), lower({one(TEXT)})))",
        lambda w, one, other, s: f"width_bucket({one(NUMBER)}, 0, 10, 5)",
    ],
    TEXT: [
        lambda w, one, other, s: f"{one(TEXT)} || {other(TEXT)}",
        lambda w, one, other, s: f"trim(BOTH 'a' FROM {one(TEXT)})",
        lambda w, one, other, s: f"substring({one(TEXT)} FROM 2 FOR 3)",
        lambda w, one, other, s: f"regexp_replace({one(TEXT)}, 'a', {other(TEXT)})",
        lambda w, one, other, s: f"nvl({one(TEXT)}, {other(TEXT)})",
        lambda w, one, other, s: f"nullif({one(TEXT)}, {other(TEXT)})",
        lambda w, one, other, s: f"decode({one(NUMBER)}, 1, {one(TEXT)}, {other(TEXT)})",
        lambda w, one, other, s: f"sha2({one(TEXT)}, 256)",
        lambda w, one, other, s: f"mask({one(TEXT)})",
        lambda w, one, other, s: f"concat_ws('-', {one(TEXT)}, {other(TEXT)})",
        lambda w, one, other, s: f"split({one(TEXT)}, ',')[0]",
        lambda w, one, other, s: f"date_format(to_date({one(TEXT)}), 'yyyy')",
        lambda w, one, other, s: f"cast(date_add(to_date({one(TEXT)}), 3) AS STRING)",
        lambda w, one, other, s: f"cast(date_trunc('MONTH', to_date({one(TEXT)})) AS STRING)",
        lambda w, one, other, s: f"cast(to_date({one(TEXT)}) + INTERVAL 1 DAY AS STRING)",
        lambda w, one, other, s: f"lpad({one(TEXT)}, 5, {other(TEXT)})",
        lambda w, one, other, s: f"translate({one(TEXT)}, 'a', 'b')",
        lambda w, one, other, s: f"named_struct('a', {one(TEXT)}, 'b', {one(NUMBER)}).a",
        lambda w, one, other, s: f"get_json_object({one(TEXT)}, '$.a')",
        lambda w, one, other, s: (
            f"CASE {one(TEXT)} WHEN {other(TEXT)} THEN {one(TEXT)} WHEN 'b' THEN 'x' END"
        ),
        lambda w, one, other, s: f"format_string('%s-%s', {one(TEXT)}, {one(NUMBER)})",
        lambda w, one, other, s: (
            f"array_join(transform(split({one(TEXT)}, ','), x -> concat(x, {other(TEXT)})), ';')"
        ),
        lambda w, one, other, s: f"initcap(lower({one(TEXT)}))",
        lambda w, one, other, s: f"base64({one(TEXT)})",
        lambda w, one, other, s: f"overlay({one(TEXT)} PLACING 'x' FROM 2)",
        lambda w, one, other, s: f"elt(1, {one(TEXT)}, {other(TEXT)})",
        lambda w, one, other, s: f"str_to_map({one(TEXT)})['a']",
        lambda w, one, other, s: f"try_element_at(array({one(TEXT)}, {other(TEXT)}), 2)",
        lambda w, one, other, s: (
            f"map_keys(transform_keys(map({one(TEXT)}, 1), (k, v) -> concat(k, {one(TEXT)})))[0]"
        ),
        lambda w, one, other, s: f"map_entries(map({one(TEXT)}, {one(NUMBER)}))[0].key",
        lambda w, one, other, s: f"to_json(named_struct('a', {one(TEXT)}, 'b', {other(TEXT)}))",
        lambda w, one, other, s: (
            f"CASE WHEN {w.condition(s, 0)} THEN struct({one(TEXT)} AS a, {one(NUMBER)} AS b) END.a"
        ),
        lambda w, one, other, s: (
            f"coalesce(struct({one(TEXT)} AS a), struct({other(TEXT)} AS a)).a"
        ),
    ],
}
MORE_AGGREGATES: dict[str, list[Callable[[Writer, One, Sequence[Field]], str]]] = {
    NUMBER: [
        lambda w, inner, s: f"count(DISTINCT {inner(TEXT)}, {inner(NUMBER)})",
        lambda w, inner, s: f"sum(DISTINCT {inner(NUMBER)}) FILTER (WHERE {w.condition(s, 0)})",
        lambda w, inner, s: f"count(1) FILTER (WHERE {w.condition(s, 0)})",
        lambda w, inner, s: f"count_if({inner(NUMBER)} > 2)",
        lambda w, inner, s: f"percentile_cont(0.5) WITHIN GROUP (ORDER BY {inner(NUMBER)})",
        lambda w, inner, s: f"percentile_approx({inner(NUMBER)}, 0.5)",
        lambda w, inner, s: f"min_by({inner(NUMBER)}, {inner(NUMBER)})",
        lambda w, inner, s: f"approx_count_distinct({inner(TEXT)})",
        lambda w, inner, s: f"size(collect_set({inner(TEXT)}))",
        lambda w, inner, s: f"corr({inner(NUMBER)}, {inner(NUMBER)})",
        lambda w, inner, s: f"first({inner(NUMBER)}, true)",
        lambda w, inner, s: f"any_value({inner(NUMBER)})",
        lambda w, inner, s: f"median({inner(NUMBER)})",
        lambda w, inner, s: f"mode({inner(NUMBER)})",
        lambda w, inner, s: f"max(struct({inner(NUMBER)} AS a, {inner(TEXT)} AS b)).a",
        lambda w, inner, s: (
            f"sum(if({w.condition(s, 0)}, {inner(NUMBER)}, 0)) / nullif(count(*), 0)"
        ),
        lambda w, inner, s: (
            f"CASE WHEN count(*) > 3 THEN sum({inner(NUMBER)}) ELSE max({inner(NUMBER)}) END"
        ),
        lambda w, inner, s: f"stddev({inner(NUMBER)})",
        lambda w, inner, s: f"try_sum({inner(NUMBER)})",
        lambda w, inner, s: f"regr_slope({inner(NUMBER)}, {inner(NUMBER)})",
        lambda w, inner, s: (
            f"aggregate(collect_list(cast({inner(NUMBER)} AS DOUBLE)), 0D, (a, x) -> a + x)"
        ),
    ],
    TEXT: [
        lambda w, inner, s: f"array_join(collect_list({inner(TEXT)}), ',')",
        lambda w, inner, s: f"listagg({inner(TEXT)}, ',')",
        lambda w, inner, s: f"max_by({inner(TEXT)}, {inner(NUMBER)})",
        lambda w, inner, s: f"first({inner(TEXT)}) FILTER (WHERE {w.condition(s, 0)})",
        lambda w, inner, s: f"upper(max({inner(TEXT)}))",
        lambda w, inner, s: f"coalesce(min({inner(TEXT)}), 'none')",
    ],
}
