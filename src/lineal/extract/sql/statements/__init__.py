"""Statements: one file per family. A statement's planner says what it does; `families.py` lists
them.
"""
