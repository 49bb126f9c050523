"""Events of what runs right now: a job that has begun, each write in it, and how the job has ended."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from lineal.views.openlineage import facets
from lineal.views.openlineage.emission import LINEAL, Emission, Engine
from lineal.views.openlineage.events import CORE, events
from lineal.views.report import Report

Json = dict[str, Any]

PARENT = "1-1-0/ParentRunFacet.json"
ERROR = "1-0-1/ErrorMessageRunFacet.json"
JOB_TYPE = "2-0-3/JobTypeJobFacet.json"
LONGEST = 2000
"""The characters of an error message that are told."""


class Application(NamedTuple):
    """The run of a whole job, around its writes."""

    namespace: str
    name: str
    run_id: str
    engine: Engine = LINEAL

    @property
    def job(self) -> Json:
        """Return the namespace and name of the job."""
        return {"namespace": self.namespace, "name": self.name}


def start_of_run(application: Application, time: str) -> Json:
    """Return the event of the start of an application."""
    return _event(application, "START", time)


def end_of_run(application: Application, time: str, failure: str = "") -> Json:
    """A job that throws has failed."""
    return _event(application, "FAIL" if failure else "COMPLETE", time, failed_because(failure))


def of_write(
    report: Report, emission: Emission, application: Application, failure: str = ""
) -> list[Json]:
    """START and COMPLETE of one write, or START and FAIL; each names the job that it is a part of."""
    parent = facets.facet(PARENT, run={"runId": application.run_id}, job=application.job)
    made = events(report, replace(emission, engine=application.engine))
    for event in made:
        if "run" not in event:
            continue

        event["run"] = {**event["run"], "facets": {**event["run"]["facets"], "parent": parent}}
        if failure and event["eventType"] == "COMPLETE":
            event["eventType"] = "FAIL"
            event["run"]["facets"] |= failed_because(failure)

    return [event for event in made if "run" in event]


def failed_because(failure: str) -> Json:
    """Return the facet of a failure, or nothing."""
    if not failure:
        return {}

    return {
        "errorMessage": facets.facet(ERROR, message=failure[:LONGEST], programmingLanguage="python")
    }


def _event(application: Application, kind: str, time: str, told: Json | None = None) -> Json:
    """Return an event of the run of an application."""
    kinds = facets.facet(
        JOB_TYPE, processingType="BATCH", integration="SPARK", jobType="APPLICATION"
    )
    return {
        "eventTime": time,
        "eventType": kind,
        "producer": facets.PRODUCER,
        "schemaURL": f"{CORE}/RunEvent",
        "run": {
            "runId": application.run_id,
            "facets": {**facets.engine_of_run(application.engine), **(told or {})},
        },
        "job": {**application.job, "facets": {"jobType": kinds}},
        "inputs": [],
        "outputs": [],
    }
