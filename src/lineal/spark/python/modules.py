"""Imports of a project's own modules, and which files they were."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType


class ProjectModules(MetaPathFinder):
    """Finds modules in the project's folders before all others."""

    def __init__(self, roots: Sequence[str]) -> None:
        self.roots = {str(Path(root).absolute()): root for root in roots}
        self.files: dict[str, str] = {}
        """Each file that was executed, as Python knows it, and as the project calls it."""

    def install(self) -> None:
        """Find the modules of the project first."""
        sys.path[:0] = self.roots
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A file of the project. Everything else, folders without __init__.py among it, is found as
        usual.
        """
        spec = PathFinder.find_spec(fullname, path if path is not None else list(self.roots))
        if spec is None or spec.origin is None or not isinstance(spec.loader, SourceFileLoader):
            return None

        shown = self.project_path(spec.origin)
        if shown is None:
            return None

        self.files[spec.origin] = shown
        loader, below = ByValue(fullname, spec.origin), spec.submodule_search_locations
        return spec_from_file_location(
            fullname, spec.origin, loader=loader, submodule_search_locations=below
        )

    def project_path(self, file: str) -> str | None:
        """The file as the project names it; None for a file outside it."""
        for folder, root in self.roots.items():
            if file.startswith(folder + os.sep):
                return str(Path(root, file[len(folder) + 1 :]))

        return None


class ByValue(SourceFileLoader):
    """Loads a module whose functions travel to Spark's workers with their code: a worker could not
    import them.
    """

    def exec_module(self, module: ModuleType) -> None:
        """Run a module, which workers get by value."""
        pickle_by_value(module)
        self.leave_no_trace(module)
        super().exec_module(module)

    def leave_no_trace(self, module: ModuleType) -> None:
        """A module that is sent to a worker takes its loader along, and a worker does not have this
        one.
        """
        plain = SourceFileLoader(self.name, self.path)
        module.__loader__ = plain
        if module.__spec__ is not None:
            module.__spec__.loader = plain


def pickle_by_value(module: ModuleType) -> None:
    """Send a module to workers by value."""
    from pyspark.cloudpickle import register_pickle_by_value

    register_pickle_by_value(module)  # type: ignore[no-untyped-call, unused-ignore]
