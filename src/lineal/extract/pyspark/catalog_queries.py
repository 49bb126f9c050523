"""Statements that ask about the catalog: SHOW and DESCRIBE, whose results come from no column."""

from __future__ import annotations

import re

from lineal.extract.pyspark.local_data import local_relation
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.values import SchemaValue

RESULTS = {
    "SHOW (DATABASES|SCHEMAS|NAMESPACES)": "namespace databaseName",
    "SHOW TABLE EXTENDED": "namespace tableName isTemporary information",
    "SHOW TABLES": "namespace database tableName isTemporary",
    "SHOW VIEWS": "namespace viewName isTemporary isMaterialized",
    "SHOW COLUMNS": "col_name",
    "SHOW PARTITIONS": "partition",
    "SHOW CREATE TABLE": "createtab_stmt",
    "SHOW TBLPROPERTIES": "key value",
    "SHOW CATALOGS": "catalog",
    "SHOW CURRENT": "catalog namespace",
    "SHOW VOLUMES": "database volume_name",
    "SHOW ((USER|SYSTEM|ALL) )?FUNCTIONS": "function",
    "DESC(RIBE)? HISTORY": "version timestamp userId userName operation operationParameters job notebook clusterId "
    "readVersion isolationLevel isBlindAppend operationMetrics userMetadata engineInfo",
    "DESC(RIBE)? DETAIL": "format id name description location createdAt lastModified partitionColumns "
    "clusteringColumns numFiles sizeInBytes properties minReaderVersion minWriterVersion tableFeatures statistics",
    "DESC(RIBE)? (DATABASE|SCHEMA|CATALOG)": "info_name info_value database_description_item "
    "database_description_value",
    "DESC(RIBE)? FUNCTION": "function_desc",
    "DESC(RIBE)?": "col_name data_type comment info_name info_value",
    "EXPLAIN": "plan",
}
"""The columns of each result, of all versions of Spark and Delta together"""

PATTERNS = {
    re.compile(rf"\s*{words.replace(' ', chr(92) + 's+')}\b", re.IGNORECASE): columns.split()
    for words, columns in RESULTS.items()
}


def catalog_answer(text: str) -> Relation | None:
    """Return the result of a statement that asks about the catalog; None for other statements.

    spark.sql("DESCRIBE HISTORY sales.orders").select("version")
    """
    if ";" in text.strip().rstrip(";"):
        return None

    for pattern, columns in PATTERNS.items():
        if pattern.match(text):
            return local_relation(SchemaValue([(name, "") for name in columns]))

    return None
