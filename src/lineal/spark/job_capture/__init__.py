"""Capture at run time: every query execution that writes becomes edges as it happens.

with lineal.spark.capture(spark) as captured:
    spark.table("orders").groupBy("day").sum("amount").write.saveAsTable("daily")
captured.lineage

listener.py     Spark's listener, in the JVM: executions that write, with their plans
record.py       executions to lineage
procedures.py   what no listener is told
outlet.py       where events go
watch.py        one job: its contexts, its writes, its events
job.py          a job's file, run as spark-submit runs it
compare.py      what static reading finds in the program, next to what was captured
names.py        the datasets of a program and those of its run
"""

from __future__ import annotations

from lineal.spark.job_capture.watch import Captured, Settings, capture

__all__ = ["Captured", "Settings", "capture"]
