"""Python nodes: nodes/<name>/<name>.py, a PySpark model or job, with the modules of the project
that it imports.

A model may import modules from its own folder, from the folders of nodes, from those that
`modules:` names in the project file, and from the project folder, in this order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lineal.extract.pyspark.forms import Form, Kind, form_of
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Dataset, Read
from lineal.model.extraction import DatasetInfo, Extraction
from lineal.model.ledger import Columns, Coverage
from lineal.model.plain import as_mapping
from lineal.model.script import DbtContext, Script, Step
from lineal.model.way import Clause
from lineal.projects.imports import with_imports
from lineal.projects.nodes import Node
from lineal.projects.steps import MATERIALIZED_KEYS
from lineal.projects.text import Report, read_text

SETTINGS = ("unique_key", "timeout", "meta", "tags")
"""The settings that a Python node may have in addition to its `config:`, and a model asks for by dbt.config.get."""


@dataclass(frozen=True)
class PythonNode:
    """A Python node whose text has been read."""

    node: Node
    text: str
    form: Form
    roots: tuple[Path, ...]
    """The folders that its imports start in."""
    depends: tuple[str, ...]
    """depends_on: [stg_orders]"""

    @property
    def traced(self) -> bool:
        """Tell whether the reading of the node follows its DataFrames."""
        return self.form.kind is not Kind.OTHER

    def step(self, step: Step, variables: Mapping[str, Any]) -> Step:
        """Return the step of a run: from the YAML, or more closely from dbt.config(…) in the model."""
        said = as_mapping(self.node.about.part("config").plain())
        own = {
            key: found.plain()
            for key in SETTINGS
            if (found := self.node.about.get(key)) is not None
        }
        settings = {**said, **own, **self.form.config}
        materialized = str(self.form.config.get(MATERIALIZED_KEYS[0]) or step.materialized).lower()
        return replace(
            step,
            texts=(self.text,) if self.traced else (),
            materialized=materialized,
            settings={**settings, MATERIALIZED_KEYS[0]: materialized},
            variables=variables,
            depends=self.depends,
            roots=tuple(map(str, self.roots)),
        )

    def scripts(self, step: Step, report: Report) -> Iterator[Script]:
        """The model, and the modules that it imports."""
        context = DbtContext(step.relations, step.variables, step.settings)
        assert self.node.py is not None, "a node without a file is not traced"
        yield Script(
            self.text,
            "python",
            str(self.node.py),
            target=self.node.name,
            kind="python",
            dbt=context,
        )
        for module in with_imports(self.node.py, list(self.roots))[1:]:
            found = read_text(module, report)
            if found is not None:
                yield Script(found, "python", str(module), kind="module")


def read_python_node(node: Node, folders: Iterable[Path], report: Report) -> PythonNode:
    """The node with its text; one without a file, or with a file that cannot be read, is not
    traced.
    """
    depends = tuple(
        name for value in node.about.items_of("depends_on") if (name := value.as_text(report))
    )
    if node.py is None:
        message = f"the Python node {node.name} has no {node.name}.py next to its YAML"
        report(Diagnostic(Code.MISSING_PYTHON, message, node.about.at("kind")))
        return PythonNode(node, "", Form(Kind.OTHER), (), depends)

    text = read_text(node.py, report)
    if text is None:
        return PythonNode(node, "", Form(Kind.OTHER), (), depends)

    form = form_of(text)
    if form.kind is Kind.OTHER:
        message = f"the Python node {node.name} is neither a PySpark model nor a Spark job: it is not traced"
        report(Diagnostic(Code.NOT_TRACED, message, node.about.at("kind")))

    return PythonNode(node, text, form, tuple(dict.fromkeys([node.py.parent, *folders])), depends)


def lineage_of_yaml(python: PythonNode, info: DatasetInfo) -> Extraction:
    """A node that only its YAML tells about: it reads what it depends on, and its columns are not
    traced.
    """
    place = python.node.about.at("depends_on")
    reads = [
        Read(info.dataset, Dataset(info.dataset.namespace, name), None, Clause.FROM, place)
        for name in python.depends
    ]
    coverage = Coverage(columns=Columns(len(info.columns) or 1))
    coverage.columns.lose("resolved", Code.NOT_TRACED.code, coverage.columns.named)
    return Extraction(reads=reads, datasets={info.dataset: info}, coverage=coverage)
