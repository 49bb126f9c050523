"""Work that a database does in the background, while the next rows are written."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Generic, TypeVar

Some = TypeVar("Some")


class Ahead(Generic[Some]):
    """Things that may be made before they are asked for."""

    def __init__(self, made: Iterable[Some]) -> None:
        self.coming = iter(made)
        self.ready: deque[Some] = deque()

    def step(self) -> bool:
        """Make another one, if there is one."""
        for each in self.coming:
            self.ready.append(each)
            return True

        return False

    def __iter__(self) -> Iterator[Some]:
        return self

    def __next__(self) -> Some:
        if self.ready:
            return self.ready.popleft()

        return next(self.coming)


class Later:
    """Runs actions one after the other, in the order of the calls; errors are raised at the end."""

    def __enter__(self) -> Later:
        self.worker = ThreadPoolExecutor(max_workers=1)
        self.begun: list[Future[Any]] = []
        return self

    def __call__(self, action: Callable[..., Any], *arguments: Any) -> None:
        self.begun.append(self.worker.submit(action, *arguments))

    def meanwhile(self, made: Iterable[Some], after: Ahead[Any] | None = None) -> Iterator[Some]:
        """Make items ahead until all actions are done, also items of `after`; return an iterator
        over all of the own ones.
        """
        here = Ahead(made)
        while not all(each.done() for each in self.begun):
            if not here.step() and (after is None or not after.step()):
                break

        self.finish()
        return here

    def finish(self) -> None:
        """Wait for everything that was begun."""
        for each in self.begun:
            each.result()

        self.begun.clear()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for each in self.begun if problem is not None else ():
            each.cancel()

        self.worker.shutdown(wait=True)
        if problem is None:
            self.finish()
