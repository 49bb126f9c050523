"""What can stand in FROM in Spark: pivots, lateral views, nested set operations, recursion, and the
like.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from generators.queries import SHOP, Writer
from generators.scope import NUMBER, TEXT, Field, fields_of_kind, table_fields
from generators.spark_expressions import LINES, NUMBERS, PROPS, RICH, TEXTS
from generators.spark_steps import piped

OPERATORS = (
    "UNION ALL",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "EXCEPT ALL",
    "INTERSECT ALL",
    "MINUS",
    "MINUS ALL",
)

# -- LATERAL VIEW ----------------------------------------------------------------------------------

Generated = tuple[str, tuple[str, ...]]


def of_texts(w: Writer, scope: Sequence[Field]) -> Generated:
    return f"explode({w.column(scope, TEXTS)})", (TEXT,)


def of_parts(w: Writer, scope: Sequence[Field]) -> Generated:
    return f"explode(split({w.column(scope, TEXT)}, ','))", (TEXT,)


def with_position(w: Writer, scope: Sequence[Field]) -> Generated:
    return f"posexplode({w.column(scope, NUMBERS)})", (NUMBER, NUMBER)


def inline(w: Writer, scope: Sequence[Field]) -> Generated:
    return f"inline({w.column(scope, LINES)})", (TEXT, NUMBER)


def stack(w: Writer, scope: Sequence[Field]) -> Generated:
    texts = [w.column(scope, TEXT) for _ in range(2)]
    numbers = [
        w.column(fields_of_kind(scope, NUMBER), NUMBER) if fields_of_kind(scope, NUMBER) else "1"
        for _ in range(2)
    ]
    numbers = (
        [f"cast({number} AS DOUBLE)" for number in numbers]
        if w.maybe(50)
        else [numbers[0], numbers[0]]
    )
    return f"stack(2, {texts[0]}, {numbers[0]}, {texts[1]}, {numbers[1]})", (TEXT, NUMBER)


def of_map(w: Writer, scope: Sequence[Field]) -> Generated:
    held = (
        w.column(scope, PROPS)
        if fields_of_kind(scope, PROPS)
        else f"map({w.column(scope, TEXT)}, 1)"
    )
    return f"explode({held})", (TEXT, NUMBER)


def json_tuple(w: Writer, scope: Sequence[Field]) -> Generated:
    return f"json_tuple({w.column(scope, TEXT)}, 'a', 'b')", (TEXT, TEXT)


GENERATORS: list[Callable[[Writer, Sequence[Field]], Generated]] = [
    of_texts,
    of_parts,
    with_position,
    inline,
    stack,
    of_map,
    json_tuple,
]

# -- FROM ------------------------------------------------------------------------------------------

Related = tuple[str, list[Field]]


def values(w: Writer, depth: int) -> Related:
    """(VALUES (1, 'a'), (2, 'b')) AS t1(c1, c2)"""
    alias = w.new("t")
    fields = [Field(alias, w.new("c"), NUMBER), Field(alias, w.new("c"), TEXT)]
    rows = ", ".join(f"({w.literal(NUMBER)}, {w.literal(TEXT)})" for _ in range(2))
    text = f"(VALUES {rows})" if w.maybe(50) else f"VALUES {rows}"
    return f"{text} AS {alias}({', '.join(field.name for field in fields)})", fields


def pivoted(w: Writer, depth: int) -> Related:
    """(SELECT region, status, amount FROM orders) PIVOT (sum(amount) FOR status IN ('a' AS c1, 'b'
    AS c2))
    """
    alias, inner = w.new("t"), w.new("t")
    table = w.choose(("orders", "payments", "customers"))
    own = table_fields(inner, w.schema[table])
    key, text, number = w.new("c"), w.new("c"), w.new("c")
    listed = (
        f"{w.expression(own, TEXT, 1, needs_column=True)} AS {text}, "
        f"{w.expression(own, NUMBER, 1, needs_column=True)} AS {number}, {w.column(own, TEXT)} AS {key}"
    )
    names = [w.new("c"), w.new("c")]
    several = w.maybe(40)
    calls = (
        {"c_a": f"sum({number})", "c_b": f"max({number} + 1)"}
        if several
        else {"": f"max({number})"}
    )
    aggregates_ = ", ".join(f"{call} AS {name}" if name else call for name, call in calls.items())
    made = [f"{value}_{name}" if name else value for value in names for name in calls]
    choice = ", ".join(
        f"{literal} AS {name}" for literal, name in zip(("'a'", "'b'"), names, strict=True)
    )
    query = f"(SELECT {listed} FROM {table} AS {inner})"
    fields = [Field(alias, key, TEXT), *(Field(alias, name, NUMBER) for name in made)]
    return f"{query}\nPIVOT ({aggregates_} FOR {text} IN ({choice})) AS {alias}", fields


def unpivoted(w: Writer, depth: int) -> Related:
    """orders UNPIVOT (c1 FOR c2 IN (id, amount AS x))"""
    alias = w.new("t")
    table = w.choose(("orders", "payments", "customers"))
    numbers = [name for name, kind in w.schema[table].items() if kind == NUMBER]
    kept = [Field(alias, name, kind) for name, kind in w.schema[table].items() if kind != NUMBER]
    value, label = w.new("c"), w.new("c")
    listed = ", ".join(
        f"{name} AS lbl{place}" if w.maybe(30) else name for place, name in enumerate(numbers)
    )
    nulls = w.choose(("", " INCLUDE NULLS", " EXCLUDE NULLS"))
    fields = [*kept, Field(alias, label, TEXT), Field(alias, value, NUMBER)]
    return f"{table}\nUNPIVOT{nulls} ({value} FOR {label} IN ({listed})) AS {alias}", fields


def sampled(w: Writer, depth: int) -> Related:
    alias, table = w.new("t"), w.choose([*w.schema])
    fields = table_fields(alias, w.schema[table])
    return f"{table} TABLESAMPLE (10 PERCENT) AS {alias}", fields


def with_map(w: Writer, depth: int) -> Related:
    alias = w.new("t")
    return f"traits AS {alias}", table_fields(alias, RICH["traits"])


def renamed(w: Writer, depth: int) -> Related:
    """orders AS t1(c1, c2, …)"""
    alias, table = w.new("t"), w.choose([*w.schema])
    fields = [Field(alias, w.new("c"), kind) for kind in w.schema[table].values()]
    return f"{table} AS {alias}({', '.join(field.name for field in fields)})", fields


def shadowed(w: Writer, depth: int) -> Related:
    """(WITH orders AS (SELECT … FROM orders) SELECT … FROM orders) AS t1"""
    alias, table, inner = w.new("t"), w.choose([*SHOP]), w.new("t")
    own = table_fields(inner, w.schema[table])
    made = {w.new("c"): kind for kind in (NUMBER, TEXT)}
    items = ", ".join(
        f"{w.expression(own, kind, 1, needs_column=True)} AS {name}" for name, kind in made.items()
    )
    rows = f"SELECT {items} FROM {table} AS {inner} WHERE {w.condition(own, 0)}"
    query = f"WITH {table} AS ({rows}) SELECT * FROM {table}"
    return f"({query}) AS {alias}", table_fields(alias, made)


NESTS = (
    "{0}\n{3}\n{1}\n{4}\n{2}",
    "({0}\n{3}\n{1})\n{4}\n{2}",
    "{0}\n{3}\n({1}\n{4}\n{2})",
    "(({0})\n{3} ({1} LIMIT 3)\n{4} {2})",
)


def nested_set(w: Writer, depth: int) -> Related:
    """((SELECT … UNION SELECT …) EXCEPT ALL SELECT …) AS t1"""
    alias = w.new("t")
    kinds = (NUMBER, TEXT)
    names = [w.new("c") for _ in kinds]

    def branch(named: bool) -> str:
        table, inner = w.choose([*SHOP]), w.new("t")
        own = table_fields(inner, w.schema[table])
        texts = [w.expression(own, kind, 1, needs_column=True) for kind in kinds]
        listed = (
            [f"{text} AS {name}" for text, name in zip(texts, names, strict=True)]
            if named
            else texts
        )
        return f"SELECT {', '.join(listed)} FROM {table} AS {inner}"

    one, two = (w.choose(OPERATORS) for _ in range(2))
    shape = w.choose(
        (
            "{0}\n{3}\n{1}\n{4}\n{2}",
            "({0}\n{3}\n{1})\n{4}\n{2}",
            "{0}\n{3}\n({1}\n{4}\n{2})",
            "(({0})\n{3} ({1} LIMIT 3)\n{4} {2})",
        )
    )
    text = shape.format(branch(True), branch(False), branch(False), one, two)
    return f"({text}) AS {alias}", [
        Field(alias, name, kind) for name, kind in zip(names, kinds, strict=True)
    ]


def recursive(w: Writer, depth: int) -> Related:
    """(WITH RECURSIVE w1(c1, c2) AS (SELECT … UNION ALL SELECT … FROM w1 JOIN …) SELECT * FROM w1)
    AS t1
    """
    alias, name, first, second = w.new("t"), w.new("w"), w.new("t"), w.new("t")
    names = [w.new("c"), w.new("c")]
    start = table_fields(first, w.schema["orders"])
    number, text, step = (
        w.column(start, NUMBER),
        w.column(start, TEXT),
        w.choose(("id", "amount")),
    )
    query = (
        f"WITH RECURSIVE {name}({', '.join(names)}) AS (\n"
        f"SELECT cast({number} AS DOUBLE), cast({text} AS STRING) FROM orders AS {first}\n"
        f"WHERE {w.condition(start, 0)}\n"
        f"UNION ALL\n"
        f"SELECT cast({second}.{step} AS DOUBLE), concat({name}.{names[1]}, {second}.method) "
        f"FROM {name} JOIN payments AS {second} ON {second}.order_id = {name}.{names[0]}"
        f") SELECT * FROM {name}"
    )
    return f"({query}) AS {alias}", [Field(alias, names[0], NUMBER), Field(alias, names[1], TEXT)]


def exploded(w: Writer, depth: int) -> Related:
    """(SELECT id, explode(lines) AS c1 FROM visits) AS t1, read as c1.price"""
    alias, inner, name, key = w.new("t"), w.new("t"), w.new("c"), w.new("c")
    item = w.choose(("explode", "explode_outer"))
    kept = w.choose(("id", "length(region)", "place.zip"))
    query = f"SELECT {kept} AS {key}, {item}({inner}.lines) AS {name} FROM visits AS {inner}"
    outer = w.new("c"), w.new("c")
    text = f"(SELECT {key}, {name}.price AS {outer[0]}, {name}.sku AS {outer[1]} FROM ({query})) AS {alias}"
    return text, [
        Field(alias, key, NUMBER),
        Field(alias, outer[0], NUMBER),
        Field(alias, outer[1], TEXT),
    ]


def parenthesised(w: Writer, depth: int) -> Related:
    """(orders AS t1 JOIN payments AS t2 ON …)"""
    names = w.random.sample([*SHOP], 2)
    aliases = [w.new("t"), w.new("t")]
    sides = [table_fields(a, w.schema[t]) for a, t in zip(aliases, names, strict=True)]
    on = w.join_condition(*sides)
    return f"({names[0]} AS {aliases[0]} LEFT JOIN {names[1]} AS {aliases[1]} ON {on})", [
        *sides[0],
        *sides[1],
    ]


def table_function(w: Writer, depth: int) -> Related:
    alias = w.new("t")
    if w.maybe(50):
        name = w.new("c")
        return f"explode(array(1, 2)) AS {alias}({name})", [Field(alias, name, NUMBER)]
    return f"range(3) AS {alias}", [Field(alias, "id", NUMBER)]


def table_of(w: Writer) -> tuple[str, list[Field]]:
    """orders AS t1, and its columns"""
    table, alias = w.choose([*SHOP]), w.new("t")
    return f"{table} AS {alias}", table_fields(alias, w.schema[table])


def in_time(w: Writer, depth: int) -> Related:
    """(SELECT cast(window.start AS STRING) AS c1, … FROM t1 GROUP BY window(to_timestamp(b), '5
    minutes'), d) AS t2
    """
    source, own = table_of(w)
    alias, names = w.new("t"), [w.new("c"), w.new("c"), w.new("c")]
    time, key = w.column(own, TEXT), w.column(own, NUMBER)
    kind, length = w.choose(
        (
            ("window", "'5 minutes'"),
            ("window", "'10 minutes', '5 minutes'"),
            ("session_window", "'5 minutes'"),
        )
    )
    edge = w.choose((f"{kind}.start", f"{kind}.end", f"{kind}(to_timestamp({time}), {length}).end"))
    listed = f"cast({edge} AS STRING) AS {names[0]}, {w.aggregate(own, NUMBER, 0)} AS {names[1]}, {key} AS {names[2]}"
    query = f"SELECT {listed} FROM {source} GROUP BY {kind}(to_timestamp({time}), {length}), {key}"
    return f"({query}) AS {alias}", [
        Field(alias, n, k) for n, k in zip(names, (TEXT, NUMBER, NUMBER), strict=True)
    ]


def read_of(query: str, listed: str, names: Sequence[str], w: Writer) -> Related:
    """(SELECT c3.a AS c1, c3.b AS c2 FROM (SELECT … AS c3 FROM …)) AS t1

    a number and a text
    """
    alias = w.new("t")
    made = [Field(alias, name, kind) for name, kind in zip(names, (NUMBER, TEXT), strict=True)]
    return f"(SELECT {listed} FROM ({query})) AS {alias}", made


STRUCTS_OF_ROWS = (
    "collect_list({0})", "collect_set({0})", "first({0})", "last({0})", "max_by({0}, {1})", "any_value({0})",
    "max({0})",
)  # fmt: skip
STRUCTS_IN_WINDOWS = (
    "collect_list({0}) OVER ({1})", "lag({0}) OVER ({1})", "first_value({0}) OVER ({1})", "max_by({0}, {2}) OVER ({1})",
    "last({0}) OVER ({1})",
)  # fmt: skip


def collected(w: Writer, depth: int) -> Related:
    """(SELECT c3[0].c4 AS c1 FROM (SELECT collect_list(struct(a AS c4, b AS c5)) AS c3 FROM t1
    GROUP BY d)) AS t2
    """
    source, own = table_of(w)
    whole, number, text = w.new("c"), w.new("c"), w.new("c")
    names = [w.new("c"), w.new("c")]
    struct = (
        f"struct({w.expression(own, NUMBER, 1, needs_column=True)} AS {number}, "
        f"{w.expression(own, TEXT, 1, needs_column=True)} AS {text})"
    )
    if w.maybe(50):
        call = w.choose(STRUCTS_OF_ROWS).format(struct, w.column(own, NUMBER))
        query = f"SELECT {call} AS {whole} FROM {source} GROUP BY {w.column(own, TEXT)}"
    else:
        keys = f"PARTITION BY {w.column(own, TEXT)} ORDER BY {w.column(own, NUMBER)}"
        call = w.choose(STRUCTS_IN_WINDOWS).format(struct, keys, w.column(own, NUMBER))
        query = f"SELECT {call} AS {whole} FROM {source}"
    item = f"{whole}[0]" if call.startswith("collect") else whole
    listed = f"{item}.{number} AS {names[0]}, {item}.{text} AS {names[1]}"
    return read_of(query, listed, names, w)


def parsed(w: Writer, depth: int) -> Related:
    """(SELECT c1.a.b AS c2 FROM (SELECT from_json(t1.name, 'a STRUCT<b: DOUBLE, …>') AS c1 FROM
    t1)) AS t2
    """
    source, own = table_of(w)
    whole, names = w.new("c"), [w.new("c"), w.new("c")]
    schema = "a STRUCT<b: DOUBLE, c: ARRAY<STRUCT<d: STRING, e: DOUBLE>>>, f STRING"
    number = w.choose(("a.b", "a.c[0].e", "a.c.e[0]"))
    text = w.choose(("f", "a.c[0].d"))
    query = f"SELECT from_json({w.expression(own, TEXT, 1, needs_column=True)}, '{schema}') AS {whole} FROM {source}"
    listed = f"{whole}.{number} AS {names[0]}, {whole}.{text} AS {names[1]}"
    return read_of(query, listed, names, w)


def rebuilt(w: Writer, depth: int) -> Related:
    """(SELECT c1.zip FROM (SELECT named_struct('city', upper(region), 'zip', place.zip) AS c1 FROM
    visits)) AS t2
    """
    inner, whole, names = w.new("t"), w.new("c"), [w.new("c"), w.new("c")]
    own = table_fields(inner, w.schema["visits"])
    built = w.choose(
        (
            f"named_struct('city', {w.expression(own, TEXT, 1)}, 'zip', {inner}.place.zip)",
            f"struct({inner}.place.*)",
            f"struct({inner}.place AS home, {inner}.id).home",
            f"transform({inner}.lines, l -> named_struct('city', l.sku, 'zip', l.price + {inner}.id))[0]",
            f"if({w.condition(own, 0)}, {inner}.place, named_struct('city', 'a', 'zip', 1D))",
        )
    )
    query = f"SELECT {built} AS {whole} FROM visits AS {inner}"
    listed = f"{whole}.zip AS {names[0]}, {whole}.city AS {names[1]}"
    return read_of(query, listed, names, w)


def with_function(w: Writer, depth: int) -> Related:
    """visits AS t1, LATERAL inline(t1.lines) AS t2(c1, c2)"""
    table, made = w.new("t"), w.new("t")
    call, kinds = w.choose(
        (
            ("explode({}.tags)", (TEXT,)),
            ("posexplode({}.sizes)", (NUMBER, NUMBER)),
            ("inline({}.lines)", (TEXT, NUMBER)),
            ("inline(arrays_zip({0}.tags, {0}.sizes))", (TEXT, NUMBER)),
            ("stack(2, {0}.id, {0}.region, {0}.place.zip, {0}.place.city)", (NUMBER, TEXT)),
        )
    )
    own = [Field(made, w.new("c"), kind) for kind in kinds]
    join = w.choose((",", " CROSS JOIN", " LEFT JOIN"))
    on = " ON true" if "LEFT" in join else ""
    listed = ", ".join(field.name for field in own)
    text = f"visits AS {table}{join} LATERAL {call.format(table)} AS {made}({listed}){on}"
    alias, names = w.new("t"), [w.new("c") for _ in own]
    items = ", ".join(
        f"{made}.{field.name} AS {name}" for field, name in zip(own, names, strict=True)
    )
    fields = [Field(alias, name, field.kind) for field, name in zip(own, names, strict=True)]
    return f"(SELECT {items}, {table}.id AS {(key := w.new('c'))} FROM {text}) AS {alias}", [
        *fields, Field(alias, key, NUMBER)
    ]  # fmt: skip


def qualified(w: Writer, depth: int) -> Related:
    """(SELECT a AS c1, b AS c2 FROM t1 QUALIFY row_number() OVER (…) = 1) AS t2"""
    source, own = table_of(w)
    alias, names = w.new("t"), [w.new("c"), w.new("c")]
    number, text = w.expression(own, NUMBER, 1), w.expression(own, TEXT, 1, needs_column=True)
    listed = f"{number} AS {names[0]}, {text} AS {names[1]}"
    query = f"SELECT {listed} FROM {source} QUALIFY {w.window(own, NUMBER)} > 1"
    return f"({query}) AS {alias}", [Field(alias, names[0], NUMBER), Field(alias, names[1], TEXT)]


RELATIONS: list[Callable[[Writer, int], Related]] = [
    values,
    pivoted,
    pivoted,
    unpivoted,
    sampled,
    with_map,
    with_map,
    renamed,
    shadowed,
    nested_set,
    nested_set,
    recursive,
    exploded,
    exploded,
    parenthesised,
    table_function,
    in_time,
    in_time,
    collected,
    collected,
    parsed,
    rebuilt,
    with_function,
    with_function,
    qualified,
    piped,
    piped,
    piped,
]
