"""The statement that each repair is for, and the words that it may leave out.

Every word of a statement is accounted for: it is used, since it reaches the parser; it is
understood to have no lineage, since the contract of the repair that leaves it out says so; or it is
left over. Words that are left over are a diagnostic, and the edges of the statement are MEDIUM at
most.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from lineal.extract.sql.dialects.word_runs import dropped_runs, text_of
from lineal.extract.sql.words import Words

LEFT_OVER = "left_over"
"""The mark of a statement that was read without words that nobody understands: these words."""


class Contract(NamedTuple):
    """A repair, by the name of its function."""

    repair: str
    dialect: str
    stands_for: str
    """a statement that the engine reads and sqlglot does not"""
    drops: str = ""
    """the runs of words that may be left out, as a regular expression: strings are S, numbers 0,
    quoted names N, all others in capitals
    """
    opaque: str = ""
    """the part of the statement that is read by nobody, whatever it says: a condition, a list"""


NAME = r"(?:N|[\w$#@]+)(?: \. (?:N|[\w$#@]+))*"
VALUE = r"(?:S|0|N|[\w$#@:?-]+)"
HINT = (
    r"(?:FORCESCAN|FORCESEEK|HOLDLOCK|IGNORE_CONSTRAINTS|IGNORE_TRIGGERS|INDEX(?: = \S+| \( [^()]* \))?"
    r"|KEEPDEFAULTS"
    r"|KEEPIDENTITY|NOEXPAND|NOLOCK|NOWAIT|PAGLOCK|READCOMMITTED|READCOMMITTEDLOCK|READPAST|READUNCOMMITTED"
    r"|REPEATABLEREAD|ROWLOCK|SERIALIZABLE|SNAPSHOT|TABLOCK|TABLOCKX|UPDLOCK|XLOCK)"
)
UNIT = r"(?:YEAR|MONTH|DAY|HOUR|MINUTE|SECOND)(?: \( 0(?: , 0)? \))?"
ATTRIBUTE = r"(?:[(),]|TITLE S|FORMAT S|NAMED)"
OPTION = rf"(?:{NAME}(?: = {VALUE})?|{NAME} {VALUE})"
OPTIONS = rf"\( {OPTION}(?: , {OPTION})* \)"
QUERY_HINT = (
    r"(?:RECOMPILE|MAXDOP 0|(?:HASH|MERGE|LOOP|CONCAT) (?:JOIN|UNION|GROUP)|ORDER GROUP|FORCE ORDER|FAST 0"
    r"|KEEP PLAN"
    r"|KEEPFIXED PLAN|EXPAND VIEWS|MAXRECURSION 0|ROBUST PLAN|USE HINT \( S \)|OPTIMIZE FOR UNKNOWN"
    r"|QUERYTRACEON 0|LABEL = S)"
)
STORAGE = (
    r"(?:BUILD (?:IMMEDIATE|DEFERRED)|REFRESH(?: (?:FAST|COMPLETE|FORCE|ON|DEMAND|COMMIT|AUTO|ASYNC|SYNC))*"
    r"|NEVER REFRESH"
    r"|(?:ENABLE|DISABLE)(?: ON)? QUERY (?:REWRITE|COMPUTATION)|ON PREBUILT TABLE|(?:WITH"
    r"|WITHOUT) REDUCED PRECISION"
    r"|PARALLEL(?: 0)?|NOPARALLEL|(?:NO)?LOGGING|(?:NO)?COMPRESS|(?:NO)?CACHE|TABLESPACE \S+|SECURE"
    r"|BACKUP (?:YES|NO)"
    r"|AUTO REFRESH (?:YES|NO)|DISTSTYLE \S+|DISTKEY \( \S+ \)|(?:COMPOUND |INTERLEAVED )?SORTKEY \( [^()]* \)"
    rf"|DISTRIBUTED BY (?:HASH )?\( [^()]* \)(?: BUCKETS (?:0|AUTO))?|DISTRIBUTED RANDOMLY|PROPERTIES {OPTIONS}"
    rf"|WITH {OPTIONS}|TBLPROPERTIES {OPTIONS}|OPTIONS {OPTIONS}|COMMENT(?: =)? S"
    r"|ENGINE(?: =)? \w+(?: \( [^()]* \))?|(?:ORDER BY|PRIMARY KEY|PARTITION BY) (?:\w+ )?(?:\( [^()]* \)|\w+)|POPULATE"
    rf"|CLUSTER BY \( [^()]* \)"
    rf"|PARTITION(?:ED)? BY \( [^()]* \)|TARGET_LAG = \S+|WAREHOUSE = \S+|{NAME} = {VALUE}|SCHEDULE EVERY 0 \S+"
    r"|SCHEDULE (?:REFRESH )?CRON S|BEQUEATH (?:DEFINER|CURRENT_USER)|WITH SCHEMABINDING|SCHEMABINDING"
    r"|SQL SECURITY \S+|ALGORITHM = \S+|DEFINER = \S+"
    r"|AS|IF NOT EXISTS|MULTISET|SET|NO FALLBACK|FALLBACK|(?:NO )?LOG"
    r"|(?:NO |DUAL )?(?:BEFORE |AFTER )?JOURNAL|CHECKSUM = \S+|USING \S+|STORED AS \S+|LOCATION S"
    r"|ROW FORMAT DELIMITED|FIELDS TERMINATED BY S|COLLATE \S+|DEFAULT|CHARSET = \S+|AUTO_INCREMENT = 0|,)"
)

MODEL_OPTION = (
    r"(?:MODEL|IGNORE NAV|KEEP NAV|RETURN (?:ALL|UPDATED) ROWS|UNIQUE (?:DIMENSION|SINGLE REFERENCE)|MAIN \w+"
    r"|UPSERT(?: ALL)?|UPDATE|AUTOMATIC ORDER|SEQUENTIAL ORDER|RULES|ITERATE \( 0 \))"
)
COMPARED = r"(?:=|IN|BETWEEN|IS ANY|<|>|< =|> =|<=|>=|LIKE)"
CELL = (
    rf"\[ (?:(?:0|S|ANY|NULL|ITERATION_NUMBER|(?:CV|CURRENTV) \( (?:\w+ )?\)|\w+ {COMPARED}|FOR \w+ (?:IN|FROM|LIKE)"
    r"|FROM|TO|INCREMENT|DECREMENT|AND|[-+*/,()]) )+\]"
)
SET_CELL = rf"(?:(?:UPDATE|UPSERT)(?: ALL)? )?\w+ {CELL}(?: ORDER BY \w+(?: , \w+)*)? ="
READ_CELL = rf"(?:\w+ )?{CELL}"

HOP = r"(?:-|<-|< -) \( \w+ \) (?:->|- >|-)"
TIMES = r"(?:\+|\{ 0 , 0 \})"
TYPE = (
    r"(?:INTEGER|BIGINT|SMALLINT|BYTEINT|DATE|FLOAT|CLOB|JSON|(?:VARCHAR|CHAR|DECIMAL|NUMBER|TIMESTAMP|VARBYTE)"
    r"(?: \( 0(?: , 0)? \))?)(?: CHARACTER SET (?:UNICODE|LATIN))?"
)
CHAIN = rf"\w+(?: {HOP} \w+)+"
SHORTEST = rf"SHORTEST_PATH \( (?:\w+ \( (?:{HOP} \w+ ?)+ \) {TIMES}|\( (?:\w+ {HOP} ?)+ \) {TIMES} \w+) \)"
GRAPH = rf"(?:{CHAIN}|{SHORTEST}|LAST_NODE \( \w+ \) (?:=|{HOP}) (?:LAST_NODE \( \w+ \)|\w+))"

CONTRACTS = (
    # -- T-SQL
    Contract(
        "drop_table_hints", "tsql",
        "INSERT INTO t WITH (TABLOCKX) (a) SELECT a FROM s WITH (INDEX = i) WHERE b > 1",
        rf"WITH \( {HINT}(?:(?: ,)? {HINT})* \)",
    ),
    Contract(
        "drop_graph_match", "tsql",
        "SELECT p.a FROM n AS p, k, n AS q WHERE MATCH(p-(k)->q) AND p.b > 1",
        rf"\( {GRAPH}(?: AND {GRAPH})* \)",
    ),
    Contract(
        "drop_graph_path", "tsql",
        "SELECT p.a, LAST_VALUE(q.a) WITHIN GROUP (GRAPH PATH) FROM n AS p, k FOR PATH AS e, n FOR PATH AS q"
        " WHERE MATCH(SHORTEST_PATH(p(-(e)->q)+))",
        r"FOR PATH|WITHIN GROUP \( GRAPH PATH \)",
    ),
    Contract(
        "drop_top", "tsql",
        "UPDATE TOP (5) t SET a = b WHERE c = 1",
        r"TOP (?:\( \S+ \)|0)(?: PERCENT)?",
    ),
    Contract(
        "options", "tsql",
        "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE OPTION (RECOMPILE)",
        rf"OPTION \( {QUERY_HINT}(?: , {QUERY_HINT})* \)",
    ),
    Contract(
        "namespaces", "tsql",
        "WITH XMLNAMESPACES ('http://x' AS n) SELECT a FROM t",
        r"WITH XMLNAMESPACES \( (?:DEFAULT S|S AS \S+)(?: , S AS \S+)* \)(?: ,)?|XMLNAMESPACES \( (?:DEFAULT S"
        r"|S AS \S+)(?: , S AS \S+)* \) ,",
    ),
    Contract(
        "bulk_load", "tsql",
        "BULK INSERT t FROM 'x.csv' WITH (FIRSTROW = 2)",
        rf"INSERT|FROM|WITH {OPTIONS}|DATA(?: LOCAL| LOW_PRIORITY| CONCURRENT)*(?: INFILE)?|(?:REPLACE "
        rf"|IGNORE )?INTO TABLE"
        r"|(?:(?:CHARACTER SET \S+|FIELDS|COLUMNS|LINES|(?:TERMINATED|ENCLOSED|OPTIONALLY ENCLOSED|ESCAPED"
        r"|STARTING) BY S"
        r"|IGNORE 0 (?:LINES|ROWS))(?: |$))+(?:\()?|(?:[(,] )?@ \w+(?: ,)?(?: @ \w+(?: ,)?)*"
        r"|(?:(?:, )?(?:@ \w+(?: , )?)* ?)?\)(?: SET)?|=(?: @)?|,|@|\(",
    ),
    Contract(
        "bulk_rows", "tsql",
        "SELECT r.a FROM OPENROWSET(BULK 'x.csv', FORMAT = 'CSV') WITH (a INT) AS r",
        r"BULK|(?:, \w+ = (?:S|0))+"
        r"|WITH \( \w+ \w+(?: \( 0(?: , 0)? \))?(?: S)?(?: , \w+ \w+(?: \( 0(?: , 0)? \))?(?: S)?)* \)",
    ),
    Contract(
        "document_as_json", "tsql",
        "SELECT a FROM OPENXML(@h, '/r/i', 1) WITH (a INT '@a')",
        r", S(?: , 0)?|S",
    ),
    Contract(
        "serialize_values", "oracle",
        "SELECT XMLSERIALIZE(CONTENT a AS CLOB INDENT SIZE = 2) AS x FROM t",
        r"CONTENT|DOCUMENT|AS \w+(?: \( 0 \))?(?: ENCODING S)?(?: VERSION S)?"
        rf"(?: NO INDENT| INDENT(?: SIZE = {VALUE})?)?"
        r"(?: (?:HIDE|SHOW) DEFAULTS)?",
    ),
    Contract("output_before_where", "tsql", "DELETE FROM t OUTPUT deleted.a INTO u WHERE b = 1"),
    Contract(
        "output_of_a_schema", "tsql",
        "DELETE FROM t OUTPUT deleted.a INTO db.dbo.u WHERE b = 1",
        r"#|\. \S+(?: \. \S+)*",
    ),
    Contract("compound_assignment", "tsql", "UPDATE t SET a += b"),
    # -- Oracle
    Contract(
        "move_partition_into_condition", "oracle",
        "SELECT a.x FROM a PARTITION BY (a.k) RIGHT OUTER JOIN b ON a.d = b.d",
        r"BY",
    ),
    Contract(
        "pass_by_comma", "oracle",
        "SELECT XMLQUERY('/r' PASSING BY VALUE doc RETURNING CONTENT) AS n FROM t",
        r"BY VALUE|XMLCAST|AS \S+|(?:AS \S+ )?RETURNING CONTENT(?: NULL ON EMPTY)?",
    ),
    Contract(
        "drop_names_of_passed", "oracle",
        "SELECT x.n FROM t, XMLTABLE('$d/r' PASSING t.doc AS \"d\" COLUMNS n NUMBER PATH '@n') x",
        r"AS \S+",
    ),
    Contract(
        "drop_current_row", "oracle",
        "UPDATE t SET a = b WHERE CURRENT OF c",
        r"WHERE CURRENT OF \S+",
    ),
    Contract("drop_all_rows", "teradata", "UPDATE t SET a = b WHERE c = 1 ALL", r"ALL"),
    Contract(
        "name_returned_columns", "teradata",
        "SELECT x.tok FROM TABLE (f(t.a, t.b) RETURNS (k INTEGER, tok VARCHAR(20))) AS x",
        rf"\(|\)|RETURNS|{TYPE}(?: ,)?",
    ),
    Contract(
        "drop_outer_marks", "oracle",
        "SELECT i.a FROM o, TABLE(o.items) (+) i",
        r"\(\+\)",
    ),
    Contract(
        "drop_json_error_clauses", "oracle",
        "SELECT j.b FROM t, JSON_TABLE(t.a, '$.x' COLUMNS (b CLOB FORMAT JSON PATH '$.b', c EXISTS PATH"
        " '$.c')) j",
        r"(?:FORMAT )?JSON|EXISTS",
    ),
    Contract(
        "without_value", "oracle",
        "SELECT j.a FROM t, JSON_TABLE(t.d, '$' COLUMNS (a INT PATH '$.a' DEFAULT 0 ON EMPTY NULL ON ERROR))"
        " j",
        r"(?:DEFAULT (?:0|S)|NULL|ERROR|TRUE|FALSE) ON (?:EMPTY|ERROR)(?: (?:NULL|ERROR|DEFAULT (?:0"
        r"|S)) ON (?:EMPTY|ERROR))?",
    ),
    Contract(
        "passed_to_path", "postgres",
        "SELECT j.b FROM JSON_TABLE(d, '$.x' PASSING 1 AS y COLUMNS (b INT PATH '$.b')) AS j",
        r"(?:AS \S+ )?PASSING (?:0|S) AS \S+|AS \S+",
    ),
    Contract(
        "wrapper", "oracle",
        "SELECT JSON_QUERY(a, '$.b' WITH CONDITIONAL ARRAY WRAPPER) AS q FROM t",
        r"WITH(?:OUT)?(?: (?:CONDITIONAL|UNCONDITIONAL))?(?: ARRAY)? WRAPPER",
    ),
    Contract(
        "join_collections", "oracle",
        "SELECT a MULTISET UNION DISTINCT b AS c FROM t",
        r"(?:UNION|EXCEPT|INTERSECT)(?: (?:ALL|DISTINCT))?",
    ),
    Contract(
        "drop_versions", "oracle",
        "SELECT a FROM t VERSIONS BETWEEN SCN MINVALUE AND MAXVALUE WHERE b = 1",
        r"VERSIONS BETWEEN (?:SCN|TIMESTAMP) \S+(?: [-+*/] \S+)* AND \S+(?: [-+*/] \S+)*",
    ),
    Contract(
        "drop_view_constraints", "oracle",
        "CREATE VIEW v (a UNIQUE RELY DISABLE NOVALIDATE, b, CONSTRAINT k PRIMARY KEY (a) RELY DISABLE) AS"
        " SELECT a, b FROM t",
        r"(?:,|CONSTRAINT \S+|UNIQUE|PRIMARY KEY|PRIMARY|KEY|NOT NULL|RELY|DISABLE|ENABLE|NOVALIDATE|VALIDATE"
        r"|VISIBLE"
        r"|INVISIBLE|COMMENT S|\( \w+(?: , \w+)* \)|EXPECT \( (?:[^()]|\( [^()]* \))+ \)|ON VIOLATION|DROP ROW"
        r"|FAIL UPDATE| )+",
    ),
    Contract(
        "compute_cells", "oracle",
        "SELECT a, b FROM t MODEL DIMENSION BY (a) MEASURES (b) RULES (b[2] = b[1])",
        rf"(?:{MODEL_OPTION} ?)*PARTITION(?: BY)? \(|(?:\) )?(?:{MODEL_OPTION} ?)*DIMENSION BY \("
        rf"|\) MEASURES \(|\) (?:{MODEL_OPTION} ?)*\( {SET_CELL}(?: {READ_CELL})?(?: \))?"
        rf"|(?:{READ_CELL} )?, {SET_CELL}(?: {READ_CELL})?"
        rf"|{READ_CELL}(?: \))?|AS|,|\)",
    ),
    Contract(
        "how_a_view_is_kept", "oracle",
        "CREATE OR REPLACE FORCE EDITIONABLE VIEW v AS SELECT a FROM t",
        r"(?:(?:FORCE|NO|NOFORCE|EDITIONABLE|NONEDITIONABLE|EDITIONING)(?: |$))+",
    ),
    Contract(
        "errors_elsewhere", "oracle",
        "INSERT INTO t SELECT a FROM s LOG ERRORS INTO e ('x') REJECT LIMIT 10",
        rf"LOG ERRORS(?: INTO {NAME})?(?: \( \S+ \))?(?: REJECT LIMIT \S+)?"
        r"|LOGGING (?:ALL )?ERRORS(?: WITH (?:NO LIMIT|LIMIT OF 0))?",
    ),
    Contract(
        "delete_where", "oracle",
        "MERGE INTO t USING s ON (t.a = s.a) WHEN MATCHED THEN UPDATE SET b = s.b DELETE WHERE s.c = 1",
        r"WHERE",
    ),
    Contract(
        "inline_view", "oracle",
        "UPDATE (SELECT t.a, s.b FROM t JOIN s ON t.i = s.i) SET a = b",
    ),
    Contract("object_type", "oracle", "CREATE TYPE p AS OBJECT (a NUMBER)", r"OBJECT"),
    # -- BigQuery, Snowflake, Databricks, Spark
    Contract(
        "inner_statement", "snowflake",
        "CREATE TASK k WAREHOUSE = w SCHEDULE = '1 minute' AS INSERT INTO t (a) SELECT a FROM s",
        rf"CREATE(?: OR REPLACE| OR ALTER)? (?:TASK|PIPE|ALERT|FLOW)(?: IF NOT EXISTS)? {NAME}"
        rf"(?: (?:{NAME} = (?:{VALUE}|{OPTIONS})|COMMENT = S|AFTER {NAME}(?: , {NAME})*|WHEN .+|IF \( .+ \)"
        rf"|FINALIZE = {NAME}))* (?:AS|THEN)|ONCE",
    ),
    Contract(
        "drop_watermarks", "databricks",
        "SELECT a FROM STREAM(t) WATERMARK ts DELAY OF INTERVAL 5 MINUTES WHERE a > 1",
        r"WATERMARK \S+ DELAY OF INTERVAL (?:0|S) (?:SECOND|MINUTE|HOUR|DAY|WEEK)S?",
    ),
    Contract(
        "drop_unneeded", "databricks",
        "CREATE OR REFRESH STREAMING LIVE TABLE t AS SELECT a FROM s",
        r"DEEP|SHALLOW|OR REFRESH(?: (?:TEMPORARY|TEMP|PRIVATE))?(?: STREAMING)? LIVE"
        r"|(?:OR REFRESH )?(?:INCREMENTAL )?(?:STREAMING )?LIVE|OR REFRESH|STREAMING|REFRESH|(?:OR REFRESH )?PRIVATE",
    ),
    Contract(
        "expectations", "databricks",
        "CREATE TABLE t (CONSTRAINT c EXPECT (a > 0) ON VIOLATION DROP ROW) AS SELECT a FROM s",
        r"\(? ?(?:,? ?CONSTRAINT \S+ EXPECT(?: \( (?:[^()]|\( [^()]* \))+ \)(?: ON VIOLATION FAIL UPDATE)?)? ?,? ?)+"
        r"\)?|,|ON VIOLATION DROP ROW(?: ,)?(?: CONSTRAINT \S+ EXPECT(?: \( (?:[^()]|\( [^()]* \))+ \)"
        r"(?: ON VIOLATION FAIL UPDATE)?)? ?,?)*(?: \))?",
    ),
    Contract(
        "changes_applied", "databricks",
        "APPLY CHANGES INTO t FROM STREAM(s) KEYS (k) SEQUENCE BY q COLUMNS * EXCEPT (c) STORED AS SCD TYPE 2",
        r"CHANGES INTO|INTO|FROM(?: STREAM \()?|\)(?: KEYS \()?|KEYS \("
        r"|\) (?:IGNORE NULL UPDATES )?(?:APPLY AS (?:DELETE|TRUNCATE) WHEN|SEQUENCE BY)"
        r"|IGNORE NULL UPDATES|APPLY AS (?:DELETE|TRUNCATE) WHEN|SEQUENCE BY|COLUMNS"
        r"|COLUMNS \(|(?:\) )?STORED AS SCD TYPE 0(?: TRACK HISTORY ON .+)?"
        r"|FROM STREAM|\) \) KEYS \(|STREAM \(|,",
    ),
    Contract(
        "flow_of_changes", "databricks",
        "CREATE FLOW f AS AUTO CDC INTO t FROM STREAM(s) KEYS (k) SEQUENCE BY q",
        rf"CREATE FLOW {NAME} AS|CDC|CREATE FLOW {NAME}(?: COMMENT S)? AS",
    ),
    Contract(
        "schema_evolution", "databricks",
        "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET *",
        r"SCHEMA",
    ),
    Contract(
        "versions", "databricks",
        "CREATE TABLE t CLONE s VERSION AS OF 3",
        rf"FOR SYSTEM_TIME AS OF (?:TIMESTAMP S|\w+ \(.*\)|{NAME})"
        rf"|(?:VERSION|TIMESTAMP) AS OF \S+(?: TBLPROPERTIES {OPTIONS})?(?: LOCATION S)?|TBLPROPERTIES {OPTIONS}"
        rf"|LOCATION S|(?:TABLE|TO)|TO (?:VERSION|TIMESTAMP) AS OF \S+|TABLE",
    ),
    Contract(
        "format_of_files", "databricks",
        "CONVERT TO DELTA parquet.`/lake/t` PARTITIONED BY (d DATE)",
        r"TO DELTA|NO STATISTICS|(?:NO STATISTICS )?PARTITIONED BY \( [\w (),]+ \)",
        "(d DATE)",
    ),
    Contract("version_mark", "databricks", "SELECT a FROM t@v3 AS x", r"@ V\d+"),
    Contract(
        "time_window", "spark",
        "SELECT window.start, sum(a) AS s FROM t GROUP BY window(ts, '1 hour'), window",
    ),
    Contract(
        "folder_with_format", "spark",
        "INSERT OVERWRITE DIRECTORY '/out' USING json OPTIONS ('a' 'b') SELECT a FROM t",
        r"USING \S+(?: OPTIONS \( (?:\S+ (?:= )?S)?(?: , \S+ (?:= )?S)*(?: \))?)?|\)"
        r"|USING \S+ OPTIONS \( (?:\S+ (?:= )?S , )*(?:PATH|S)(?: =)?|(?: ?, \S+ (?:= )?S)+ \)",
    ),
    Contract(
        "table_as_argument", "spark",
        "SELECT a FROM f(TABLE(t) PARTITION BY a ORDER BY b)",
        r"(?:PARTITION BY|DISTRIBUTE BY|PARTITION BY \(?|WITH SINGLE PARTITION)[\w ,.()]*(?:(?:ORDER"
        r"|SORT) BY [\w ,.()]*)?|WITH SINGLE PARTITION",
        "BY a ORDER BY b)",
    ),
    Contract(
        "composed_name", "spark",
        "INSERT INTO IDENTIFIER('db' || '.t') SELECT a FROM s",
        r"S \|\| S",
    ),
    # -- MySQL
    Contract(
        "drop_priorities", "mysql",
        "UPDATE LOW_PRIORITY IGNORE t JOIN s ON t.a = s.a SET t.b = s.b",
        r"(?:(?:LOW_PRIORITY|HIGH_PRIORITY|DELAYED|QUICK|IGNORE)(?: |$))+",
    ),
    Contract("duplicates_of_ctas", "mysql", "CREATE TABLE t (a INT) IGNORE SELECT a FROM s", r"AS"),
    Contract(
        "into_file", "mysql",
        "SELECT a INTO OUTFILE 'x.csv' FIELDS TERMINATED BY ',' FROM t",
        r"(?:OUTFILE|DUMPFILE)|(?:CHARACTER SET \S+ )?(?:FIELDS|COLUMNS)(?: (?:TERMINATED|OPTIONALLY ENCLOSED"
        r"|ENCLOSED|ESCAPED) BY S)+(?: LINES(?: (?:STARTING|TERMINATED) BY S)+)?",
    ),
    # -- Teradata
    Contract(
        "drop_no_case", "teradata",
        "SELECT CASE_N(a < 1, a < 5, NO CASE OR UNKNOWN) AS c FROM t",
        r",|(?:,? ?(?:NO (?:CASE|RANGE)(?: OR UNKNOWN)?|UNKNOWN) ?)+"
        r"|EACH \S+(?: \S+){0,2}(?: , (?:NO RANGE(?: OR UNKNOWN)?|UNKNOWN))*",
    ),
    Contract("normalize_rows", "teradata", "SELECT NORMALIZE ON MEETS OR OVERLAPS a, p FROM t"),
    Contract(
        "upsert_by_update", "teradata",
        "UPDATE t FROM s SET b = s.b WHERE t.a = s.a ELSE INSERT VALUES (s.a, s.b)",
    ),
    Contract(
        "expand_periods", "teradata",
        "SELECT a, b FROM t EXPAND ON p AS b BY INTERVAL '1' DAY",
        r"ON|BY (?:INTERVAL S \w+|ANCHOR \w+|ANCHOR PERIOD \w+|\w+)",
    ),
    Contract(
        "drop_statistics", "teradata",
        "CREATE TABLE t AS (SELECT a FROM s) WITH DATA AND STATS PRIMARY INDEX (a)",
        r"AND (?:NO )?STAT(?:S|ISTICS)?",
    ),
    Contract(
        "phrases", "teradata",
        "SELECT a (TITLE 'A'), c (NAMED d), (e + 1) (DATE, FORMAT 'Y') FROM t",
        rf"{ATTRIBUTE}(?: {ATTRIBUTE})*",
    ),
    Contract(
        "types_behind", "teradata",
        "SELECT e - 1 (DATE), trim(BOTH FROM a) (VARCHAR(5)), (d - c) (INTERVAL DAY(4) TO SECOND) FROM t",
        rf"[()]|{UNIT}(?: TO {UNIT})? \)",
    ),
    Contract(
        "join_index_as_view", "teradata",
        "CREATE JOIN INDEX d.j, NO FALLBACK AS SELECT t.a, u.b FROM t INNER JOIN u ON t.k = u.k PRIMARY INDEX (a)",
        r"INDEX|, (?:NO FALLBACK|FALLBACK|CHECKSUM = \S+|,| )+|NO PRIMARY INDEX(?: PARTITION BY .*)?"
        r"|(?:UNIQUE )?PRIMARY INDEX (?:\w+ )?\( [\w ,.]+ \)(?: PARTITION BY .*)?|PARTITION BY .*",
        "INDEX (a)",
    ),
    Contract(
        "drop_locks", "teradata",
        "LOCKING TABLE t FOR ACCESS LOCKING ROW FOR READ MODE NOWAIT INSERT INTO u SELECT a FROM t",
        rf"(?:(?:LOCKING|LOCK) (?:ROW|(?:(?:TABLE|VIEW|DATABASE) )?{NAME}) (?:FOR|IN) (?:ACCESS|READ|SHARE|WRITE"
        r"|EXCLUSIVE|CHECKSUM|LOAD)(?: OVERRIDE)?(?: MODE)?(?: NOWAIT)? ?)+",
    ),
    Contract(
        "compare_periods", "teradata",
        "SELECT a FROM t WHERE p CONTAINS d AND p IMMEDIATELY PRECEDES q",
        "IMMEDIATELY",
    ),
    Contract("from_before_set", "teradata", "UPDATE t FROM s SET a = s.a WHERE t.b = s.b"),
    Contract(
        "reset", "teradata",
        "SELECT sum(a) OVER (ORDER BY b RESET WHEN c > 1 ROWS UNBOUNDED PRECEDING) AS x FROM t",
        r"WHEN",
    ),
    # -- ClickHouse
    Contract(
        "mutation", "clickhouse",
        "ALTER TABLE t ON CLUSTER x UPDATE a = b IN PARTITION p WHERE c = 1",
        r"ALTER TABLE|ON CLUSTER \S+|IN PARTITION \S+",
    ),
    Contract(
        "drop_with_data", "postgres",
        "CREATE MATERIALIZED VIEW v AS SELECT a FROM t WITH NO DATA",
        r"WITH (?:NO )?DATA",
    ),
    Contract("plain_view", "clickhouse", "CREATE LIVE VIEW v AS SELECT a FROM t", r"LIVE|WINDOW"),
    # -- Hive, Redshift, DuckDB, PostgreSQL
    Contract(
        "table_and_folder", "hive",
        "EXPORT TABLE t TO '/x'",
        r"TABLE|PARTITION \( [^()]* \)|FOR REPLICATION \( \S+ \)|LOCATION S",
    ),
    Contract(
        "unless_there", "hive",
        "INSERT OVERWRITE TABLE t PARTITION (d = 1) IF NOT EXISTS SELECT a FROM s",
        r"IF NOT EXISTS",
    ),
    Contract(
        "without_duplicates", "redshift",
        "MERGE INTO t USING s ON t.a = s.a REMOVE DUPLICATES",
        r"REMOVE",
    ),
    Contract("by_position", "duckdb", "INSERT INTO t BY POSITION SELECT a FROM s", r"BY POSITION"),
    Contract("values_as_name", "spark", "SELECT explode(values) AS a FROM t"),
    Contract("pivot_statement", "duckdb", "CREATE TABLE x AS PIVOT t ON a USING sum(b)"),
    Contract("whole_table", "spark", "TABLE t"),
    Contract(
        "left_out", "postgres",
        "INSERT INTO t (a) OVERRIDING SYSTEM VALUE SELECT b FROM s",
        r"OVERRIDING (?:SYSTEM|USER) VALUE|(?:WITH )?(?:LOCAL |CASCADED )?CHECK OPTION|OR (?:IGNORE|REPLACE"
        r"|ABORT|FAIL|ROLLBACK)|WITH FILLFACTOR = \d+|FROM",
    ),
    Contract(
        "query_before_conflict", "postgres",
        "INSERT INTO t SELECT a FROM s CROSS JOIN u ON CONFLICT (a) DO NOTHING",
    ),
    Contract(
        "recursive_view", "postgres",
        "CREATE RECURSIVE VIEW d.v (n) AS SELECT a FROM t UNION ALL SELECT u.a FROM d.v JOIN u ON u.k = n",
        r"(?:(?:\w+|N) \. ?)+",
    ),
    Contract(
        "lateral_rows", "postgres",
        "SELECT x FROM t, LATERAL ROWS FROM (unnest(t.a)) AS r(x)",
        r"LATERAL",
    ),
    Contract("only_in_parentheses", "postgres", "SELECT a FROM ONLY (t)", r"ONLY \(|\)"),
    Contract(
        "order_by_operator", "postgres",
        "SELECT a FROM t ORDER BY a USING >",
        r"USING [<>=~!@#%^&|`?*/+-]+",
    ),
    Contract("alias_of_keys", "postgres", "SELECT j.id FROM a JOIN b USING (id) AS j", r"AS"),
    Contract(
        "recursion_in_between", "postgres",
        "WITH RECURSIVE r AS (SELECT a FROM t UNION ALL SELECT t.a FROM t JOIN r ON t.b = r.a) SEARCH DEPTH"
        " FIRST BY a SET o,"
        " q AS (SELECT a FROM r) SELECT a FROM q",
    ),
    Contract(
        "marked_recursion", "postgres",
        "WITH RECURSIVE r AS (SELECT a, b FROM t UNION ALL SELECT t.a, t.b FROM t JOIN r ON t.b = r.a)"
        " SEARCH DEPTH FIRST BY a, b SET o SELECT a FROM r",
        r", \S+(?: , \S+)*",
    ),
    Contract(
        "counted_rows", "postgres",
        "SELECT x.n FROM t, XMLTABLE('/r' PASSING t.d COLUMNS n FOR ORDINALITY) AS x",
        r"ORDINALITY",
    ),
    Contract(
        "document_in_parentheses", "postgres",
        "SELECT x.b FROM t, XMLTABLE(('/r'::text) PASSING (t.a) COLUMNS b text PATH ('@b'::text)) AS x",
        r"\(|:: \w+ \)|\)|PATH",
    ),
    Contract(
        "redefinition", "tsql",
        "ALTER VIEW v WITH SCHEMABINDING AS SELECT a FROM t",
        r"OR ALTER",
    ),
    Contract(
        "properties", "oracle",
        "CREATE MATERIALIZED VIEW v BUILD IMMEDIATE REFRESH FAST ON COMMIT AS SELECT a FROM t",
        rf"{STORAGE}(?: {STORAGE})*",
    ),
    Contract("joined_comment", "postgres", "COMMENT ON TABLE t IS E'' 'a ' 'b'", r"S(?: S)*"),
    Contract("label", "", "INSERT INTO t WITH LABEL load_1 (a) SELECT b FROM s", r"WITH LABEL \S+"),
    Contract(
        "subsets", "trino",
        "SELECT x FROM t MATCH_RECOGNIZE (ORDER BY a MEASURES last(u.a) AS x PATTERN (a b) SUBSET u = (a, b)"
        " DEFINE b AS b.a > 1)",
        r"SUBSET \S+ = \( \w+(?: , \w+)* \)(?: , \S+ = \( \w+(?: , \w+)* \))*",
    ),
    # -- dialects without a parser
    Contract(
        "drop_isolation", "db2", "SELECT a FROM t FOR READ ONLY WITH UR",
        r"(?:FOR (?:READ|FETCH) ONLY ?)?(?:WITH (?:UR|CS|RS|RR))?",
    ),
    Contract(
        "call_sequences", "db2",
        "INSERT INTO t (a, b) SELECT a, NEXT VALUE FOR d.s FROM u",
        rf"VALUE FOR(?: {NAME} \.)?",
    ),
    Contract(
        "drop_else_ignore", "db2",
        "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b ELSE IGNORE",
        r"ELSE IGNORE",
    ),
    Contract(
        "limit_of_partitions", "vertica",
        "SELECT a FROM t LIMIT 1 OVER (PARTITION BY a ORDER BY b)",
    ),
    Contract(
        "projection_as_view", "vertica",
        "CREATE PROJECTION p (a ENCODING RLE, b) AS SELECT a, b FROM t SEGMENTED BY HASH(a) ALL NODES KSAFE 1",
        r"(?:ENCODING \w+)?(?: ?,)?|(?:UNSEGMENTED|SEGMENTED BY (?:HASH"
        r"|MODULARHASH) \( [\w ,]+ \)) (?:ALL NODES|NODE \S+)(?: KSAFE(?: 0)?)?",
        "HASH(a)",
    ),
    Contract(
        "first_rows", "informix",
        "SELECT SKIP 5 FIRST 10 a FROM t",
        r"(?:SKIP|FIRST|TOP|LIMIT) 0(?: (?:SKIP|FIRST|TOP|LIMIT) 0)*",
    ),
    Contract(
        "into_temp_behind", "informix",
        "SELECT a FROM t INTO TEMP x WITH NO LOG",
        r"WITH NO LOG|STANDARD|RAW",
    ),
    Contract(
        "load_without_properties", "bigquery",
        "LOAD DATA INTO t (a INT64) PARTITION BY a CLUSTER BY a FROM FILES (uris = ['gs://b/x.csv'])"
        " WITH PARTITION COLUMNS (d DATE) WITH CONNECTION p.c",
        r"(?:(?:PARTITION BY (?:\w+ \( \w+ (?:, \w+ )?\)|\w+)|CLUSTER BY \w+(?: , \w+)*"
        rf"|OPTIONS (?:{OPTIONS})"
        rf"|WITH PARTITION COLUMNS(?: \( \w+ \w+(?: , \w+ \w+)* \))?|WITH CONNECTION {NAME})(?: |$))+",
    ),
    Contract(
        "name_models", "bigquery",
        "SELECT a FROM ML.EVALUATE(MODEL m, TABLE t, STRUCT(0.5 AS threshold))",
        r"TABLE",
    ),
    Contract("unnest_member", "bigquery", "SELECT x FROM t, t.xs AS x WITH OFFSET AS o"),
    Contract(
        "drop_parameters", "clickhouse",
        "SELECT groupArraySorted(3, 'x')(a) AS b FROM t",
        r"\( (?:(?:0|S|-|,|\[|\]|NULL) )*\)",
    ),
    Contract("matches_as_like", "informix", "SELECT a FROM t WHERE a MATCHES 'A*'"),
    Contract(
        "changed_rows", "db2",
        "SELECT a FROM FINAL TABLE (INSERT INTO t (a) SELECT b FROM s)",
        r"INCLUDE \( [\w ,()]+ \)|[=,]",
    ),
    Contract(
        "upsert_as_insert", "hana",
        "UPSERT t (a) SELECT a FROM s WITH PRIMARY KEY",
        r"WITH PRIMARY(?: )?KEY|INTO(?: TABLE)?|TABLE",
    ),
    Contract(
        "kind_of_table", "hana",
        "CREATE COLUMN TABLE t AS (SELECT a FROM s)",
        r"(?:COLUMN|ROW|READABLE|WRITABLE|EXTERNAL|FOREIGN|UNLOGGED|HISTORY|WEB|DIMENSION|FACT"
        r"|ROWSTORE|HYBRID)(?: EXTERNAL)?",
    ),
    Contract(
        "drop_distribution", "greenplum",
        "CREATE TABLE t WITH (x = true) AS SELECT a FROM s DISTRIBUTED BY (a)",
        r"(?:DISTRIBUTED (?:BY \( [\w ,.]+ \)|RANDOMLY|REPLICATED)|DISTRIBUTE ON (?:\( [\w ,.]+ \)|RANDOM)"
        r"|ORGANIZE ON \( [\w ,.]+ \)| )+",
        "BY (a)",
    ),
    Contract(
        "window_table_function", "flink",
        "SELECT window_start FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) AS w",
        r"(?:\w+ => )?TABLE|TABLE \(|(?:\( )?(?:\w+ => )?TABLE|, (?:\w+ => )?DESCRIPTOR \("
        r"|\) (?:, (?:\w+ => )?INTERVAL S \w+ ?)+(?:\) ?){0,2}|(?:\) ?)+|\(|\w+ => TABLE",
    ),
    Contract(
        "statement_set", "flink",
        "BEGIN STATEMENT SET INSERT INTO t SELECT a FROM s",
        r"(?:EXECUTE|BEGIN) STATEMENT SET(?: BEGIN)?",
    ),
    Contract("row_types", "flink", "CREATE TABLE t (p ROW<a INT>, b INT)", r"ROW"),
    Contract(
        "pipeline_of_files", "singlestore",
        "CREATE PIPELINE p AS LOAD DATA S3 'b/x' INTO TABLE t (a)",
        rf"(?:CREATE )?PIPELINE {NAME} AS LOAD DATA \w+|INTO(?: TABLE)?",
    ),
    Contract(
        "apply_to_columns", "clickhouse",
        "SELECT * EXCEPT (a) APPLY(x -> toString(x)) APPLY max FROM t",
        r"[()]",
    ),
    Contract(
        "only_columns", "oracle",
        "CREATE TABLE t (a NUMBER NOT NULL ENABLE, CONSTRAINT k PRIMARY KEY (a)) TABLESPACE x",
        r".*",
    ),
)  # fmt: skip
"""One row for each repair; `tests/unit/extract/test_repair_contracts.py` drives all of them."""

BY_REPAIR = {contract.repair: contract for contract in CONTRACTS}


@cache
def drops_of(repair: str) -> re.Pattern[str] | None:
    """Return what a repair may leave out, compiled when a statement first needs the repair."""
    contract = BY_REPAIR.get(repair)
    return re.compile(contract.drops) if contract is not None else None


def left_over(repair: str, before: Words, after: Words) -> Words:
    """The words that a repair has left out, and that its contract does not say to have no lineage."""
    understood = drops_of(repair)
    found: Words = []
    for run in dropped_runs(before, after):
        if understood is None or not understood.fullmatch(text_of(run)):
            found += run

    return found
