"""DataHub: sqlglot_lineage with a SchemaResolver that knows the tables; it reads one statement at a
time.
"""

from __future__ import annotations

import re
from typing import Any

from datahub.sql_parsing._models import _TableName
from datahub.sql_parsing.schema_resolver import SchemaResolver
from datahub.sql_parsing.sqlglot_lineage import sqlglot_lineage
from loop import Pairs, answer_all

URN = re.compile(r"urn:li:dataset:\(urn:li:dataPlatform:\w+,(.*),PROD\)")
PLATFORMS = {"": "hive", "tsql": "mssql"}


def pairs_of(question: dict[str, Any]) -> Pairs:
    resolver = SchemaResolver(platform=PLATFORMS.get(question["dialect"], question["dialect"]))
    for name, columns in question["schema"].items():
        *parents, table = name.split(".")
        database, schema = ([None, None, *parents])[-2:]
        urn = resolver.get_urn_for_table(
            _TableName(database=database, db_schema=schema, table=table)
        )
        resolver.add_raw_schema_info(
            urn, {column: kind or "string" for column, kind in columns.items()}
        )
    found = sqlglot_lineage(
        question["sql"], schema_resolver=resolver, override_dialect=question["dialect"] or None
    )
    problem = found.debug_info.table_error or found.debug_info.column_error
    if problem is not None:
        raise problem
    for column in found.column_lineage or ():
        for source in column.upstreams:
            yield URN.sub(r"\1", source.table), source.column, column.downstream.column


answer_all(pairs_of)
