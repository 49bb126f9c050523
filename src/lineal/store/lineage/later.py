"""What a database does by itself goes on in the background, while the next rows are written down."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any


class Later:
    """One thing after the other, in the order of the calls; what goes wrong is raised at the end."""

    def __enter__(self) -> Later:
        self.worker = ThreadPoolExecutor(max_workers=1)
        self.begun: list[Future[Any]] = []
        return self

    def __call__(self, action: Callable[..., Any], *arguments: Any) -> None:
        self.begun.append(self.worker.submit(action, *arguments))

    def finish(self) -> None:
        for each in self.begun:
            each.result()
        self.begun.clear()

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in self.begun:
            each.cancel()
        self.worker.shutdown(wait=True)
        if problem is None:
            self.finish()
