"""Ways to write a query differently without changing what it means, each a function on its syntax
tree or its text.

A rewrite gives the new statements, or none where it does not apply. Where it is not certain that
the meaning stays (a name that could also be another one's, a clause that looks inside), it does not
apply.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
from sqlglot.tokens import TokenType

from lineal.algebra.functions import DATE_PARTS
from lineal.extract.sql.dialects import ONLY_DATASETS_KEEP_CASE, facts_of

Schema = Mapping[str, list[str]]
Rewrite = Callable[[exp.Expression, Schema, str], "list[str]"]

FRESH = "rewritten_"


def query_of(tree: exp.Expression) -> Any:
    """The query of a SELECT, CREATE … AS or INSERT."""
    if isinstance(tree, (exp.Create, exp.Insert)) and isinstance(tree.expression, exp.Query):
        return tree.expression
    return tree if isinstance(tree, exp.Query) else None


def select_of(tree: exp.Expression) -> Any:
    """The query, where it is one SELECT over a FROM that nothing else is done to."""
    query = query_of(tree)
    unusual = ("laterals", "match", "connect", "kind", "into")
    if tree.find(exp.Pivot) is not None:
        return None
    if (
        isinstance(query, exp.Select)
        and query.args.get("from_")
        and not any(map(query.args.get, unusual))
    ):
        return query
    return None


def sources_of(select: exp.Select) -> list[Any]:
    return [select.args["from_"].this, *(join.this for join in select.args.get("joins") or ())]


def plain_tables(select: exp.Select, schema: Schema) -> dict[str, str] | None:
    """alias → table, where every member of FROM is a known table and nothing more."""
    found: dict[str, str] = {}
    for source in sources_of(select):
        used = {key for key, value in source.args.items() if value} - {"this", "alias"}
        if (
            not isinstance(source, exp.Table)
            or used
            or source.name not in schema
            or has_columns(source)
        ):
            return None
        found[source.alias or source.name] = source.name
    return found if len(found) == len(sources_of(select)) else None


def has_columns(source: exp.Expression) -> bool:
    alias = source.args.get("alias")
    return alias is not None and bool(alias.args.get("columns"))


def simple(select: exp.Select) -> bool:
    """One query: none inside, no CTEs, no star, nothing that names columns in a way of its own."""
    inner = [node for node in select.walk() if isinstance(node, UNUSUAL)]
    return inner == [select] and not select.args.get("with_")


UNUSUAL = (exp.Query, exp.Star, exp.Lambda, exp.Comprehension, exp.Dot, exp.Columns, exp.Pivot)


def written(tree: exp.Expression, dialect: str) -> list[str]:
    return [tree.sql(dialect=dialect)]


# -- names -----------------------------------------------------------------------------------------


def other_aliases(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """FROM t AS a … a.x

    FROM t AS b … b.x, and other names for CTEs; names in texts are out of reach
    """
    if any(call.name.upper() == "IDENTIFIER" for call in tree.find_all(exp.Anonymous)) or tree.find(
        exp.DynamicIdentifier
    ):
        return []
    aliases = {node.name.lower() for node in tree.find_all(exp.TableAlias) if node.name}
    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    tables = {table.name.lower() for table in tree.find_all(exp.Table)} | {
        name.lower() for name in schema
    }
    columns = {column.parts[-1].name.lower() for column in tree.find_all(exp.Column)}
    items = {alias.alias.lower() for alias in tree.find_all(exp.Alias)}
    if any(reads(cte, other.alias) for cte in tree.find_all(exp.CTE) for other in at_or_after(cte)):
        ctes = set()
    chosen = aliases - columns - items - (tables - ctes) - out_of_reach(tree)
    if not chosen or any(
        len(table.parts) > 1 and table.name.lower() in chosen for table in tree.find_all(exp.Table)
    ):
        return []
    for node in tree.walk():
        if isinstance(node, exp.TableAlias) and node.name.lower() in chosen:
            rename(node.this)
        elif (
            isinstance(node, exp.Column)
            and len(node.parts) > 1
            and node.parts[0].name.lower() in chosen
        ):
            rename(node.parts[0])
        elif isinstance(node, exp.Table) and node.name.lower() in chosen & ctes:
            rename(node.this)
    return written(tree, dialect)


def out_of_reach(tree: exp.Expression) -> set[str]:
    """a.x.method(), FROM a.items      names that sqlglot takes for something else than a table's"""
    methods = {
        name.name.lower() for dot in tree.find_all(exp.Dot) for name in dot.find_all(exp.Identifier)
    }
    return methods | {
        part.name.lower() for table in tree.find_all(exp.Table) for part in table.parts[:-1]
    }


def at_or_after(cte: exp.CTE) -> list[exp.CTE]:
    """The CTEs whose names mean something else inside this one: itself, and those that follow."""
    listed = cte.parent.expressions
    return listed[next(number for number, each in enumerate(listed) if each is cte) :]


def rename(identifier: exp.Expression) -> None:
    identifier.set("this", FRESH + identifier.name)


def quoted(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """SELECT Amount

    SELECT "amount", as the dialect folds it; what is no column would become one
    """
    if (not dialect and not all_named(query_of(tree))) or names_other_things(tree, dialect):
        return []
    tree = normalize_identifiers(tree, dialect=dialect)
    for identifier in tree.find_all(exp.Identifier):
        if isinstance(identifier.parent, (exp.Column, exp.Table, exp.Alias, exp.TableAlias)):
            identifier.set("quoted", True)
    return written(tree, dialect)


def names_other_things(tree: exp.Expression, dialect: str) -> bool:
    """DATE_BUCKET(week, 2, a), SELECT USER, ids.NEXTVAL, ORDER BY ALL

    words that mean something
    because nothing quotes them"""
    facts = facts_of(dialect or "")
    words = facts.pseudo_columns | facts.reserved_names | {"nextval", "currval", "all"}
    columns = list(tree.find_all(exp.Column))
    parts = {
        column.name.lower()
        for column in columns
        if isinstance(column.parent, exp.Func) and not column.table
    }
    return bool(
        {part.name.lower() for column in columns for part in column.parts} & words
        or parts & DATE_PARTS
    )


def all_named(query: Any) -> bool:
    """Whether every output has a name: most dialects call an expression as it is written."""
    return all(
        isinstance(item, (exp.Column, exp.Alias, exp.Star))
        for item in getattr(query, "selects", ())
    )


SPARKS = ("spark", "databricks")


def loud(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """select a from t      SELECT A FROM T: keywords, and the names that the dialect folds"""
    text = tree.sql(dialect=dialect)
    made, end = "", 0
    for token in Dialect.get_or_raise(dialect).tokenize(text):
        upper = (
            token.token_type in FOLDED
            and dialect not in ONLY_DATASETS_KEEP_CASE
            and Dialect.get_or_raise(dialect).normalization_strategy.value in FOLDING
        )
        keyword = token.token_type not in KEPT and token.token_type not in FOLDED
        word = text[token.start : token.end + 1]
        made += text[end : token.start] + (
            word.upper() if upper or (keyword and word.isidentifier()) else word
        )
        end = token.end + 1
    return [made + text[end:]]


FOLDED = {TokenType.VAR}
FOLDING = {"LOWERCASE", "UPPERCASE", "CASE_INSENSITIVE"}
KEPT = {
    TokenType.STRING,
    TokenType.IDENTIFIER,
    TokenType.NUMBER,
    TokenType.RAW_STRING,
    TokenType.HEX_STRING,
}


def spaced(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """SELECT a FROM t

    with comments, line breaks and tabs between the words; not inside t.$2, nor before a hint
    """
    if tree.find(exp.Parameter, exp.Hint):
        return []
    text = tree.sql(dialect=dialect, comments=False)
    made, end = "", 0
    for number, token in enumerate(Dialect.get_or_raise(dialect).tokenize(text)):
        gap = text[end : token.start]
        between = ("\n\t", " /* FROM nowhere; */ ", "\n-- SELECT 'x\n")[number % 3]
        made += (between if gap.isspace() else gap) + text[token.start : token.end + 1]
        end = token.end + 1
    return [made + text[end:]]


def qualified(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """SELECT a FROM t AS x      SELECT x.a FROM t AS x"""
    select, tables = select_of(tree), None
    if select is not None and simple(select):
        tables = plain_tables(select, schema)
    if not tables or uses_keys(select) or (dialect not in SPARKS and not all_named(select)):
        return []
    aliases = {item.alias for item in select.expressions if isinstance(item, exp.Alias)}
    changed = False
    for column in list(select.find_all(exp.Column)):
        owners = [alias for alias, table in tables.items() if column.name in schema[table]]
        if (
            not column.table
            and len(owners) == 1
            and column.name not in aliases
            and not column.this.args.get("quoted")
        ):
            column.set("table", exp.to_identifier(owners[0]))
            changed = True
    return written(tree, dialect) if changed else []


def unqualified(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """SELECT x.a FROM t AS x

    SELECT a FROM t AS x; but `month` alone in date_trunc(t.month, d) is a unit
    """
    select, tables = select_of(tree), None
    if any(
        call.args["unit"].find(exp.Column)
        for call in tree.find_all(exp.TimestampTrunc)
        if call.args.get("unit")
    ):
        return []
    if select is not None and simple(select):
        tables = plain_tables(select, schema)
    if not tables or uses_keys(select) or (dialect not in SPARKS and not all_named(select)):
        return []
    aliases = {item.alias for item in select.expressions if isinstance(item, exp.Alias)}
    changed = False
    for column in list(select.find_all(exp.Column)):
        owners = [alias for alias, table in tables.items() if column.name in schema[table]]
        if (
            column.table in tables
            and len(owners) == 1
            and column.name not in aliases
            and "db" not in filled(column)
        ):
            column.set("table", None)
            changed = True
    return written(tree, dialect) if changed else []


def filled(node: exp.Expression) -> set[str]:
    return {name for name, value in node.args.items() if value}


def uses_keys(select: exp.Select) -> bool:
    return any(
        join.args.get("using") or join.args.get("method") for join in select.args.get("joins") or ()
    )


# -- CTEs, subqueries, views -----------------------------------------------------------------------


def ctes_of(query: Any) -> list[exp.CTE]:
    """The CTEs of a query, where each can be told apart: not recursive, and no name is used twice."""
    found = query.args.get("with_") if query is not None else None
    if found is None or found.args.get("recursive") or len(list(query.find_all(exp.With))) > 1:
        return []
    ctes = list(found.expressions)
    if any(
        cte.args.get("scalar") or not isinstance(cte.this, exp.Query) or reads(cte, cte.alias)
        for cte in ctes
    ):
        return []
    return ctes


def reads(node: exp.Expression, name: str) -> bool:
    return any(table.name.lower() == name.lower() for table in node.find_all(exp.Table))


def inlined(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """WITH w AS (q) SELECT … FROM w      SELECT … FROM (q) AS w"""
    query = query_of(tree)
    ctes = ctes_of(query)
    if not ctes or len({cte.alias.lower() for cte in ctes}) < len(ctes):
        return []
    if dialect == "clickhouse" and any(reads_later(cte, ctes[at:]) for at, cte in enumerate(ctes)):
        return []
    bodies: dict[str, exp.CTE] = {}
    for cte in ctes:
        if not put_in(cte.this, bodies):
            return []
        bodies[cte.alias.lower()] = cte
    query.set("with_", None)
    return written(tree, dialect) if put_in(query, bodies) else []


def reads_later(cte: exp.CTE, following: list[exp.CTE]) -> bool:
    """WITH a AS (SELECT … FROM b), b AS (…)      in ClickHouse the CTE b, elsewhere a table"""
    names = {each.alias.lower() for each in following}
    return any(table.name.lower() in names for table in cte.this.find_all(exp.Table))


def put_in(query: exp.Expression, bodies: Mapping[str, exp.CTE]) -> bool:
    for table in list(query.find_all(exp.Table)):
        cte = bodies.get(table.name.lower())
        if cte is None or table.args.get("db"):
            continue
        if filled(table) - {"this", "alias"} or table.parent is None:
            return False
        alias = table.args.get("alias") or exp.TableAlias(this=cte.args["alias"].this.copy())
        if cte.args["alias"].args.get("columns") and not alias.args.get("columns"):
            alias.set("columns", [column.copy() for column in cte.args["alias"].args["columns"]])
        table.replace(exp.Subquery(this=cte.this.copy(), alias=alias))
    return True


def named(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """SELECT … FROM (q) AS d      WITH d AS (q) SELECT … FROM d"""
    select = select_of(tree)
    if select is None or select.args.get("with_"):
        return []
    made = []
    beside = {source.alias_or_name.lower() for source in sources_of(select)}
    for number, source in enumerate(sources_of(select)):
        if any(
            column.table.lower() in beside for column in source.find_all(exp.Column) if column.table
        ):
            return []  # DuckDB lets a subquery see what stands before it
        plain = isinstance(source, exp.Subquery) and isinstance(source.this, exp.Query)
        if (
            not plain
            or filled(source) - {"this", "alias"}
            or not source.alias
            or source.this.args.get("with_")
        ):
            continue
        name = f"{FRESH}{number}"
        made.append(
            exp.CTE(this=source.this.copy(), alias=exp.TableAlias(this=exp.to_identifier(name)))
        )
        source.replace(exp.Table(this=exp.to_identifier(name), alias=source.args["alias"].copy()))
    if not made:
        return []
    select.set("with_", exp.With(expressions=made))
    return written(tree, dialect)


def views(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """WITH w AS (q) SELECT … FROM w      CREATE VIEW w AS q; SELECT … FROM w"""
    query = query_of(tree)
    ctes = ctes_of(query)
    names = {cte.alias.lower() for cte in ctes}
    read = (
        {table.name.lower() for table in query.find_all(exp.Table)} if query is not None else set()
    )
    if (
        tree.find(exp.Struct)
        or not ctes
        or len(names) < len(ctes)
        or names & {name.lower() for name in schema}
        or not names <= read
    ):
        return []
    if any(
        not in_from(table) for table in query.find_all(exp.Table) if table.name.lower() in names
    ):
        return []
    spelled = {cte.alias for cte in ctes}
    if dialect in ONLY_DATASETS_KEEP_CASE and any(
        table.name not in spelled
        for table in query.find_all(exp.Table)
        if table.name.lower() in names
    ):
        return []  # a CTE is found whatever its case, a view is not
    statements = []
    for cte in ctes:
        columns = cte.args["alias"].args.get("columns")
        name = cte.args["alias"].this.copy()
        target = (
            exp.Schema(this=exp.Table(this=name), expressions=columns)
            if columns
            else exp.Table(this=name)
        )
        statements.append(
            exp.Create(this=target, kind="VIEW", expression=cte.this.copy()).sql(dialect=dialect)
        )
    query.set("with_", None)
    return [*statements, *written(tree, dialect)]


def in_from(table: exp.Expression) -> bool:
    """Whether a table is read for its rows: a member of FROM up to the statement, and in no
    expression.
    """
    node = table
    while node.parent is not None:
        if isinstance(node.parent, (exp.Select, exp.SetOperation)) and node.arg_key not in (
            "from_", "joins", "this", "expression", "with_",
        ):  # fmt: skip
            return False
        if isinstance(node.parent, exp.Join) and node.arg_key != "this":
            return False
        node = node.parent
    return True


def dead_cte(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """SELECT …      WITH unused AS (…) SELECT …"""
    query = query_of(tree)
    if not schema or query is None or isinstance(query, exp.Subquery):
        return []
    if tree.find(exp.LockingProperty):
        return []  # sqlglot reads a lock before SELECT, and none before WITH
    table, columns = next(iter(schema.items()))
    unused = exp.select(*(exp.column(name, quoted=True) for name in columns[:1])).from_(
        exp.Table(this=exp.to_identifier(table))
    )
    cte = exp.CTE(this=unused, alias=exp.TableAlias(this=exp.to_identifier(f"{FRESH}unused")))
    if query.args.get("with_"):
        query.args["with_"].set("expressions", [cte, *query.args["with_"].expressions])
    else:
        query.set("with_", exp.With(expressions=[cte]))
    return written(tree, dialect)


def wrapped(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """SELECT …

    SELECT * FROM (SELECT …) AS wrapped; a change may stand in the outermost WITH only, and FOR JSON
    makes one column of a derived table
    """
    if (
        not isinstance(tree, exp.Query)
        or tree.find(exp.DML)
        or not distinct_outputs(tree)
        or tree.find(exp.Into)
    ):
        return []
    parts = ("order", "limit", "sort", "cluster", "kind", "hint", "for_")
    if any(tree.args.get(part) for part in parts):
        return []
    alias = exp.TableAlias(this=exp.to_identifier(f"{FRESH}whole"))
    return written(exp.select("*").from_(exp.Subquery(this=tree, alias=alias)), dialect)


def distinct_outputs(tree: exp.Query) -> bool:
    names = [name.lower() for name in tree.named_selects]
    return len(names) == len(set(names)) and all(names) and len(names) == len(tree.selects)


# -- lists, branches, joins, conditions ------------------------------------------------------------


def star_spelled_out(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """SELECT * FROM t, SELECT x.* FROM t AS x      SELECT x.a, x.b FROM t AS x"""
    select = select_of(tree)
    tables = (
        plain_tables(select, schema)
        if select is not None and not select.args.get("with_")
        else None
    )
    if (
        not tables
        or uses_keys(select)
        or any(join.args.get("kind") in ("SEMI", "ANTI") for join in joins_of(select))
    ):
        return []
    items: list[Any] = []
    changed = False
    for item in select.expressions:
        star = item.this if isinstance(item, exp.Column) else item
        if isinstance(star, exp.Star) and not any(star.args.values()):
            aliases = [item.table] if isinstance(item, exp.Column) else [*tables]
            if not set(aliases) <= set(tables):
                return []
            items.extend(
                exp.column(name, table=alias) for alias in aliases for name in schema[tables[alias]]
            )
            changed = True
        else:
            items.append(item)
    if not changed:
        return []
    select.set("expressions", items)
    return written(tree, dialect)


def joins_of(select: exp.Select) -> list[exp.Join]:
    return list(select.args.get("joins") or ())


def branches_swapped(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """SELECT a AS x … UNION SELECT b …      SELECT b AS x … UNION SELECT a …"""
    query = query_of(tree)
    if (
        not isinstance(query, exp.Union)
        or query.args.get("by_name")
        or query.args.get("with_")
        or tree.find(exp.Into)
    ):
        return []
    left, right = query.this, query.expression
    if not (isinstance(left, exp.Select) and isinstance(right, exp.Select)) or query.args.get(
        "order"
    ):
        return []
    if left.is_star or right.is_star or len(left.expressions) != len(right.expressions):
        return []
    if not distinct_outputs(left) or any(
        left.args.get(part) or right.args.get(part) for part in RESTRICTED
    ):
        return []
    hidden = {column.name.lower() for column in right.find_all(exp.Column) if not column.table}
    if hidden & {name.lower() for name in left.named_selects} - {
        name.lower() for name in right.named_selects
    }:
        return []
    items = [
        item if item.alias_or_name == name else exp.alias_(item.unalias(), name)
        for item, name in zip(right.expressions, left.named_selects, strict=True)
    ]
    right.set("expressions", items)
    query.set("this", right)
    query.set("expression", left)
    return written(tree, dialect)


RESTRICTED = ("with_", "limit", "order", "group", "having", "qualify", "distinct")


def sides_swapped(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """a LEFT JOIN b ON …      b RIGHT JOIN a ON …"""
    select = select_of(tree)
    if (
        select is None
        or select.is_star
        or len(joins_of(select)) != 1
        or select.find(exp.Star, exp.Lateral, exp.Unnest)
    ):
        return []
    join = joins_of(select)[0]
    first, second = sources_of(select)
    plain = filled(join) <= {"this", "on", "side", "kind"}
    if (
        not plain
        or not join.args.get("on")
        or join.args.get("kind") not in (None, "INNER", "OUTER")
    ):
        return []
    if any(filled(each) - {"this", "alias", "db", "catalog"} for each in (first, second)):
        return []
    if any(isinstance(each, exp.Stream) for each in (first, second)):
        return []  # a stream stays on the side that it is on
    side = {"LEFT": "RIGHT", "RIGHT": "LEFT"}.get(
        join.args.get("side") or "", join.args.get("side")
    )
    on = join.args["on"].copy()
    select.set("from_", exp.From(this=second.copy()))
    select.set("joins", [exp.Join(this=first.copy(), side=side, kind=join.args.get("kind"), on=on)])
    return written(tree, dialect)


def joins_equal_keys(join: exp.Join) -> bool:
    """Tell whether ON a.k = b.k and USING (k) mean the same: not for ASOF, ANY, SEMI and ANTI."""
    unusual = ("method", "match_condition", "strictness")
    kinds = (None, "", "INNER", "OUTER")
    return join.args.get("kind") in kinds and not any(map(join.args.get, unusual))


def keys_spelled_out(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """a JOIN b USING (k) … k      a JOIN b ON a.k = b.k … a.k"""
    select = select_of(tree)
    if select is None or not simple(select) or len(joins_of(select)) != 1:
        return []
    tables = plain_tables(select, schema)
    join = joins_of(select)[0]
    keys = [key.name for key in join.args.get("using") or ()]
    if not tables or not keys or join.args.get("side") == "FULL" or not joins_equal_keys(join):
        return []
    left, right = tables
    kept = right if join.args.get("side") == "RIGHT" else left
    if {item.alias for item in select.expressions if isinstance(item, exp.Alias)} & set(keys):
        return []
    for column in list(select.find_all(exp.Column)):
        if column.name in keys and not column.table:
            column.set("table", exp.to_identifier(kept))
    join.set("using", None)
    join.set(
        "on",
        exp.and_(
            *(
                exp.EQ(this=exp.column(key, table=left), expression=exp.column(key, table=right))
                for key in keys
            )
        ),
    )
    return written(tree, dialect)


def keys_merged(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """a JOIN b ON a.k = b.k      a JOIN b USING (k)"""
    select = select_of(tree)
    if select is None or not simple(select) or len(joins_of(select)) != 1:
        return []
    tables = plain_tables(select, schema)
    join = joins_of(select)[0]
    on = join.args.get("on")
    if not tables or not isinstance(on, exp.EQ) or not joins_equal_keys(join):
        return []
    sides = [on.this, on.expression]
    if not all(isinstance(side, exp.Column) and side.table in tables for side in sides):
        return []
    if sides[0].name != sides[1].name or sides[0].table == sides[1].table:
        return []
    join.set("on", None)
    join.set("using", [exp.to_identifier(sides[0].name)])
    return written(tree, dialect)


def true_added(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """SELECT … WHERE a      SELECT … WHERE a AND 1 = 1"""
    select = select_of(tree)
    if select is None:
        return []
    always = exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1))
    where = select.args.get("where")
    select.set(
        "where", exp.Where(this=exp.and_(where.this, always) if where is not None else always)
    )
    return written(tree, dialect)


def in_parentheses(tree: exp.Expression, schema: Schema, dialect: str) -> list[str]:
    """a + b > c      ((a + b) > c)"""
    found = [
        node
        for node in tree.walk()
        if isinstance(node, exp.Binary) and isinstance(node.parent, PAREN_PLACES)
    ]
    for node in found:
        node.replace(exp.Paren(this=exp.Paren(this=node.copy())))
    return written(tree, dialect) if found else []


PAREN_PLACES = (exp.Where, exp.Having, exp.And, exp.Or)


def reordered(statements: list[exp.Expression], dialect: str) -> list[str]:
    """CREATE VIEW a …; CREATE VIEW b …

    the other way round, where each defines a name of its own
    """
    if len(statements) < 2 or not all(
        isinstance(tree, exp.Create) and query_of(tree) is not None for tree in statements
    ):
        return []
    if any(tree.args.get("properties") or tree.args.get("replace") for tree in statements):
        return []
    names = [tree.find(exp.Table).name for tree in statements]
    return (
        [tree.sql(dialect=dialect) for tree in reversed(statements)]
        if len(set(names)) == len(names)
        else []
    )


REWRITES: dict[str, Rewrite] = {
    "other aliases": other_aliases,
    "CTE to subquery": inlined,
    "subquery to CTE": named,
    "CTE to view": views,
    "USING to ON": keys_spelled_out,
    "ON to USING": keys_merged,
    "star to list": star_spelled_out,
    "branch order": branches_swapped,
    "quoting": quoted,
    "comments and white space": spaced,
    "letter case": loud,
    "dead CTE": dead_cte,
    "wrapped": wrapped,
    "qualified": qualified,
    "unqualified": unqualified,
    "sides of a join": sides_swapped,
    "1 = 1": true_added,
    "parentheses": in_parentheses,
}
