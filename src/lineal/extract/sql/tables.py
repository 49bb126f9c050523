"""How a table is written: its spelling, and the key that says which tables are the same."""

from __future__ import annotations

import re
from itertools import starmap
from typing import Any

from sqlglot import exp

from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.nodes import holds
from lineal.model.paths import delta_path, path_name
from lineal.model.sequences import only_or_none, present

Named = tuple[str, str]
"""(spelling, key)"""


def is_named(table: Any) -> bool:
    """Tell whether a table has a name.

    t, db.t, @t, IDENTIFIER('t')      in contrast to a call, a query or IDENTIFIER($variable)
    """
    return isinstance(table, exp.Table) and (
        isinstance(table.this, (exp.Identifier, exp.Dot))
        or is_variable(table)
        or literal_name(table.this) is not None
    )


def is_variable(table: exp.Table) -> bool:
    """Tell whether a table is a variable.

    INSERT INTO @t, FROM $t      a table variable, or a table that a variable names
    """
    return holds(table.this, exp.Parameter, exp.Var)


def is_local(name: str) -> bool:
    """Tell whether a table is local to its session.

    #t, ##t, @t      T-SQL's temporary tables and table variables
    """
    return name.startswith(("#", "@"))


def hash_of(identifier: Any) -> str:
    """Return the hash marks of a temporary table.

    #t, ##t      the parser takes the hash off T-SQL's temporary names and leaves a mark
    """
    if identifier.args.get("temporary"):
        return "#"

    return "##" if identifier.args.get("global_") else ""


def literal_name(node: exp.Expr) -> str | None:
    """Return a name that is written as a string.

    IDENTIFIER('db.t'), TABLE('db.t')      a name in a string
    """
    inner = node.this if isinstance(node, (exp.DynamicIdentifier, exp.TableFromRows)) else None
    if (
        isinstance(node, exp.Anonymous)
        and node.name.upper() == "IDENTIFIER"
        and len(node.expressions) == 1
    ):
        inner = node.expressions[0]

    return constant_text(inner)


def constant_text(node: Any) -> str | None:
    """Return a text that is known without a run.

    'db' || '.t'      a text that is known without a run
    """
    if isinstance(node, exp.Literal):
        if node.is_string:
            return str(node.this)

        return None

    if isinstance(node, (exp.DPipe, exp.Concat)):
        inner = [node.this, node.expression] if isinstance(node, exp.DPipe) else node.expressions
        parts = [constant_text(part) for part in inner]
        if None in parts:
            return None

        return "".join(map(str, parts))

    if isinstance(node, (exp.Paren, exp.Coalesce)) and not node.expressions:
        return constant_text(node.this)

    return None


def target_of(node: Any) -> tuple[Any, Any]:
    """Return the table that a statement writes, and its column list.

    INSERT INTO t (a, b) …, CREATE TABLE IDENTIFIER('t') …

    the table, and its list of columns or None
    """
    if not isinstance(node, exp.Schema):
        return node, None

    table = node.this
    if (
        not isinstance(table, exp.Table)
        or len(table.parts) > 1
        or table.name.upper() != "IDENTIFIER"
    ):
        return table, node

    inside = only_or_none(node.expressions)
    if inside is None or isinstance(inside, (exp.Identifier, exp.ColumnDef)):
        return table, node  # a table of that name, with a column

    return exp.Table(this=exp.Anonymous(this="IDENTIFIER", expressions=[inside])), None


def spell_table(table: Any, facts: Facts) -> Named:
    """Return the spelling and the key of a table.

    db.t      its spelling and its key
    """
    written = literal_name(table.this)
    if written is not None:
        return named_in_text(written, facts)

    if is_variable(table):
        variable = table.this.sql(dialect=facts.name or None)
        return variable, facts.fold_table(variable, False)

    parts = parts_of(table)
    hash_ = hash_of(parts[-1])
    if hash_:  # tempdb..#t is #t
        name = parts[-1].name
        return hash_ + name, hash_ + facts.fold_dataset(name, parts[-1].args.get("quoted"))

    place = path_of(parts)
    if place is not None:
        return place, place

    if len(parts) == 2 and parts[0] and parts[0].name.lower() == facts.virtual_schema:
        parts = parts[1:]

    names = [part.name if part else "" for part in parts]
    keys = [
        facts.fold_dataset(part.name, part.args.get("quoted")) if part else facts.default_schema
        for part in parts
    ]
    if facts.partition_decorator and facts.partition_decorator in names[-1]:
        names[-1] = names[-1].partition(facts.partition_decorator)[0]
        keys[-1] = keys[-1].partition(facts.partition_decorator)[0]

    return ".".join(names), ".".join(keys)


def named_in_text(text: str, facts: Facts) -> Named:
    """Parse a name in a text.

    'db.t', 'db."T"'      as if it stood there without the quotes
    """
    parts = parts_in_text(text)
    names, quotes = [part.name for part in parts], [part.args["quoted"] for part in parts]
    keys = list(starmap(facts.fold_dataset, zip(names, quotes, strict=True)))
    return ".".join(names), ".".join(keys)


PART = re.compile(r"""\s*(?:"((?:[^"]|"")*)"|`([^`]*)`|([^."`]+?))\s*(?:\.|$)""")


def parts_in_text(text: str) -> list[exp.Identifier]:
    """Return the parts of a name in a text.

    'a."B c"'      a and "B c"; a text that is no name is one name, as it is
    """
    found = list(PART.finditer(text))
    if not text or "".join(match[0] for match in found) != text:
        return [exp.to_identifier(text, quoted=True)]

    quoted = [match[1] if match[1] is not None else match[2] for match in found]
    return [
        exp.to_identifier(inside if inside is not None else match[3], quoted=inside is not None)
        for match, inside in zip(found, quoted, strict=True)
    ]


def column_in_text(text: str) -> exp.Column:
    """Parse a column in a text.

    't.a'      the column a of t
    """
    parts = dict(
        zip(("this", "table", "db", "catalog"), reversed(parts_in_text(text)[-4:]), strict=False)
    )
    return exp.Column(**parts)


def parts_of(table: exp.Table) -> list[Any]:
    """Return the parts of a table's name.

    server.db.dbo.t

    the identifiers, outermost first; '' where T-SQL's a..b leaves one out
    """
    parts = present((table.args.get("catalog"), table.args.get("db")))
    return [*parts, *parts_of_path(table.this)]


def parts_of_path(node: exp.Expr) -> list[Any]:
    """Return the identifiers of a path, whichever side it nests on: (a.b).c, a.(b.c)"""
    if isinstance(node, exp.Dot):
        return [*parts_of_path(node.this), *parts_of_path(node.expression)]

    return [node]


FORMATS = frozenset(
    ("delta", "parquet", "csv", "json", "orc", "avro", "text", "iceberg", "hudi", "binaryfile")
)


def path_of(parts: list[Any]) -> str | None:
    """delta.`/lake/orders`      a place, and not a table of a schema called delta"""
    if len(parts) == 1 and "://" in parts[0].name:
        return path_name(parts[0].name)

    if (
        len(parts) != 2
        or not parts[0]
        or parts[0].name.lower() not in FORMATS
        or "/" not in parts[1].name
    ):
        return None

    return (delta_path if parts[0].name.lower() == "delta" else path_name)(parts[1].name)
