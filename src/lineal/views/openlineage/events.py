"""Events: one per job, or per dataset that no job writes or reads; deterministic, and in one order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from lineal.model.edge import Dataset, Edge
from lineal.model.job import Job, Run
from lineal.model.openlineage import NO_NAMESPACE, URN, Named
from lineal.model.sequences import flatten, invert
from lineal.views.openlineage import facets
from lineal.views.openlineage.emission import (
    AUTO,
    BOTH,
    COLUMN_LINEAGE,
    DATASET,
    EXPLICIT,
    RUN,
    Emission,
)
from lineal.views.openlineage.facts import DatasetSources, Facts, Parts, facts_of, of_job, parts_of
from lineal.views.report import Report

Json = dict[str, Any]
CORE = f"{facets.SPEC}/2-0-2/OpenLineage.json#/$defs"


def events(report: Report, emission: Emission) -> list[Json]:
    """The events of what a report shows, sorted by job; those of datasets on their own come last."""
    graph = report.graph
    targets = None if report.entire else {edge.into for edge in report.edges}
    wanted = set(map(id, report.edges))
    edges = [edge for edge in graph.extraction.edges if report.entire or id(edge) in wanted]
    facts = facts_of(graph, edges, targets, emission)
    writer = Writer(report, facts, edges, emission)
    return flatten(writer.all())


def line(event: Json) -> str:
    """An event as one line of JSON. Its keys keep their order: that of fields is the order of the
    SELECT list.
    """
    return json.dumps(event)


@dataclass
class Writer:
    report: Report
    facts: Facts
    edges: list[Edge]
    emission: Emission

    def all(self) -> Iterator[list[Json]]:
        """Yield the events of each job, then those of datasets without a job."""
        mentioned: set[Named] = set()
        alone: dict[Named, Job] = {}
        for job in sorted(
            self._jobs, key=lambda job: (job.namespace, job.name, job.outputs, job.time)
        ):
            if self.emission.events == DATASET or not job.name:
                alone |= {self.facts.names[output]: job for output in job.outputs}
                continue

            made = self._made_by_job(job)
            mentioned |= {*made, *chain.from_iterable(each.inputs for each in made.values())}
            yield self._of_job(job, made)

        if self.report.entire:
            alone = {name: Job(()) for name in self.facts.infos if name not in mentioned} | alone

        for name in sorted(alone):
            yield [self._of_dataset(name, alone[name])]

    # -- jobs --------------------------------------------------------------------------------------

    @cached_property
    def _jobs(self) -> list[Job]:
        """Those that were reported, those whose statements are known, and one for each other
        dataset that is made.
        """
        names = self.facts.names
        found: list[Job] = []
        known: set[Named] = set()
        for job in self.report.graph.extraction.jobs:
            outputs = tuple(
                output for output in job.outputs if output in names and self._shows(output)
            )
            if outputs and (job.given or job.name or names[outputs[0]] not in known):
                known |= {names[output] for output in outputs}
                self._enter(self._with_title(replace(job, outputs=outputs)), found)

        for dataset, name in names.items():
            if name in self.facts.made and name not in known:
                known.add(name)
                found.append(self._with_title(Job((dataset,))))

        return found

    def _enter(self, job: Job, found: list[Job]) -> None:
        """Add a job; the statements of one task are one job with all of their outputs."""
        for number, other in enumerate(found):
            if not job.given and not other.given and other.name == job.name:
                outputs = tuple(dict.fromkeys((*other.outputs, *job.outputs)))
                texts = dict.fromkeys(filter(None, (other.sql, job.sql)))
                found[number] = replace(other, outputs=outputs, sql=";\n\n".join(texts))
                return

        found.append(job)

    def _shows(self, output: Dataset) -> bool:
        """Tell whether the report is about a dataset."""
        return self.report.entire or self.facts.names[output] in self.facts.made

    def _with_title(self, job: Job) -> Job:
        """A statement is a job that is named after what it writes; a dataset that was told of alone
        stays alone.
        """
        own = self.facts.names[job.outputs[0]]
        if job.name and not job.given:
            return replace(job, namespace=self.emission.job_namespace or NO_NAMESPACE)

        if job.name or (job.given and (self.emission.events == AUTO or own not in self.facts.made)):
            return job

        return replace(
            job, name=self._titles[own], namespace=self.emission.job_namespace or NO_NAMESPACE
        )

    @cached_property
    def _titles(self) -> dict[Named, str]:
        """The dataset's name, where no other has it; no two datasets are given the same."""
        spelt: dict[Named, str] = {}
        for dataset, name in self.facts.names.items():
            spelt.setdefault(name, dataset.name)

        counts = Counter(spelt.values())
        titles: dict[str, Named] = {}
        for name in sorted(spelt):
            title = spelt[name] if spelt[name] and counts[spelt[name]] == 1 else ".".join(name)
            while title in titles:
                title += "'"

            titles[title] = name

        return invert(titles)

    @cached_property
    def _shared(self) -> set[Named]:
        """Return the datasets that several jobs write."""
        writers = Counter(self.facts.names[output] for job in self._jobs for output in job.outputs)
        return {name for name, count in writers.items() if count > 1}

    def _made_by_job(self, job: Job) -> dict[Named, DatasetSources]:
        """Return the lineage of a job; of datasets that others write, too, only its own part."""
        names = {self.facts.names[output] for output in job.outputs}
        facts = self.facts
        if not names.isdisjoint(self._shared):
            facts = of_job(job, self._parts, facts, self.emission)

        return {name: facts.made.get(name, DatasetSources()) for name in sorted(names)}

    @cached_property
    def _parts(self) -> Parts:
        """Return the edges and reads of each dataset."""
        return parts_of(
            self.report.graph, self.edges, {job.place for job in self._jobs if job.given}
        )

    def _of_job(self, job: Job, made: dict[Named, DatasetSources]) -> list[Json]:
        """Return the events of a job: START and COMPLETE, or one JobEvent."""
        inputs = sorted(set(chain.from_iterable(each.inputs for each in made.values())))
        told: Json = {
            "namespace": job.namespace,
            "name": job.name,
            "facets": facets.of_job(job, self.emission),
        }
        if self.emission.facets in (EXPLICIT, BOTH):
            told["facets"]["lineage"] = facets.explicit_of_job(made)

        body = {
            "job": told,
            "inputs": list(map(self._dataset, inputs)),
            "outputs": [self._dataset(name, made[name]) for name in made],
        }
        if self.emission.events == RUN or (job.run and self.emission.events == AUTO):
            return self._of_run(job, body)

        return [self._event("JobEvent", job.time, body)]

    def _of_run(self, job: Job, body: Json) -> list[Json]:
        """The START and the COMPLETE event of a run; both name its inputs and outputs with all
        their facets.
        """
        time = job.time or self.emission.time
        said = json.dumps([body, time], sort_keys=True)
        run = job.run or Run(str(uuid5(NAMESPACE_URL, f"{URN}:{said}")), time, time)
        body = {
            "run": {"runId": run.id, "facets": facets.engine_of_run(self.emission.engine)},
            **body,
        }
        states = (("START", run.started), ("COMPLETE", run.ended))
        return [self._event("RunEvent", moment, body, state) for state, moment in states]

    # -- datasets ----------------------------------------------------------------------------------

    def _of_dataset(self, name: Named, job: Job) -> Json:
        """Return the event of a dataset without a job."""
        made = self.facts.made.get(name)
        dataset = self._dataset(name, made)
        if made is not None and self.emission.facets in (EXPLICIT, BOTH):
            dataset["facets"]["lineage"] = facets.explicit_of_dataset(made)

        return self._event("DatasetEvent", job.time, {"dataset": dataset})

    def _dataset(self, name: Named, made: DatasetSources | None = None) -> Json:
        """Return a dataset with its facets."""
        info = self.facts.infos.get(name)
        known = facets.of_dataset(info, self.facts.columns_of(name))
        relation = self.emission.relations.get(info.dataset.name, "") if info is not None else ""
        if relation and relation != name.name:
            known |= facets.symlink(name.namespace, relation)

        if made is not None:
            known |= facets.doubts(made, self.emission)

        if (
            made is not None
            and self.emission.facets in (COLUMN_LINEAGE, BOTH)
            and (made.fields or made.rows)
        ):
            columns = info.names if info is not None and info.complete else ()
            known |= facets.column_lineage(made, columns, self.emission)

        return {**facets.name_values(name), "facets": known}

    def _event(self, kind: str, time: str, body: Json, state: str = "") -> Json:
        """Return an event with its time, producer and schema."""
        began = {"eventType": state} if state else {}
        moment = {"eventTime": time or self.emission.time}
        return {
            **began,
            **moment,
            **body,
            "producer": facets.PRODUCER,
            "schemaURL": f"{CORE}/{kind}",
        }
