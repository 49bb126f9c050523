"""lineal: the source columns of all edges."""

import sys

import lineal

for edge in lineal.lineage(sys.stdin.read()).edges:
    print(edge.source.name)
