"""`make smoke`: every command that the documentation shows, run as installed.

    documents.py      pages → the commands and programs that they show
    commands.toml     what no rule can tell of a command: what it needs, its exit code
    plan.py           commands → the extra each belongs to, or the reason why it is only checked
    environments.py   a wheel → an environment for each extra, with nothing else in it
    workplace.py      a folder in which the names that the pages use exist
    running.py        commands → results, in one environment
    inside/           the programs that an environment's own Python runs
    cluster.py        a standalone Spark cluster on this machine
    processes.py      processes that end with all that they have started
    __main__.py       all of it, and the summary

Python's standard library is all that this package imports; lineal is imported only in the
environments.
"""
