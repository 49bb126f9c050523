"""DataHub: the upstream columns of the column lineage, and the columns of the joins."""

import sys

from datahub.sql_parsing.sqlglot_lineage import create_lineage_sql_parsed_result

found = create_lineage_sql_parsed_result(
    sys.stdin.read(), default_db=None, platform="postgres", platform_instance=None, env="PROD"
)
for column in found.column_lineage or ():
    for source in column.upstreams:
        print(source.column)
for join in found.joins or ():
    for source in join.columns_involved:
        print(source.column)
