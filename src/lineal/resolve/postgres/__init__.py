"""PostgreSQL's own answers compared with ours: statements composed over views, and the columns that a plan
names.
"""
