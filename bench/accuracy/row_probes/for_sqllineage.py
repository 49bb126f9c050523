"""SQLLineage: the columns of all paths."""

import sys

from sqllineage.runner import LineageRunner

for path in LineageRunner(sys.stdin.read(), dialect="ansi").get_column_lineage():
    for column in path:
        print(column.raw_name)
