"""A project's pipeline on Spark: seeds loaded, models built, values tested, lineage compared.

    for event in run(corpus, Options(folder)):      Planned, Began, Ended, Note; the last one is the
    Summary
        …

jobs          the steps in order, and what each waits for
select        which of them are asked for
schedule      side by side, in threads
seeds         CSV → rows, every value in its type
models        view, table, incremental, function, hooks
column_tests  unique, not_null, accepted_values, positive, relationships
crosscheck    static lineage = Catalyst's
warehouse     parquet folder or catalog; state: what stands, and from which inputs
errors        Spark's exceptions in one line, with file and line
"""
