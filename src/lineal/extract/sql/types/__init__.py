"""The types of columns, as far as they are known: declared ones, carried through every query.
Nothing is typed before somebody asks.

kinds.py        a type: read, spelled, compared; decimals
rules.py        what operators and functions give, per family of dialects
expressions.py  the type of an expression
queries.py      the types of a query's columns
"""
