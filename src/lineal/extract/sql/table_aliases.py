"""Names of the members of FROM: their keys, and the columns that an alias lists."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Frame
from lineal.algebra.relation import rename
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.sources import Source
from lineal.model.diagnostic import Code
from lineal.model.edge import Dataset


def table_name(identifier: exp.Expr, evaluation: Evaluation) -> str:
    """The key of a table's name or alias."""
    spelled = identifier.args
    if spelled.get("quoted"):
        return evaluation.fold_table(spelled["this"], True)

    return evaluation.table_keys[spelled["this"]]


def dataset_name(identifier: exp.Expr, evaluation: Evaluation) -> str:
    """The key of a dataset's name, where no CTE has that name."""
    spelled = identifier.args
    if spelled.get("quoted"):
        return evaluation.fold_dataset(spelled["this"], True)

    return evaluation.facts.dataset_keys[spelled["this"]]


def name_in_scope(key: str, evaluation: Evaluation) -> str:
    """Return the name that qualifies the columns of a dataset.

    FROM d.Orders … WHERE d.orders.id = 1      BigQuery: qualifiers may be in any case
    """
    if evaluation.fold_dataset is evaluation.fold_table:
        return key

    return evaluation.fold_table(key, False)


def rename_columns(frame: Frame, alias: exp.TableAlias | None, evaluation: Evaluation) -> Frame:
    """Rename the columns of a frame by an alias.

    AS d(p, q)      the columns get these names
    """
    if alias is None or not alias.args.get("columns"):
        return frame

    columns = alias.args["columns"]
    if frame.complete and len(columns) > len(frame.slots):
        evaluation.report(
            Code.COLUMN_COUNT, f"{len(columns)} column names for {len(frame.slots)} columns", alias
        )

    names = [
        (c.name, evaluation.fold(c.name, getattr(c, "args", {}).get("quoted"))) for c in columns
    ]
    return rename(frame, names)


def alias_key(alias: Any, evaluation: Evaluation, otherwise: str = "") -> str:
    """Return the key of an alias.

    AS x      the key of x; `otherwise`, where no name is given
    """
    name = alias.args.get("this") if alias is not None else None
    if name is None:
        return otherwise

    return evaluation.fold_table(name.name, name.args.get("quoted"))


def alias_frame(
    frame: Frame,
    alias: Any,
    evaluation: Evaluation,
    otherwise: str = "",
    dataset: Dataset | None = None,
) -> Source:
    """Return a frame under an alias.

    (…) AS x(p, q)      a frame as a member of FROM, with the names that follow it
    """
    key = alias_key(alias, evaluation, otherwise)
    return Source(key, key, rename_columns(frame, alias, evaluation), dataset)


def alias_table(
    node: exp.Table,
    key: str,
    full: str,
    frame: Frame,
    dataset: Dataset | None,
    evaluation: Evaluation,
) -> Source:
    """Return a frame under an alias as a source.

    … AS x(p, q)
    """
    alias = node.args.get("alias")
    frame = rename_columns(frame, alias, evaluation)
    if alias is not None and alias.args.get("this") is not None:
        key = full = table_name(alias.args["this"], evaluation)

    return Source(key, full, frame, dataset)
