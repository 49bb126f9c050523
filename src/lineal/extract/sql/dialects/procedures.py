"""Facts about the procedural languages of the dialects, as rows of tables."""

from __future__ import annotations

STATUS_VALUES: dict[str, frozenset[str]] = {
    "oracle": frozenset(
        ("sqlcode", "sqlerrm", "$$plsql_unit", "$$plsql_line", "$$plsql_unit_owner")
    ),
    "snowflake": frozenset(
        ("sqlrowcount", "sqlfound", "sqlnotfound", "sqlcode", "sqlerrm", "sqlstate", "sqlid")
    ),
    "postgres": frozenset(("sqlerrm", "sqlstate", "sqlcode", "found")),
    "redshift": frozenset(("sqlerrm", "sqlstate", "found")),
    "teradata": frozenset(("activity_count", "sqlcode", "sqlstate")),
    "mysql": frozenset(("sqlstate",)),
}
"""INSERT INTO log (message) VALUES (SQLERRM)      what a procedure knows about its last statement"""

CURSOR_ATTRIBUTES: dict[str, frozenset[str]] = {
    "oracle": frozenset(
        ("rowcount", "found", "notfound", "isopen", "bulk_rowcount", "bulk_exceptions")
    ),
}
"""SQL%ROWCOUNT, c%NOTFOUND      facts about a cursor, and no remainder of a division"""

ASSIGNS = frozenset(("snowflake", "mysql", "bigquery", "databricks", "spark"))
"""SET x = …      may be a variable"""

ASSIGNS_BY_EQUALS = frozenset(("snowflake",))
"""SET x = 1      a variable of the session, without a word that says so"""

SESSION_VARIABLES_WITH_DOLLAR = frozenset(("snowflake",))
"""SET x = 1; SELECT $x      outside a block a variable is read with a dollar"""

SELECTS_INTO_SESSION = frozenset(("mysql",))
"""SELECT a INTO @x FROM t      a variable of the session"""

VARIABLES_HOLD_TABLES = frozenset(("hana",))
"""x = SELECT …; SELECT a FROM :x      a variable holds rows; by the dialect as it is written"""

DELIMITERS = frozenset(("mysql",))
"""DELIMITER //      the client's mark for the end of a statement"""

VARIABLES_FIRST = frozenset(("mysql", "singlestore", "doris", "starrocks"))
"""SELECT a FROM t      a variable a is meant before a column a; elsewhere the column is"""

OUTPUTS_ARE_MARKED = frozenset(("tsql", "fabric"))
"""EXEC p @x OUTPUT      only an argument with OUTPUT is filled; elsewhere the procedure tells"""

DOLLARS_ARE_NO_QUOTES = frozenset(("spark", "databricks", "spark2"))
"""$$ … $$      no text"""

COLLECTIONS_IN_PARENTHESES = frozenset(("oracle",))
"""rows(i).id      an item of a collection, and no call"""

NUMBERED_PARAMETERS = frozenset(("postgres", "redshift", "materialize", "risingwave"))
"""EXECUTE '… $1 …' USING a      the parameters of a text have numbers"""

BOUND = {
    **dict.fromkeys(("oracle", "snowflake", "mysql", "bigquery"), "in order"),
    **dict.fromkeys(("databricks", "spark"), "by name"),
}
"""EXECUTE IMMEDIATE '… :x … :y' USING a, b      the first mark is a, the second b, whatever they say"""

UNNAMED_PARAMETERS = frozenset(("postgres", "redshift", "materialize", "risingwave"))
"""f(INT, TEXT)      parameters without names: $1, $2"""

EXECUTES_TEXTS_ANYWHERE = frozenset(("bigquery", "snowflake"))
"""EXECUTE IMMEDIATE 'SELECT …'      also outside a block"""

EXECUTORS = {"teradata": ("dbc.sysexecsql", "sysexecsql")}
"""CALL DBC.SysExecSQL('INSERT …')      procedures that execute a text"""

RETURN_NAMES_TYPE = frozenset(("oracle",))
"""FUNCTION f RETURN NUMBER IS      elsewhere RETURNS"""

BODIES_OF_ONE_STATEMENT = frozenset(("mysql", "", "singlestore", "doris", "starrocks"))
"""CREATE PROCEDURE p() SELECT …      a body without BEGIN"""

DECLARES_BEFORE_BEGIN = frozenset(
    (
        "postgres",
        "redshift",
        "oracle",
        "snowflake",
        "materialize",
        "risingwave",
        "exasol",
        "greenplum",
        "netezza",
        "vertica",
    )
)
"""DECLARE x INT; y INT; BEGIN      one DECLARE for all variables of a block; by the dialect as it is
written, since the nearest grammar of one without a parser may differ
"""

DECLARES_CURSORS = frozenset(
    ("postgres", "redshift", "materialize", "risingwave", "greenplum", "netezza", "vertica")
)
"""DECLARE c CURSOR FOR SELECT …      outside a block a statement like any other"""

DECLARES_WITHOUT_KEYWORD = frozenset(("oracle",))
"""FUNCTION f RETURN NUMBER IS x NUMBER; BEGIN      no DECLARE before the variables"""

BODIES_AFTER_ARROW = frozenset(("clickhouse",))
"""CREATE FUNCTION f AS (a, b) -> a * b"""

CLASSES_IN_QUOTES = frozenset(("hive", "spark", "spark2", "databricks"))
"""CREATE FUNCTION f AS 'com.example.F'      the name of a class, and no body"""

MACROS_ARE_PROCEDURES = frozenset(("teradata",))
"""CREATE MACRO m AS (INSERT …; SELECT …;)      statements; elsewhere an expression or a query"""

OWN_VARIABLES = {"postgres": ("found", "sqlstate", "sqlerrm")}
"""IF FOUND THEN      variables that every block of a language has, without lineage"""

TAKES_VARIABLE = {"tsql": ("SELECT",), "fabric": ("SELECT",), "mysql": ("INTO",)}
"""SELECT @x = a FROM t, SELECT a INTO @x FROM t      what follows reads the variable"""

WITHOUT_TABLES = frozenset(
    (
        "dbms_output", "dbms_stats", "dbms_lob", "dbms_random", "dbms_lock", "dbms_session",
        "dbms_application_info", "dbms_utility", "dbms_crypto", "dbms_obfuscation_toolkit",
        "dbms_pipe", "dbms_alert", "dbms_profiler", "dbms_assert", "dbms_trace", "dbms_warning",
        "dbms_standard", "dbms_rowid", "dbms_network_acl_admin", "utl_file", "utl_raw",
        "utl_http", "utl_tcp", "utl_smtp", "utl_i18n", "utl_encode", "utl_url", "utl_inaddr",
        "utl_compress", "htp", "htf", "owa_util", "owa_cookie", "owa_text",
        "raise_application_error", "sp_addextendedproperty", "sp_updateextendedproperty",
        "sp_dropextendedproperty", "sp_getapplock", "sp_releaseapplock", "sp_set_session_context",
        "sp_configure", "sp_help", "sp_helptext", "sp_updatestats", "sp_recompile",
        "sp_addrolemember", "sp_droprolemember", "sp_executesql", "xp_create_subdir",
        "xp_delete_file",
    )
)  # fmt: skip
"""CALL dbms_output.put_line(a)      packages and procedures of an engine that write no table"""
