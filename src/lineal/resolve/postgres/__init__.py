"""PostgreSQL's own answers beside ours: statements composed over views, and the columns that a plan
names.
"""
