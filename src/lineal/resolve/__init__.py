"""From statements to one corpus: which dataset a name means, and what each definition makes of its
sources.

definitions  the catalog of names, each evaluated on first use
naming       names without a schema: defaults, search path, USE
timeline     the order of statements, where it matters; versions: the states of a name; alterations:
             ALTER TABLE
programs     what Python programs write, beside the statements
imported     lineage that other tools have found out already
jobs         what writes each dataset
columns      the columns of some names, and nothing else
digests      what each statement says, as digests: by them two revisions are compared
progress     how far an extraction is
"""
