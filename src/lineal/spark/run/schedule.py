"""The schedule: independent jobs side by side, a failed one stops what needs it and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from lineal.spark.run.jobs import Job
from lineal.spark.run.result import Began, Ended, Event, Outcome, Status

Work = Callable[[Job], Outcome]


class Lack(NamedTuple):
    """A job that others wait for in vain, and why."""

    name: str
    lacks: str


def run_in_order(jobs: Mapping[str, Job], work: Work, threads: int) -> Iterator[Event]:
    """Do the jobs, each when what it needs is done. `work` is called in a thread and raises
    nothing.
    """
    waiting = dict(jobs)
    ended: dict[str, Outcome] = {}
    running: dict[Future[Outcome], str] = {}
    pool = ThreadPoolExecutor(threads, thread_name_prefix="lineal")
    try:
        while waiting or running:
            yield from _start(waiting, ended, running, pool, work, threads, jobs)
            if running:
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    key = running.pop(future)
                    ended[key] = future.result()
                    yield Ended(ended[key])
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _start(
    waiting: dict[str, Job],
    ended: dict[str, Outcome],
    running: dict[Future[Outcome], str],
    pool: ThreadPoolExecutor,
    work: Work,
    threads: int,
    jobs: Mapping[str, Job],
) -> Iterator[Event]:
    """Begin what can begin; what needs something that failed is skipped, and so is what needs that."""
    for key, job in list(waiting.items()):
        stopped = _stopped_by(job, ended)
        if stopped is not None:
            del waiting[key]
            ended[key] = Outcome(
                job.name, job.kind, Status.SKIPPED, because=stopped.name, lacks=stopped.lacks
            )
            yield Ended(ended[key])
        elif len(running) < threads and _is_ready(job, ended, jobs):
            del waiting[key]
            running[pool.submit(work, job)] = key
            yield Began(job.name, job.kind)


def _is_ready(job: Job, ended: Mapping[str, Outcome], jobs: Mapping[str, Job]) -> bool:
    """A job that cannot be done anyway need not wait: one in a circle would wait for ever."""
    if job.fault is not None:
        return True

    return all(key in ended for key in job.needs | job.after if key in jobs)


def _stopped_by(job: Job, ended: Mapping[str, Outcome]) -> Lack | None:
    """The job that failed first on the way here."""
    if job.fault is not None:
        return None

    for key in sorted(job.needs):
        outcome = ended.get(key)
        if outcome is not None and not outcome.stands:
            return Lack(outcome.because or outcome.name, outcome.lacks)

    return None
