"""Edits that take columns and statements out of SQL; every other byte stays.

templates.py       the parts of a file that are not SQL: Jinja, and the blocks of SQLX
select_lists.py    the queries of a text, with the items of their SELECT lists
sql_columns.py     columns, taken out of the SELECT lists that make them
statements.py      statements, taken out of a script of several
edits.py           deletions in a text, and the patch of several files
"""
