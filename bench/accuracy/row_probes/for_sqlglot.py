"""sqlglot: the columns of all nodes below each output column."""

import sys

from sqlglot import parse_one
from sqlglot.lineage import lineage

query = parse_one(sys.stdin.read()).expression
for node in lineage(None, query, {}).values():
    for below in node.walk():
        print(below.name.rpartition(".")[2])
