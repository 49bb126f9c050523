"""What Spark can write in an expression: structs, arrays, maps, lambdas, and functions of many
kinds.

A table per use; `spark_queries` draws from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from generators.queries import SHOP, Writer
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
MORE = {
    NUMBER: [
        "nvl(@N, @n)",
        "nvl2(@T, @N, @n)",
        "ifnull(@N, @n)",
        "decode(@T, 'a', @N, 'b', @n, 0)",
        "CASE @N WHEN @n THEN 1 ELSE @N END",
        "greatest(@N, @n)",
        "try_divide(@N, @n)",
        "(@N % @n - @N)",
        "named_struct('a', @N, 'b', @t).a",
        "struct(@N AS a, @N AS b).b",
        "array(@N, @n)[0]",
        "map('a', @N, 'b', @n)['a']",
        "@T::int",
        "try_cast(@T AS INT)",
        "nullifzero(@N)",
        "zeroifnull(@N)",
        "extract(YEAR FROM to_date(@T))",
        "datediff(to_date(@T), to_date(@t))",
        "cast(get_json_object(@T, '$.a') AS INT)",
        "xxhash64(@T, @N)",
        "round(@N, 2)",
        "instr(@T, @t)",
        "position('a' IN @T)",
        "size(split(@T, ','))",
        "if(@T RLIKE 'a', 1, 2)",
        "aggregate(array(@N), cast(@n AS DOUBLE), (a, x) -> a + x)",
        "transform(array(@N), x -> x + @N)[0]",
        "bit_count(cast(@N AS INT) & 3)",
        "from_json(@T, 'a INT, b STRING').a",
        "try_add(@N, @n)",
        "try_multiply(@N, @n)",
        "try_to_number(@T, '999')",
        "get(array(@N, @n), 0)",
        "zip_with(array(@N), array(@n), (x, y) -> x + y)[0]",
        "filter(array(@N), x -> x > @n)[0]",
        "map_from_arrays(array(@T), array(@N))['a']",
        "element_at(map(@T, @N), @t)",
        "map_filter(map(@T, @N), (k, v) -> v > @n)['a']",
        "map_zip_with(map('a', @N), map('a', 1), (k, x, y) -> x + y)['a']",
        "struct(struct(@N AS a, @T AS b) AS c, 1 AS d).c.a",
        "array(struct(@N AS a, @T AS b))[0].a",
        "arrays_zip(array(@N), array(@T))['0'][0]",
        "from_json(@T, 'a STRUCT<b: INT, c: ARRAY<INT>>').a.c[0]",
        "year(date_trunc(@T, to_timestamp(@t)))",
        "month(trunc(to_date(@T), lower(@T)))",
        "width_bucket(@N, 0, 10, 5)",
    ],
    TEXT: [
        "@T || @t",
        "trim(BOTH 'a' FROM @T)",
        "substring(@T FROM 2 FOR 3)",
        "regexp_replace(@T, 'a', @t)",
        "nvl(@T, @t)",
        "nullif(@T, @t)",
        "decode(@N, 1, @T, @t)",
        "sha2(@T, 256)",
        "mask(@T)",
        "concat_ws('-', @T, @t)",
        "split(@T, ',')[0]",
        "date_format(to_date(@T), 'yyyy')",
        "cast(date_add(to_date(@T), 3) AS STRING)",
        "cast(date_trunc('MONTH', to_date(@T)) AS STRING)",
        "cast(to_date(@T) + INTERVAL 1 DAY AS STRING)",
        "lpad(@T, 5, @t)",
        "translate(@T, 'a', 'b')",
        "named_struct('a', @T, 'b', @N).a",
        "get_json_object(@T, '$.a')",
        "CASE @T WHEN @t THEN @T WHEN 'b' THEN 'x' END",
        "format_string('%s-%s', @T, @N)",
        "array_join(transform(split(@T, ','), x -> concat(x, @t)), ';')",
        "initcap(lower(@T))",
        "base64(@T)",
        "overlay(@T PLACING 'x' FROM 2)",
        "elt(1, @T, @t)",
        "str_to_map(@T)['a']",
        "try_element_at(array(@T, @t), 2)",
        "map_keys(transform_keys(map(@T, 1), (k, v) -> concat(k, @T)))[0]",
        "map_entries(map(@T, @N))[0].key",
        "to_json(named_struct('a', @T, 'b', @t))",
        "CASE WHEN @c THEN struct(@T AS a, @N AS b) END.a",
        "coalesce(struct(@T AS a), struct(@t AS a)).a",
    ],
}
MORE_AGGREGATES = {
    NUMBER: [
        "count(DISTINCT @T, @N)",
        "sum(DISTINCT @N) FILTER (WHERE @c)",
        "count(1) FILTER (WHERE @c)",
        "count_if(@N > 2)",
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY @N)",
        "percentile_approx(@N, 0.5)",
        "min_by(@N, @N)",
        "approx_count_distinct(@T)",
        "size(collect_set(@T))",
        "corr(@N, @N)",
        "first(@N, true)",
        "any_value(@N)",
        "median(@N)",
        "mode(@N)",
        "max(struct(@N AS a, @T AS b)).a",
        "sum(if(@c, @N, 0)) / nullif(count(*), 0)",
        "CASE WHEN count(*) > 3 THEN sum(@N) ELSE max(@N) END",
        "stddev(@N)",
        "try_sum(@N)",
        "regr_slope(@N, @N)",
        "aggregate(collect_list(cast(@N AS DOUBLE)), 0D, (a, x) -> a + x)",
    ],
    TEXT: [
        "array_join(collect_list(@T), ',')",
        "listagg(@T, ',')",
        "max_by(@T, @N)",
        "first(@T) FILTER (WHERE @c)",
        "upper(max(@T))",
        "coalesce(min(@T), 'none')",
    ],
}
