"""fit, predict, transform: what trains a model, and which columns come from it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.algebra.expression import AGGREGATED, VALUE
from lineal.algebra.frame import Slot, answer
from lineal.algebra.lineage import Lineage, pour, unite_lineages
from lineal.extract.dataframes.pandas.trees import leaf, transforming_call
from lineal.extract.dataframes.pandas.values import DataFrame, Series
from lineal.extract.dataframes.training.data import data_of, frame_of, table_of
from lineal.extract.dataframes.training.estimators import (
    COLUMN_TRANSFORMERS,
    PIPELINES,
    WRAPPED,
    WRAPPERS,
    is_one_to_one,
    is_transformer,
)
from lineal.extract.dataframes.training.values import Data, Estimator, TrainingSet
from lineal.extract.pyspark.file_contents import opened_path
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.project import lineage_of
from lineal.extract.pyspark.invocation import (
    Arguments,
    Invocation,
    Keywords,
    argument_at,
    named_argument,
)
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.ml import ML_MODEL
from lineal.extract.pyspark.relation import Relation, fresh
from lineal.extract.pyspark.run import Run, Write
from lineal.extract.pyspark.session import dataset
from lineal.extract.pyspark.sinks import target_names, write_dataset
from lineal.extract.pyspark.values import Unknown, Value, note_of
from lineal.model.sequences import all_are, flatten, present
from lineal.model.way import Clause

PREDICTION = "prediction"


# -- the parts of an estimator ---------------------------------------------------------------------


def steps_of(held: Estimator) -> list[Value]:
    """Return the steps of a pipeline: Pipeline([("scale", StandardScaler())]), make_pipeline(…)"""
    if held.name.startswith("make_"):
        return list(held.arguments)

    given = held.params.get("steps", held.params.get("transformer_list"))
    listed = items_of(given if given is not None else argument_at(list(held.arguments))) or []
    return [
        each[1] if isinstance(each, (tuple, list)) and len(each) > 1 else each for each in listed
    ]


def inner_of(held: Estimator) -> Value:
    """GridSearchCV(model, grid)      Return the estimator inside a wrapper."""
    given = [held.params[name] for name in WRAPPED if name in held.params]
    return next(iter(given), argument_at(list(held.arguments)))


def branches_of(held: Estimator) -> list[tuple[Value, Value]]:
    """Return the transformers of a ColumnTransformer, each with its columns."""
    if held.name.startswith("make_"):
        listed: Sequence[Value] = held.arguments
    else:
        given = held.params.get("transformers", argument_at(list(held.arguments)))
        listed = items_of(given) or []

    pairs = [each for each in listed if isinstance(each, (tuple, list)) and len(each) >= 2]
    return [(each[-2], each[-1]) for each in pairs]


def keeps_the_rest(held: Estimator) -> bool:
    """ColumnTransformer(…, remainder="passthrough")"""
    return held.params.get("remainder") == "passthrough"


def used_slots(run: Run, held: Value, slots: tuple[Slot, ...], node: ast.AST) -> tuple[Slot, ...]:
    """Return the columns that an estimator uses: those that a ColumnTransformer names, else all."""
    if not isinstance(held, Estimator):
        return slots

    if held.name in WRAPPERS:
        return used_slots(run, inner_of(held), slots, node)

    if held.name in PIPELINES:
        for step in steps_of(held)[:1]:
            return used_slots(run, step, slots, node)

        return slots

    if held.name not in COLUMN_TRANSFORMERS or keeps_the_rest(held):
        return slots

    wanted: list[Slot] = []
    for transformer, columns in branches_of(held):
        if transformer != "drop":
            wanted += columns_named(run, columns, slots, node)

    return unique(wanted)


def unique(slots: Iterable[Slot]) -> tuple[Slot, ...]:
    """Return columns, each once."""
    return tuple({slot.key: slot for slot in slots}.values())


def columns_named(run: Run, columns: Value, slots: tuple[Slot, ...], node: ast.AST) -> list[Slot]:
    """Return the columns that a branch of a ColumnTransformer names, by name or position."""
    if isinstance(columns, str):
        columns = [columns]

    several = items_of(columns)
    if several is None or not all_are(several, (str, int)):
        run.dynamic(note_of("the columns of a transformer", columns), node)
        return list(slots)

    return flatten(slot_named(each, slots) for each in several)


def slot_named(wanted: str | int, slots: tuple[Slot, ...]) -> list[Slot]:
    """Return the column of a name or place; of unknown columns, what they answer."""
    if isinstance(wanted, int):
        return [slots[wanted]] if 0 <= wanted < len(slots) else []

    key = wanted.lower()
    found = [slot for slot in slots if slot.key == key and slot.star is None]
    if found:
        return found[:1]

    stars = [slot for slot in slots if slot.star is not None]
    relation = Relation(list(map(fresh, stars)), {})
    held = relation_column(relation, wanted)
    return [held] if held is not None else []


def relation_column(relation: Relation, name: str) -> Slot | None:
    """Return the column that an open star answers with."""
    for star in relation.stars:
        found = answer(star.slot.star, name, name.lower()) if star.slot.star is not None else None
        if found is not None:
            return found

    return None


# -- fit -------------------------------------------------------------------------------------------


def fit(run: Run, held: Estimator, call: Invocation) -> Value:
    """model.fit(X, y, sample_weight=w)      the model is a dataset, made of features and label"""
    given = features_given(call.arguments, call.keywords)
    features = data_of(run, given, call.node)
    labels = [data_of(run, each, call.node) for each in labels_given(call.arguments, call.keywords)]
    if features is None:
        run.dynamic(note_of("the features of a model", given), call.node)
        return held

    held.state["fitted"] = given
    used = used_slots(run, held, features.slots, call.node)
    learn_columns(run, held, used)
    known = present(labels)
    if len(known) < len(labels):
        run.dynamic("the label of a model, which only a run knows", call.node)

    if predicts(held):
        write_model(run, held, Data(used, features.relation), known, call.node)

    return held


def features_given(arguments: Arguments, keywords: Keywords) -> Value:
    """Return the features that fit is given."""
    held = named_argument(arguments, keywords, 0, "X")
    return held.features if isinstance(held, TrainingSet) else held


def labels_given(arguments: Arguments, keywords: Keywords) -> list[Value]:
    """Return the label and the weights that fit is given."""
    held = named_argument(arguments, keywords, 0, "X")
    if isinstance(held, TrainingSet):
        several = [held.label, held.weight]
    else:
        several = [named_argument(arguments, keywords, 1, "y"), keywords.get("sample_weight")]

    return present(several)


def predicts(held: Estimator) -> bool:
    """Tell whether an estimator learns a model; the last step of a pipeline decides."""
    if held.name in WRAPPERS:
        inner = inner_of(held)
        return not isinstance(inner, Estimator) or predicts(inner)

    if held.name in PIPELINES:
        last = steps_of(held)[-1:]
        return all(isinstance(each, Estimator) and predicts(each) for each in last) and bool(last)

    return held.name not in COLUMN_TRANSFORMERS and not is_transformer(held.name)


def learn_columns(run: Run, held: Estimator, slots: Iterable[Slot]) -> None:
    """Remember what a transformer learns of each column."""
    learnt: dict[str, Lineage] = {}
    for slot in slots:
        lineage: Lineage = {}
        pour(slot.lineage, AGGREGATED, lineage)
        learnt[slot.key] = lineage

    run.touch(held.state)
    held.state["learnt"] = learnt


def write_model(
    run: Run, held: Estimator, features: Data, labels: list[Data], node: ast.AST
) -> None:
    """Write the dataset of a model: its prediction comes from all features and labels."""
    trees = [leaf(run, slot, node) for each in (features, *labels) for slot in each.slots]
    relations = tuple(dict.fromkeys([features.relation, *(each.relation for each in labels)]))
    evaluation = run.evaluation()
    scope = FrameScope(features.relation, evaluation, Clause.SELECT)
    tree = exp.AnonymousAggFunc(this="fit", expressions=trees)
    lineage = dict(lineage_of(tree, scope))
    rows = unite_lineages([each.rows for each in relations])
    made = Relation(
        [fresh(Slot(PREDICTION, PREDICTION, lineage))], dict(rows), relations, evaluation
    )
    run.take_diagnostics(evaluation.diagnostics)
    name = model_name(run, held, node)
    run.touch(held.state)
    held.state["model"] = name
    write_dataset(run, Write(name, made, node, run.reading, ML_MODEL))


def model_name(run: Run, held: Estimator, node: ast.AST) -> str:
    """Return the name of a model: where the file saves it, else train.py::model."""
    variable = assigned_to(run, node) or variable_of(node)
    saved = saved_at(run, variable) if variable else ""
    if saved:
        return run.program.path_of(saved)

    home = run.home.partition("::")[0]
    return f"{home}::{variable or held.name}"


def assigned_to(run: Run, node: Any) -> str:
    """model = LinearRegression().fit(X, y), booster = xgb.train(params, data)      the variable"""
    on_name = isinstance(getattr(getattr(node, "func", None), "value", None), ast.Name)
    is_fit = getattr(getattr(node, "func", None), "attr", "") != "train"
    file = run.program.file_at_hand(run)
    if file is None or (on_name and is_fit):
        return ""

    for each in statements_in(file.tree).assigned:
        if each.value is node:
            target = each.targets[0]
            return str(getattr(target, "id", getattr(target, "attr", "")))

    return ""


class Statements(NamedTuple):
    """The parts of a file that tell where a model is kept."""

    assigned: list[ast.Assign]
    calls: list[ast.Call]
    opened: list[ast.With]


@lru_cache(maxsize=8)
def statements_in(tree: ast.AST) -> Statements:
    """Return the parts of a file that tell where its models are kept; each file is walked once."""
    found = Statements([], [], [])
    homes: dict[type, list[Any]] = {
        ast.Assign: found.assigned, ast.Call: found.calls, ast.With: found.opened
    }  # fmt: skip
    for node in ast.walk(tree):
        home = homes.get(node.__class__)
        if home is not None:
            home.append(node)

    return found


def variable_of(node: ast.AST) -> str:
    """model.fit(X, y), self.model.fit(X, y), cross_val_predict(model, X, y)      model"""
    if not isinstance(node, ast.Call):
        return ""

    called_on: ast.expr | None = getattr(node.func, "value", None)
    if CROSS_PREDICT in (getattr(node.func, "id", ""), getattr(node.func, "attr", "")):
        called_on = node.args[0] if node.args else None

    if isinstance(called_on, ast.Name):
        return called_on.id

    if isinstance(called_on, ast.Attribute):
        return called_on.attr

    return ""


CROSS_PREDICT = "cross_val_predict"
SAVERS = {"dump": 1, "log_model": 1, "save_model": 1}
"""joblib.dump(model, path), mlflow.sklearn.log_model(model, path)"""


def saved_at(run: Run, variable: str) -> str:
    """Return the path that the current file saves a model to, where it is written there."""
    file = run.program.file_at_hand(run)
    if file is None:
        return ""

    statements = statements_in(file.tree)
    given = flatten(saved_to(node, variable) for node in statements.calls)
    names = {each.id for each in given if isinstance(each, ast.Name)}
    given += flatten(files_under(node, names) for node in statements.opened)
    paths = {path for each in given if (path := literal_path(each))}
    return paths.pop() if len(paths) == 1 else ""


def files_under(node: ast.With, names: set[str]) -> list[ast.expr]:
    """with open("churn.pkl", "wb") as file      Return the files that are opened under these names."""
    if not names:
        return []

    return [
        item.context_expr
        for item in node.items
        if isinstance(item.optional_vars, ast.Name) and item.optional_vars.id in names
    ]


def literal_path(node: ast.expr) -> str:
    """ "churn.pkl", open("churn.pkl", "wb")      Return a path that the text says."""
    is_open = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "open"
    if isinstance(node, ast.Call) and is_open and node.args:
        node = node.args[0]

    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def saved_to(node: ast.Call, variable: str) -> list[ast.expr]:
    """joblib.dump(model, "churn.pkl"), model.save_model("churn.json")"""
    if not isinstance(node.func, ast.Attribute):
        return []

    is_own = node.func.attr == "save_model" and variable_of(node) == variable
    named = [each.id for each in node.args[:1] if isinstance(each, ast.Name)]
    if not is_own and (node.func.attr not in SAVERS or named != [variable]):
        return []

    return node.args[0 if is_own else 1 :][:1]


# -- predict and transform -------------------------------------------------------------------------


def predict(run: Run, held: Estimator, call: Invocation) -> Value:
    """model.predict(X)      from the model, and from the columns of X"""
    given = features_given(call.arguments, call.keywords)
    if given is None:
        given = argument_at(list(call.keywords.values()))

    features = data_of(run, given, call.node)
    if features is None:
        run.dynamic(note_of("the features of a model", given), call.node)
        return Unknown("predict()", "of features that only a run knows")

    used = used_slots(run, held, features.slots, call.node)
    trees = [leaf(run, slot, call.node) for slot in used]
    parents: tuple[Relation, ...] = ()
    if held.model:
        model = dataset(run, held.model, held.model, call.node)
        trees.append(leaf(run, model_slot(model), call.node))
        parents = (model,)

    tree = transforming_call("predict", *trees)
    return Series(tree, None, table_of(given, features.relation), parents=parents)


def model_slot(model: Relation) -> Slot:
    """Return the prediction of a model's dataset."""
    held = model.by_key.get(PREDICTION)
    if held:
        return held[0].slot

    found = relation_column(model, PREDICTION)
    return found if found is not None else Slot(PREDICTION, PREDICTION, {})


def transform(run: Run, held: Estimator, call: Invocation) -> Value:
    """scaler.transform(X)      each column from its own, or all from all"""
    given = features_given(call.arguments, call.keywords)
    features = data_of(run, given, call.node)
    if features is None:
        run.dynamic(note_of("columns", given), call.node)
        return Unknown("transform()", "of columns that only a run knows")

    slots = transform_columns(run, held, features.slots, held.learnt, call.node)
    if isinstance(given, Series) and len(slots) == 1:
        return given.with_tree(transforming_call("transform", leaf(run, slots[0], call.node)))

    return frame_of(run, given, slots, features.relation)


def transform_columns(
    run: Run, held: Value, slots: tuple[Slot, ...], learnt: dict[str, Lineage], node: ast.AST
) -> tuple[Slot, ...]:
    """Return the columns that an estimator makes of columns."""
    if not isinstance(held, Estimator):
        return slots

    if held.name in PIPELINES and held.name not in ("FeatureUnion", "make_union"):
        for step in steps_of(held):
            slots = transform_columns(run, step, slots, learnt, node)

        return slots

    if held.name in COLUMN_TRANSFORMERS:
        return transformed_branches(run, held, slots, learnt, node)

    if is_one_to_one(held.name):
        return tuple(transform_slot(slot, learnt) for slot in slots)

    whole = unite_lineages([transform_slot(slot, learnt).lineage for slot in slots])
    return (Slot("component", "component", whole),)


def transformed_branches(
    run: Run, held: Estimator, slots: tuple[Slot, ...], learnt: dict[str, Lineage], node: ast.AST
) -> tuple[Slot, ...]:
    """ColumnTransformer([("num", StandardScaler(), ["a"])])      each branch over its columns"""
    found: list[Slot] = []
    named: set[str] = set()
    for transformer, columns in branches_of(held):
        own = columns_named(run, columns, slots, node)
        named.update(slot.key for slot in own)
        if transformer != "drop":
            found += transform_columns(run, transformer, tuple(own), learnt, node)

    if keeps_the_rest(held):
        found += [slot for slot in slots if slot.key not in named]

    return tuple(found)


def transform_slot(slot: Slot, learnt: dict[str, Lineage]) -> Slot:
    """Return a column that was transformed, with its share of the training data."""
    lineage: Lineage = {}
    pour(slot.lineage, VALUE, lineage)
    own = learnt.get(slot.key, {})
    return Slot(slot.name, slot.key, unite_lineages([lineage, own]), slot.star)


def fit_transform(run: Run, held: Estimator, call: Invocation) -> Value:
    """scaler.fit_transform(X)"""
    fit(run, held, call)
    return transform(run, held, call.with_arguments(call.arguments[:1]))


def fit_predict(run: Run, held: Estimator, call: Invocation) -> Value:
    """KMeans(3).fit_predict(X)"""
    fit(run, held, call)
    return predict(run, held, call.with_arguments(call.arguments[:1]))


def inverse_transform(run: Run, held: Estimator, call: Invocation) -> Value:
    """encoder.inverse_transform(codes)      from the codes, and from what the encoder has learnt"""
    given = call.only()
    if not isinstance(given, Series):
        return transform(run, held, call.with_arguments([given], {}))

    learnt = Slot("learnt", "learnt", unite_lineages(list(held.learnt.values())))
    return given.with_tree(
        transforming_call("inverse_transform", given.tree, leaf(run, learnt, call.node))
    )


def cross_predict(run: Run, call: Invocation) -> Value:
    """cross_val_predict(model, X, y, cv=5)      predictions of models that saw the other rows"""
    held = call.argument(0, "estimator")
    if not isinstance(held, Estimator):
        run.dynamic(note_of("a model", held), call.node)
        return Unknown("cross_val_predict()", "of a model that only a run knows")

    return fit_predict(run, held, call.with_arguments(call.arguments[1:]))


# -- models that are written and read ---------------------------------------------------------------


def save(run: Run, held: Estimator, path: Value, node: ast.AST) -> None:
    """joblib.dump(model, path)      another dataset, where the model has a name of its own"""
    if not held.model:
        return

    model = dataset(run, held.model, held.model, node)
    for name in target_names(run, opened_path(path), node, True):
        if name != held.model:
            made = Relation([fresh(model_slot(model))], {}, (model,))
            write_dataset(run, Write(name, made, node, run.reading, ML_MODEL))


def load(run: Run, path: Value, node: ast.AST) -> Value:
    """joblib.load("churn.pkl")"""
    names = target_names(run, opened_path(path), node, True)
    return Estimator("loaded", state={"model": names[0]})


def copy_of(held: Value) -> Value:
    """Return a frame that holds some of the rows of another one."""
    if isinstance(held, DataFrame):
        return DataFrame(held.table)

    return held
