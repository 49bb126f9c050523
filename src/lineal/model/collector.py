"""The cycle collector, and how to keep it from objects that are built in one go."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Syntax trees and edges are many, and all of them live: the collector would go through them in
    vain.

    Freezing and unfreezing makes what was built old at once, so that the first collection
    afterwards leaves it alone; but what others have frozen has to stay so.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not _others_freeze():
                gc.freeze()
                gc.unfreeze()

            gc.enable()


_frozen = False


def _others_freeze() -> bool:
    """Whether others freeze objects. Asked only until they do, since counting frozen objects visits
    all of them.
    """
    global _frozen
    _frozen = _frozen or gc.get_freeze_count() > 0
    return _frozen
