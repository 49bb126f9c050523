"""From statements to one corpus: which dataset a name means, and what each definition makes of its
sources.

`Definitions` (definitions) puts the parts together; each is given the ones that it needs. The
steps that a subclass may take in its own way are named in hooks. From scripts to edges:

boundary     diagnostics and coverage; a statement that fails costs no other its result
catalog      the names: entries, what is declared for them, and their definitions in order
scripts      a text becomes the steps of its statements; gathering: these become definitions
routines     functions and procedures, and what their values are made of
naming       names without a schema: defaults, search path, USE
file_names   the names of bare SELECTs; folders: names that several folders define
timeline     the order of statements, where it matters; versions: the states of a name; alterations:
             ALTER TABLE
programs     what Python programs write, next to the statements

evaluator    which definition goes first, work lists, statements without a result
frames       what one statement writes; references: what it asks about the names outside it
schemas      the columns of a name: as its definitions make them, else as they are declared
evidence     what use tells of tables without a schema, and whose an ambiguous column is
progress     how far an extraction is

output       edges, reads, statements and jobs as one extraction; edges: those into one dataset
shown        the spelling that each dataset and column is shown in
stars        SELECT * from a table without a schema: closed as far as use tells
datasets     what is known of each dataset; types: the types of its columns
jobs         what writes each dataset
digests      what each statement says, as digests: by them two revisions are compared

columns      the columns of some names, and nothing else
imported     lineage that other tools have found out already
"""
