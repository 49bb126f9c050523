"""LineageX: the contributed and the referenced columns."""

import sys

from lineagex.LineageXNoConn import LineageXNoConn

tables = {"customers": ["id", "name", "region"], "orders": ["customer_id", "paid"]}
found = LineageXNoConn(
    sql=[sys.stdin.read()], dialect="postgres", input_table_dict=tables
).output_dict
for table in found.values():
    for contributed, referenced in table["columns"].values():
        for source in (*contributed, *referenced):
            print(source.rpartition(".")[2])
