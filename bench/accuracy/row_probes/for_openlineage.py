"""openlineage-sql: the source columns of the column lineage."""

import sys

from openlineage_sql import parse

for column in parse([sys.stdin.read()], dialect="postgres").column_lineage:
    for source in column.lineage:
        print(source.name)
