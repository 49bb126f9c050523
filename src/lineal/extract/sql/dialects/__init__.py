"""Facts about dialects, as rows of tables. What sqlglot already knows (folding, reserved words) is
asked of sqlglot.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect, Dialects

from lineal.extract import UnknownDialect
from lineal.extract.sql.dialects.nearest import NEAREST_GRAMMAR, grammar_of
from lineal.extract.sql.dialects.table_functions import SETS_IN_SELECT
from lineal.model.names import FOLDS, Fold, closest, insensitive, sensitive

PLUS_JOINS_TEXTS = frozenset(("tsql", "fabric", ""))
"""SELECT first + last      a text, so that the order of the sides counts"""

LATERAL_ALIASES = frozenset(
    (
        "spark",
        "spark2",
        "databricks",
        "snowflake",
        "redshift",
        "duckdb",
        "clickhouse",
        "teradata",
        "",
    )
)
"""SELECT a + 1 AS b, b * 2 AS c      b is the alias, unless a source has a column b"""

ALIASES_IN_WHERE = frozenset(("snowflake", "duckdb", "clickhouse", "teradata"))
"""SELECT a + 1 AS b … WHERE b > 1      b is the alias, unless a source has a column b"""

ALIAS_FIRST = frozenset(("clickhouse",))
"""SELECT f(a) AS a, a + 1 … WHERE a > 1 GROUP BY a

a is the alias wherever it is known; elsewhere it is the source column
"""

SEMI_JOINS_KEEP_BOTH = frozenset(("clickhouse",))
"""SELECT * FROM a LEFT SEMI JOIN b ON …      the columns of a and b; elsewhere those of a"""

LIST_IN_ANY_ORDER = frozenset(("clickhouse",))
"""WITH a AS (SELECT … FROM b), b AS (…)      a reads the b that follows, without RECURSIVE, too"""

SOURCE_FIRST_INSIDE_ORDER_BY = frozenset(
    ("postgres", "redshift", "sqlite", "oracle", "trino", "presto", "athena", "mysql")
)
"""ORDER BY a      the output column; ORDER BY a + 1: the source column"""

RECURSION_WITHOUT_KEYWORD = frozenset(("tsql", "fabric", "oracle", "exasol"))
"""WITH c AS (SELECT … UNION ALL SELECT … FROM c)      c is itself, and not a table of that name"""

RECURSIVE_LIST_IN_ANY_ORDER = frozenset(
    ("postgres", "redshift", "sqlite", "materialize", "risingwave")
)
"""WITH RECURSIVE a AS (SELECT … FROM b), b AS (…)

a reads the b that follows, and not a table of that name
"""

ONLY_TABLES_KEEP_CASE = frozenset(("mysql", "doris", "starrocks", "singlestore"))
"""SELECT ID FROM t      t's id, whatever its case; t and T are two tables"""

ONLY_DATASETS_KEEP_CASE = frozenset(("bigquery",))
"""FROM Orders AS O … WHERE o.ID      orders is another table; O and ID may be in any case"""

OWN_FOLDS: dict[str, Fold] = {
    "": insensitive,
    "teradata": insensitive,
    "drill": insensitive,
    "dremio": insensitive,
    "druid": sensitive,
}
"""How names compare in dialects where that differs from how the parser normalizes them."""

PARTITIONS_ARE_COLUMNS = frozenset(("spark", "spark2", "databricks", "hive", ""))
"""INSERT INTO t PARTITION (day)

day is a column of t; elsewhere it is the name of a part of t
"""

PARTITION_DECORATORS = {"bigquery": "$"}
"""FROM t$20240131      one part of t"""

DEFAULT_SCHEMAS = {"tsql": "dbo", "fabric": "dbo"}
"""FROM db..t      the schema that is left out"""

LEAVES_OUT_PROJECT = frozenset(("bigquery",))
"""FROM d.t      p.d.t, where p is the project of the session; scripts do not say which one it is"""

SETS_FIELDS = frozenset(("postgres", "redshift", "materialize", "risingwave"))
"""UPDATE t SET c.f = 1      a field of the column c: the name of the table must not be there"""

OWNED_NAMES = frozenset(("oracle", "tsql", "fabric", "snowflake"))
"""CREATE VIEW sales.v AS SELECT … FROM t, CREATE PROCEDURE sales.p AS … FROM t

t is first looked for in sales; elsewhere in the schemas of the session
"""

DECLARED_BESIDE_QUERY = frozenset(("mysql", "singlestore", "doris"))
"""CREATE TABLE t (a INT) AS SELECT b FROM s

t has a and b; elsewhere, and in any view, a is b's name in t
"""

VIRTUAL_SCHEMAS = {"databricks": "live", "spark": "live"}
"""FROM LIVE.orders      the table orders of the same pipeline"""

PACKAGES_HOLD_VALUES = frozenset(("oracle",))
"""SELECT rates.euro * a FROM t      rates is a package: a field of a column needs an alias, t.rates.euro"""

OUTPUT_INTO = frozenset(("tsql", "fabric"))
"""UPDATE … OUTPUT inserted.a INTO u      u is a table; elsewhere RETURNING a INTO v: a variable"""

FEWER_VALUES = frozenset(("postgres", "redshift", "materialize", "risingwave"))
"""INSERT INTO t VALUES (1), where t has two columns

the other has its default; elsewhere an error
"""

OWN_NUMBERS = (
    exp.ComputedColumnConstraint, exp.GeneratedAsIdentityColumnConstraint, exp.AutoIncrementColumnConstraint,
)  # fmt: skip
FILLED_BY_TABLE: dict[str, tuple[type, ...]] = {
    "tsql": OWN_NUMBERS,
    "fabric": OWN_NUMBERS,
    "duckdb": (exp.ComputedColumnConstraint,),
    "sqlite": (exp.ComputedColumnConstraint,),
    "clickhouse": (exp.ComputedColumnConstraint,),
}
"""CREATE TABLE t (id INT IDENTITY, a INT, b AS (a * 2))

INSERT INTO t SELECT x FROM s      x is a: an INSERT without a list passes these columns over
"""

ALIASES_IN_STRINGS = frozenset(("tsql", "fabric"))
"""SELECT 'full name' = a      an alias, and no comparison"""

COLUMNS_IN_EXPRESSIONS = frozenset(("duckdb", "clickhouse"))
"""SELECT max(COLUMNS(*))      as many outputs as there are columns"""

LAMBDAS, PATHS, EITHER = "lambdas", "paths", "either"

ARROWS = {
    **dict.fromkeys(
        ("postgres", "redshift", "materialize", "risingwave", "mysql", "sqlite", "singlestore"),
        PATHS,
    ),
    **dict.fromkeys(("duckdb", "starrocks", "doris", ""), EITHER),
}
"""f(a -> 'b')      a path into a document; elsewhere a lambda"""

ROWS_ARE_VALUES = frozenset(("bigquery", "postgres", "duckdb", "materialize", "risingwave"))
"""SELECT to_json(o) FROM orders AS o      o is a row, unless a source has a column o"""

ITEMS_ARE_ROWS = frozenset(("bigquery",))
"""FROM t, UNNEST(t.items) AS i      i is a row, whose columns are the items' fields"""

ITEMS_ARE_COLUMNS = frozenset(("trino", "presto", "athena"))
"""FROM t, UNNEST(t.items) AS i      a column for each field of the items"""

ITEMS_HAVE_FIELDS = (
    ITEMS_ARE_ROWS | ITEMS_ARE_COLUMNS | {"postgres", "materialize", "risingwave", ""}
)
"""FROM UNNEST(t.items)      the fields of the items, where their type has any, are columns"""

DELETES_CHANGED_ROWS = frozenset(("oracle",))
"""MERGE … UPDATE SET a = s.a DELETE WHERE a > 1      the values after the UPDATE decide"""

CASTS_BEHIND = frozenset(("teradata",))
"""SELECT a (INTEGER)      CAST(a AS INTEGER)"""

SUBQUERIES_SEE_MEMBERS = frozenset(("duckdb",))
"""FROM t, (SELECT t.a + 1 AS b) AS s      as if LATERAL stood before it"""

PIVOT_TAKES_JOIN = frozenset(("spark", "spark2", "databricks"))
"""FROM a, b PIVOT (…)      it pivots a next to b; elsewhere b alone"""

KEYS_IN_PLACE = frozenset(("duckdb", "sqlite", "clickhouse"))
"""SELECT * FROM a JOIN b USING (k)      k stays where a has it; elsewhere it comes first"""


ABSOLUTE_SIGN = frozenset(("postgres", "redshift", "materialize", "risingwave"))
"""@ x      the absolute value of x; elsewhere a variable"""

COLUMNS_BY_NUMBER = frozenset(("snowflake",))
"""SELECT $1 FROM t      the first column of t; elsewhere a parameter"""

ITEMS_IN_FROM = frozenset(("bigquery", "redshift", "hive"))
"""FROM orders AS o, o.items AS i      UNNEST(o.items)"""

ALL_COLUMNS_FIRST = frozenset(("snowflake",))
"""ALL ROWS PER MATCH

the table's columns, then the measures; elsewhere partition, order, measures, the rest
"""

FIELDS_BY_DOT = frozenset(
    (
        "athena",
        "bigquery",
        "clickhouse",
        "databricks",
        "duckdb",
        "hive",
        "presto",
        "spark",
        "spark2",
        "trino",
    )
)
"""SELECT s.x FROM t, u      where no source is called s, x may be a field of a column s of t or u"""

UNNESTS_STRUCTS = frozenset(("duckdb",))
"""SELECT unnest(s)      a column for each field of a struct; a list's is called as the call"""

CHAINED_METHODS = frozenset(("duckdb",))
"""SELECT a.abs()      abs(a), for every function"""

XML_METHODS = frozenset(("tsql", "fabric"))
"""SELECT doc.value('/x', 'int')

a method of a value; elsewhere before the dot stands a schema or package
"""

DATABASES_HOLD_SCHEMAS = frozenset(("tsql", "fabric", "snowflake", "redshift"))
"""USE x      a database that holds schemas; elsewhere a database is a schema"""

NAMES_FIELDS_IN_PATHS = frozenset(("spark", "spark2", "databricks"))
"""SELECT s.a[0].b      how an output column without an alias is called by its path"""

COUNTS_OF_ROWS = {"bigquery": "offset"}
"""FROM UNNEST(items) WITH OFFSET      the name of the item's place"""

GROUPS_BY_TIME = frozenset(("spark", "spark2", "databricks"))
"""SELECT window.start … GROUP BY window(at, '5 minutes')

the key is a column that is called as the function
"""


def _names(rows: dict[str, str]) -> dict[str, frozenset[str]]:
    """Return the names of each dialect from rows of `"dialect dialect": "name name"`."""
    return {
        dialect: frozenset(names.split())
        for dialects, names in rows.items()
        for dialect in dialects.split()
    }


RESERVED_NAMES = _names(
    {
        "oracle": "rownum rowid level sysdate systimestamp user uid ora_rowscn connect_by_isleaf connect_by_iscycle "
        "versions_starttime versions_endtime versions_startscn versions_endscn versions_xid versions_operation",
        "exasol": "rownum rowid level sysdate user current_session scope_user",
        "bigquery": "_partitiontime _partitiondate _table_suffix _file_name _change_type _change_timestamp",
        "postgres materialize risingwave": "ctid xmin xmax cmin cmax tableoid user current_role system_user",
        "redshift": "sysdate $path $size $spectrum_oid",
        "snowflake": "metadata$filename metadata$file_row_number metadata$action metadata$isupdate metadata$row_id "
        "metadata$file_last_modified metadata$start_scan_time metadata$file_content_key",
        "spark spark2 databricks": "_metadata _change_type _commit_version _commit_timestamp",
        "hive": "input__file__name block__offset__inside__file row__offset__inside__block grouping__id",
        "trino presto athena": "$path $bucket $file_size $file_modified_time $partition current_schema current_path",
        "sqlite": "rowid oid _rowid_",
        "duckdb": "rowid",
        "clickhouse": "_part _partition_id _path _file _table _size _time _part_index _sample_factor",
        "tsql fabric": "user $identity $rowguid $action $partition",
        "teradata": "user current_role",
        "mysql": "utc_date utc_time utc_timestamp",
    }
)
"""SELECT rownum, _PARTITIONTIME, user

no columns, also where a schema is not known: they give no edge
"""

PSEUDO_COLUMNS = _names(
    {
        "": "rownum rowid level sysdate systimestamp user",
        "snowflake": "level",
        "spark spark2 databricks hive": "user current_time",
        "duckdb": "user current_role current_database",
        "redshift": "user",
        "postgres": "gp_segment_id",
    }
)
"""SELECT level

a column where a source may have one of that name; where none has, no column and no mistake
"""


VALUES_NAMES = {
    **dict.fromkeys(
        ("postgres", "redshift", "snowflake", "sqlite", "materialize", "risingwave"), (1, "column")
    ),
    **dict.fromkeys(("trino", "presto", "athena"), (0, "_col")),
    "duckdb": (0, "col"),
    "mysql": (0, "column_"),
    "bigquery": (0, "f"),
    "clickhouse": (1, "c"),
}
"""FROM (VALUES (1, 2)) AS v      column1, column2; elsewhere col1, col2"""


SUFFIXES = {
    "clickhouse": (
        "SimpleState", "MergeState", "ArgMax", "ArgMin", "ForEach", "Distinct", "OrDefault", "OrNull", "Resample",
        "Array", "State", "Merge", "Map", "If",
    ),
}  # fmt: skip
"""sumIf(a, b), uniqStateMerge(a)      what may follow the name of an aggregate"""


@dataclass(frozen=True)
class Facts:
    """The facts about a dialect that the resolver needs."""

    name: str
    fold: Fold
    fold_table: Fold
    fold_dataset: Fold
    reserved_names: frozenset[str]
    lateral_aliases: bool
    aliases_in_where: bool
    alias_first: bool
    semi_joins_keep_both: bool
    list_in_any_order: bool
    source_first_inside_order_by: bool
    recursion_without_keyword: bool
    recursive_list_in_any_order: bool
    columns_in_expressions: bool
    pivot_takes_join: bool
    keys_in_place: bool
    groups_by_time: bool
    rows_are_values: bool
    items_are_rows: bool
    items_have_fields: bool
    items_are_columns: bool
    subqueries_see_members: bool
    casts_behind: bool
    deletes_changed_rows: bool
    arrows: str
    pseudo_columns: frozenset[str]
    values_names: tuple[int, str]
    partitions_are_columns: bool
    partition_decorator: str
    default_schema: str
    virtual_schema: str
    sets_in_select: bool
    suffixes: tuple[str, ...]
    """of the names of aggregates: sumIf"""
    plus_joins_texts: bool
    count_of_rows: str
    aliases_in_strings: bool
    output_into: bool
    fewer_values: bool
    filled_by_table: tuple[type, ...]
    declared_beside_query: bool
    absolute_sign: bool
    columns_by_number: bool
    items_in_from: bool
    all_columns_first: bool
    unnests_structs: bool
    fields_by_dot: bool
    chained_methods: bool
    xml_methods: bool
    databases_hold_schemas: bool
    names_fields_in_paths: bool
    keys: Keys
    table_keys: Keys
    dataset_keys: Keys

    @property
    def leaves_out_project(self) -> bool:
        """Whether a name without a project may be that of a table with one."""
        return self.name in LEAVES_OUT_PROJECT


class Keys(dict[str, str]):
    """The keys of unquoted names, remembered: one look-up instead of a call for each of a million
    references.
    """

    def __init__(self, fold: Fold) -> None:
        """Fold names by the rule of a dialect."""
        self.fold = fold

    def __missing__(self, name: str) -> str:
        """Fold a name and remember it."""
        if name.__class__ is not str:
            return f"${name}"  # Snowflake's t.$2

        if len(self) > 100_000:
            self.clear()

        key = self[name] = self.fold(name, False)
        return key


def fold_of_tables(dialect: str) -> Fold:
    """How names of tables compare in a dialect."""
    own = OWN_FOLDS.get(dialect)
    if own is not None:
        return own

    return FOLDS[str(parser_dialect(dialect).normalization_strategy.value)]


def folds_of(dialect: str) -> tuple[Fold, Fold, Fold]:
    """How names of columns, of tables in a statement and of datasets compare in a dialect."""
    fold_table = fold_of_tables(dialect)
    fold = insensitive if dialect in ONLY_TABLES_KEEP_CASE else fold_table
    return fold, fold_table, sensitive if dialect in ONLY_DATASETS_KEEP_CASE else fold_table


def keys_of(fold: Fold, fold_table: Fold) -> tuple[Keys, Keys]:
    """The keys of columns and of tables, which are often the same."""
    keys = Keys(fold)
    return keys, keys if fold is fold_table else Keys(fold_table)


@lru_cache(maxsize=64)
def facts_of(dialect: str) -> Facts:
    """The facts of a dialect; of one without a parser, those of its nearest relative."""
    dialect = grammar_of(dialect)
    fold, fold_table, fold_dataset = folds_of(dialect)
    keys, table_keys = keys_of(fold, fold_table)
    return Facts(
        name=dialect,
        fold=fold,
        fold_table=fold_table,
        fold_dataset=fold_dataset,
        reserved_names=frozenset(fold(name, False) for name in RESERVED_NAMES.get(dialect, ())),
        lateral_aliases=dialect in LATERAL_ALIASES,
        aliases_in_where=dialect in ALIASES_IN_WHERE,
        alias_first=dialect in ALIAS_FIRST,
        semi_joins_keep_both=dialect in SEMI_JOINS_KEEP_BOTH,
        list_in_any_order=dialect in LIST_IN_ANY_ORDER,
        source_first_inside_order_by=dialect in SOURCE_FIRST_INSIDE_ORDER_BY,
        recursion_without_keyword=dialect in RECURSION_WITHOUT_KEYWORD,
        recursive_list_in_any_order=dialect in RECURSIVE_LIST_IN_ANY_ORDER,
        columns_in_expressions=dialect in COLUMNS_IN_EXPRESSIONS,
        pivot_takes_join=dialect in PIVOT_TAKES_JOIN,
        keys_in_place=dialect in KEYS_IN_PLACE,
        groups_by_time=dialect in GROUPS_BY_TIME,
        rows_are_values=dialect in ROWS_ARE_VALUES,
        items_are_rows=dialect in ITEMS_ARE_ROWS,
        items_have_fields=dialect in ITEMS_HAVE_FIELDS,
        items_are_columns=dialect in ITEMS_ARE_COLUMNS,
        casts_behind=dialect in CASTS_BEHIND,
        deletes_changed_rows=dialect in DELETES_CHANGED_ROWS,
        subqueries_see_members=dialect in SUBQUERIES_SEE_MEMBERS,
        arrows=ARROWS.get(dialect, LAMBDAS),
        pseudo_columns=PSEUDO_COLUMNS.get(dialect, frozenset()),
        values_names=VALUES_NAMES.get(dialect, (1, "col")),
        sets_in_select=dialect in SETS_IN_SELECT,
        suffixes=SUFFIXES.get(dialect, ()),
        plus_joins_texts=dialect in PLUS_JOINS_TEXTS,
        count_of_rows=COUNTS_OF_ROWS.get(dialect, "ordinality"),
        partitions_are_columns=dialect in PARTITIONS_ARE_COLUMNS,
        partition_decorator=PARTITION_DECORATORS.get(dialect, ""),
        default_schema=DEFAULT_SCHEMAS.get(dialect, ""),
        virtual_schema=VIRTUAL_SCHEMAS.get(dialect, ""),
        declared_beside_query=dialect in DECLARED_BESIDE_QUERY,
        output_into=dialect in OUTPUT_INTO,
        fewer_values=dialect in FEWER_VALUES,
        filled_by_table=FILLED_BY_TABLE.get(dialect, ()),
        aliases_in_strings=dialect in ALIASES_IN_STRINGS,
        absolute_sign=dialect in ABSOLUTE_SIGN,
        columns_by_number=dialect in COLUMNS_BY_NUMBER,
        items_in_from=dialect in ITEMS_IN_FROM,
        all_columns_first=dialect in ALL_COLUMNS_FIRST,
        unnests_structs=dialect in UNNESTS_STRUCTS,
        fields_by_dot=dialect in FIELDS_BY_DOT,
        chained_methods=dialect in CHAINED_METHODS,
        xml_methods=dialect in XML_METHODS,
        databases_hold_schemas=dialect in DATABASES_HOLD_SCHEMAS,
        names_fields_in_paths=dialect in NAMES_FIELDS_IN_PATHS,
        keys=keys,
        table_keys=table_keys,
        dataset_keys=table_keys if fold_dataset is fold_table else Keys(fold_dataset),
    )


@lru_cache(maxsize=64)
def parser_dialect(dialect: str) -> Dialect:
    """sqlglot's dialect of that name, or of the nearest relative; raises UnknownDialect."""
    try:
        return Dialect.get_or_raise(grammar_of(dialect) or None)
    except ValueError:
        known = sorted(str(member.value) for member in Dialects if member.value)
        near = closest(dialect, [*known, *NEAREST_GRAMMAR])
        meant = f", did you mean '{near}'?" if near else f": choose {', '.join(known)}"
        raise UnknownDialect(f"unknown dialect '{dialect}'{meant}") from None
