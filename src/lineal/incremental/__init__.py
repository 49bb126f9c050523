"""Extraction in parts: after an edit only what it changes is read again, and several processes
share the work.

extraction  the way in: all lineage of a corpus, with a memory or without
memory      results of an earlier run; questions: what an evaluation asked about other names
codec       results as plain tuples, for a file or another process
parallel    several processes read a corpus
"""
