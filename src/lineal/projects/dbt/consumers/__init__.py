"""dbt's consumers: what reads columns besides models.

sheet.py        SQL that stands at the lines of the YAML it was written in
semantic.py     semantic models, metrics and saved queries, in the shapes of dbt 1 and dbt 2
dimensions.py   {{ Dimension('order_id__status') }} and its like: the column that is meant
checks.py       generic and singular tests, unit tests, contracts
assemble.py     all of them as scripts, datasets and reads of a corpus

A consumer is a dataset of its own kind. Its lineage is that of a statement that spells out what YAML
says, so names are resolved, and doubts told, as those of any other statement are.
"""
