"""Which job has made an edge: the task of a scheduler whose statement gives the edge."""

from __future__ import annotations

from collections.abc import Iterable

from lineal.model.diagnostic import Place
from lineal.model.edge import Dataset, Edge
from lineal.model.job import Job


class JobIndex:
    """The jobs that were read from texts, by what they write and where their statements begin."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs: dict[Dataset, list[Job]] = {}
        self.has_names = False
        for job in jobs:
            if job.given:
                continue

            self.has_names = self.has_names or bool(job.name)
            for output in job.outputs:
                self._jobs.setdefault(output, []).append(job)

    def owners(self, output: Dataset, place: Place | None, source: Dataset) -> list[Job]:
        """Return the jobs whose statement a place of an edge or read into a dataset is in.

        It is the last statement that begins before the place in the same file. Several tasks may
        run the same file with other parameters: then those whose text names the source.
        """
        several = self._jobs.get(output, [])
        if len(several) < 2 or place is None:
            return several

        starts = [job.place for job in several if job.place is not None]
        before = [start for start in starts if start.file == place.file and start <= place]
        if not before:
            return several

        nearest = max(before)
        found = [job for job in several if job.place == nearest]
        naming = [job for job in found if source.name in job.sql]
        return naming or found

    def writers(self, dataset: Dataset) -> list[str]:
        """Return the names of the jobs that write a dataset."""
        return sorted({job.name for job in self._jobs.get(dataset, []) if job.name})

    def names_of(self, edge: Edge) -> list[str]:
        """Return the names of the jobs that make an edge; those without a name are left out."""
        if not self.has_names:
            return []

        places = [usage.place for usage in edge.usages]
        source = edge.source.dataset
        found = {job.name for place in places for job in self.owners(edge.into, place, source)}
        return sorted(filter(None, found))
