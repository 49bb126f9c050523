"""Python models at work: each in a process of its own, over the Spark of the run.

process   the run's side: starts the process, keeps its output, stops it when its time is over
child     the process itself: joins Spark, executes the model, answers
dbt       what the model gets as `dbt`
modules   imports of the project's own modules
ship      the libraries that a cluster's executors get for the models' functions
faults    an exception in one line, with the line of the project's code that it comes from

A model in a process of its own can be stopped at any moment, cannot end the run, and leaves nothing
behind in it: no modules, no settings, no output on the terminal.
"""
