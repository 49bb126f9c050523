"""What a database does by itself goes on in the background, while the next rows are written down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from types import TracebackType
from typing import Any, TypeVar

Some = TypeVar("Some")


class Later:
    """One thing after the other, in the order of the calls; what goes wrong is raised at the end."""

    def __enter__(self) -> Later:
        self.worker = ThreadPoolExecutor(max_workers=1)
        self.begun: list[Future[Any]] = []
        return self

    def __call__(self, action: Callable[..., Any], *arguments: Any) -> None:
        self.begun.append(self.worker.submit(action, *arguments))

    def meanwhile(self, made: Iterable[Some]) -> Iterator[Some]:
        """What can be made until all is done, and then the others, one by one."""
        coming = iter(made)
        ready: list[Some] = []
        while not all(each.done() for each in self.begun):
            following = next(coming, None)
            if following is None:
                break
            ready.append(following)
        self.finish()
        return chain(ready, coming)

    def finish(self) -> None:
        for each in self.begun:
            each.result()
        self.begun.clear()

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in self.begun if problem is not None else ():
            each.cancel()
        self.worker.shutdown(wait=True)
        if problem is None:
            self.finish()
