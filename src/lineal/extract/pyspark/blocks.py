"""Blocks of statements: run one after the other, or side by side where only a run knows which."""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import Enum
from typing import Any

from lineal.extract.pyspark.branches import join_states
from lineal.extract.pyspark.run import Environment, Run, restore


class Flow(Enum):
    """How a block ended."""

    ON = "goes on"
    RETURN = "returned"
    BREAK = "left a loop"
    CONTINUE = "next round"
    RAISE = "raised"


class Returns(list[Any]):
    """The values that a function has returned so far, on any branch."""


STATEMENTS: dict[type, Callable[[Run, Any, Environment, Returns], Flow | None]] = {}
"""The handler of a statement, by the class of its node; `statements.py` fills it."""


def run_block(run: Run, nodes: list[ast.stmt], env: Environment, returns: Returns) -> Flow:
    """Run statements one after the other; one that fails costs only itself."""
    for node in nodes:
        handler = STATEMENTS.get(node.__class__)
        if handler is None:
            continue

        run.step()
        journals, depth, reading, frames = (
            len(run.journals),
            run.depth,
            run.reading,
            len(run.frames),
        )

        try:
            flow = handler(run, node, env, returns)
        except RecursionError:
            raise
        except Exception as error:
            run.fail(error, node)
            run.depth, run.reading = depth, reading
            del run.frames[frames:]

            while len(run.journals) > journals:
                run.keep()

            continue

        if flow is not None and flow is not Flow.ON:
            return flow

    return Flow.ON


def run_branches(run: Run, branches: list[Callable[[], Flow]]) -> Flow:
    """Only a run knows which: each is followed from the same state, and those that go on are
    merged.
    """
    states, flows = [], []
    for branch in branches:
        run.begin()
        flow = branch()
        after = run.undo()
        flows.append(flow)
        if flow is Flow.ON:
            states.append(after)

    if not states:
        looping = [flow for flow in flows if flow in (Flow.BREAK, Flow.CONTINUE)]
        if looping:
            return looping[0]

        if Flow.RETURN in flows:
            return Flow.RETURN

        return Flow.RAISE

    run.parted = run.parted or len(states) < len(flows)
    if len(states) == 1:
        run.begin()
        for container, state in states[0].values():
            run.touch(container)
            restore(container, state)

        run.keep()
        return Flow.ON

    total = states[0]
    for other in states[1:]:
        join_states(run, total, other)

    return Flow.ON
