"""pyspark.ml: transformers append columns, estimators are trained, and models are datasets."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, unite_lineages
from lineal.extract.pyspark.columns.trees import column
from lineal.extract.pyspark.dispatch import BUILDERS, invoke
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.changes import with_all
from lineal.extract.pyspark.frames.joins import as_relation
from lineal.extract.pyspark.frames.project import lineage_of
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.ml_stages import (
    DEFAULTS,
    OPTIONAL,
    PLURALS,
    TUNERS,
    Stage,
    stage_named,
)
from lineal.extract.pyspark.relation import Attribute, Relation, fresh, open_star
from lineal.extract.pyspark.run import Run, Write
from lineal.extract.pyspark.session import SESSION, dataset, read_name
from lineal.extract.pyspark.sinks import target_names, write_dataset
from lineal.extract.pyspark.values import (
    Builder,
    ColumnValue,
    Instance,
    Library,
    Native,
    Unknown,
    Value,
    method_of,
    note_of,
)
from lineal.model.diagnostic import Code
from lineal.model.sequences import flatten, only_or_none
from lineal.model.way import Clause, Confidence

ML_MODEL = "ml_model"
SQL_TABLE = "__THIS__"
READERS = ("load", "read")


def call_ml(run: Run, name: str, member: str, call: Invocation) -> Value:
    """VectorAssembler(inputCols=["a"], outputCol="b"), PipelineModel.load(path)"""
    if member == "load":
        return load_model(run, name, call.only(), call.node)

    if member == "read":
        return Builder("ml_reader", {"class": name})

    if name.endswith("Evaluator") or name == "ParamGridBuilder":
        return Unknown(f"{name}()", "only the data knows")

    return Builder("ml", {"class": name, "params": dict(call.keywords), "learnt": None})


def call_stage(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """stage.setInputCol("a"), stage.fit(df), stage.transform(df), model.save(path)"""
    params = held.parts["params"]
    given = call.only()
    if name.startswith("set") and len(name) > 3:
        more = dict(call.keywords) if name == "setParams" else {name[3].lower() + name[4:]: given}
        run.touch(params)
        params.update(more)
        return held

    if name.startswith("get") and len(name) > 3:
        found = name[3].lower() + name[4:]
        return params.get(found, Unknown(found, "a parameter that is not set"))

    if name in ("fit", "transform"):
        return apply_stage(run, held, name, call.argument(0, "dataset"), call.node)

    if name in ("write", "overwrite"):
        return held

    if name == "copy":
        return held

    if name == "save":
        save_model(run, held, given, call.node)
        return None

    return Unknown(f"{name}()", "only the data knows")


def attribute_of_stage(held: Builder, name: str) -> Value | None:
    """crossValidatorModel.bestModel, pipelineModel.stages"""
    if name == "bestModel":
        return held

    if name == "stages" and isinstance(held.parts["params"].get("stages"), list):
        return held.parts["params"]["stages"]

    return None


def apply_stage(run: Run, held: Value, name: str, given: Value, node: ast.AST) -> Value:
    """stage.fit(df), stage.transform(df)"""
    relation = as_relation(run, given, node)
    if relation is None:
        return Unknown(f"{name}()", "of a DataFrame that is not known")

    if name == "transform":
        return transform(run, held, relation, node)

    model, _ = fit(run, held, relation, node)
    return model


# -- fit -------------------------------------------------------------------------------------------


def fit(run: Run, held: Value, relation: Relation, node: ast.AST) -> tuple[Value, Relation]:
    """Return the model that a stage becomes, and the training data as the model transforms it."""
    if isinstance(held, Instance):
        made = method_of(held, "_fit")
        model = (
            invoke(run, made, Invocation([held, relation], {}, node)) if made is not None else held
        )
        return model, transform(run, model, relation, node)

    if not isinstance(held, Builder):
        return held, transform(run, held, relation, node)

    name, params = held.parts["class"], held.parts["params"]
    if name in TUNERS:
        return fit(run, params.get("estimator"), relation, node)

    if name == "Pipeline":
        return fit_all(run, held, relation, node)

    stage = stage_named(name)
    learnt: Lineage | None = None
    if stage is not None and stage.learns:
        learnt = learn(run, held, stage, relation, node)

    parts = {**held.parts, "learnt": learnt, "trained": relation}
    model = Builder("ml", parts)
    return model, transform(run, model, relation, node)


def fit_all(run: Run, held: Builder, relation: Relation, node: ast.AST) -> tuple[Value, Relation]:
    """Pipeline(stages=[…]).fit(df)      each stage is fitted to what those before it give"""
    stages = stages_of(run, held, node)
    models = []
    here = relation
    for stage in stages:
        model, here = fit(run, stage, here, node)
        models.append(model)

    parts = {"class": "PipelineModel", "params": {"stages": models}, "learnt": {}}
    return Builder("ml", {**parts, "trained": relation}), here


def stages_of(run: Run, held: Builder, node: ast.AST) -> list[Value]:
    """Return the stages of a pipeline; those that only a run knows are reported."""
    stages = held.parts["params"].get("stages")
    if isinstance(stages, (list, tuple)):
        return list(stages)

    run.dynamic(note_of("the stages of a pipeline", stages), node)
    return [Unknown("stages", "the stages of a pipeline")]


def learn(run: Run, held: Builder, stage: Stage, relation: Relation, node: ast.AST) -> Lineage:
    """Return what a model learns from: its inputs and labels, over all rows."""
    if held.parts["class"] == "RFormula":
        names = flatten(formula_of(held, relation).values())
    else:
        names = flatten(
            names_of(run, held, parameter, node) for parameter in (*stage.inputs, *stage.trained_on)
        )

    tree = exp.AnonymousAggFunc(this="fit", expressions=trees_of(run, names, node))
    return lineage_over(run, relation, tree)


def lineage_over(run: Run, relation: Relation, tree: Any) -> Lineage:
    """Return the lineage of an expression over a DataFrame."""
    evaluation = run.evaluation()
    found = lineage_of(tree, FrameScope(relation, evaluation, Clause.SELECT))
    run.take_diagnostics(evaluation.diagnostics)
    return dict(found)


# -- transform -------------------------------------------------------------------------------------


def transform(run: Run, held: Value, relation: Relation, node: ast.AST) -> Relation:
    """Return a DataFrame with the columns that a transformer or model appends."""
    if isinstance(held, Instance):
        made = method_of(held, "_transform")
        found = (
            invoke(run, made, Invocation([held, relation], {}, node)) if made is not None else None
        )
        if isinstance(found, Relation):
            return found

        return unknown_output(run, relation, held, node)

    if not isinstance(held, Builder):
        return unknown_output(run, relation, held, node)

    name, params = held.parts["class"], held.parts["params"]
    if held.parts.get("loaded") is not None:
        return transform_by_loaded(run, held, relation, node)

    if name in ("PipelineModel", "Pipeline"):
        here = relation
        for stage in stages_of(run, held, node):
            here = transform(run, stage, here, node)

        return here

    if name == "SQLTransformer":
        return transform_by_sql(run, params.get("statement"), relation, node)

    if name == "RFormula":
        return transform_by_formula(run, held, relation, node)

    stage = stage_named(name) or guessed_stage(params)
    if stage is None:
        run.report(Code.UNSUPPORTED_CONSTRUCT, f"pyspark.ml's {name} is not traced", node)
        return Relation([*relation.attributes, open_star()], dict(relation.rows), (relation,))

    return append_outputs(run, held, stage, relation, node)


def guessed_stage(params: dict[str, Value]) -> Stage | None:
    """A class that is not in the table, and whose parameters say what it reads and appends."""
    outputs = [each for each in ("outputCol", "outputCols", "predictionCol") if each in params]
    if not outputs:
        return None

    return Stage(("inputCol",), tuple((each.removesuffix("s"), "") for each in outputs))


def append_outputs(
    run: Run, held: Builder, stage: Stage, relation: Relation, node: ast.AST
) -> Relation:
    """Append each output column: of its own input where they are paired, else of all inputs."""
    inputs = flatten(names_of(run, held, each, node) for each in stage.inputs)
    learnt = held.parts.get("learnt") or {}
    for parameter, default in stage.outputs:
        outputs = names_of(run, held, parameter, node, default)
        paired = len(outputs) > 1 and len(outputs) == len(inputs)
        for position, output in enumerate(outputs):
            read = [inputs[position]] if paired else inputs
            relation = append(
                run, relation, output, read, learnt_by(held, read, learnt, paired), node
            )

    return relation


def learnt_by(held: Builder, read: Sequence[Value], learnt: Lineage, paired: bool) -> Lineage:
    """StringIndexer(inputCols=["a", "b"], …)      a column learns from its own input only"""
    trained = held.parts.get("trained")
    if not paired or trained is None:
        return learnt

    own = flatten(trained.by_key.get(str(name).lower(), ()) for name in read)
    origins = {origin for each in own for origin, _ in each.slot.lineage}
    return {key: trail for key, trail in learnt.items() if key[0] in origins}


def append(
    run: Run,
    relation: Relation,
    name: Value,
    inputs: Sequence[Value],
    learnt: Lineage,
    node: ast.AST,
) -> Relation:
    """Return a DataFrame with one column more, made of others and of what a model has learnt."""
    tree = exp.Anonymous(this="transform", expressions=trees_of(run, inputs, node))
    found = with_all(run, relation, {0: (name, ColumnValue(tree))}, node)
    if not learnt or not isinstance(name, str):
        return found

    key = name.lower()
    attributes = [
        with_learnt(each, learnt) if each.key == key else each for each in found.attributes
    ]
    return found.derive(attributes)


def with_learnt(attribute: Attribute, learnt: Lineage) -> Attribute:
    """Return a column that comes from what a model has learnt, too."""
    slot = attribute.slot
    lineage = unite_lineages((slot.lineage, learnt))
    return attribute._replace(slot=Slot(slot.name, slot.key, lineage))


def trees_of(run: Run, names: Sequence[Value], node: ast.AST) -> list[Any]:
    """Return the columns of these names."""
    return [column(run, name, node) for name in names]


def names_of(
    run: Run, held: Builder, parameter: str, node: ast.AST, default: str = ""
) -> list[Value]:
    """Return the columns that a parameter names; what only a run knows is reported."""
    params = held.parts["params"]
    several = params.get(PLURALS.get(parameter, ""))
    if isinstance(several, (list, tuple)):
        return list(several)

    if several is not None:
        run.dynamic(note_of("columns", several), node)
        return []

    given = params.get(parameter)
    if given is not None:
        return [given]

    if parameter in OPTIONAL:
        return []

    name = default or DEFAULTS.get(parameter, "")
    if name:
        return [name]

    return []


def unknown_output(run: Run, relation: Relation, held: Value, node: ast.AST) -> Relation:
    """A stage that only a run knows may append any column."""
    run.dynamic(note_of("a stage", held), node)
    return Relation([*relation.attributes, open_star()], dict(relation.rows), (relation,))


def transform_by_sql(run: Run, statement: Value, relation: Relation, node: ast.AST) -> Relation:
    """SQLTransformer(statement="SELECT a + b AS c FROM __THIS__")"""
    if not isinstance(statement, str):
        return unknown_output(run, relation, statement, node)

    text = statement.replace(SQL_TABLE, "lineal_this")
    found = SESSION["sql"](run, Invocation([text], {"lineal_this": relation}, node))
    if isinstance(found, Relation):
        return found

    return relation


WORDS = re.compile(r"[A-Za-z_.][\w.]*")


def formula_of(held: Builder, relation: Relation) -> dict[str, list[str]]:
    """RFormula(formula="y ~ a + b:c")      Return its label and its features."""
    text = str(held.parts["params"].get("formula", ""))
    label, _, features = text.partition("~")
    names = list(dict.fromkeys(WORDS.findall(features)))
    if "." in names:
        names = [name for name in relation.names if name.lower() != label.strip().lower()]

    return {"featuresCol": names, "labelCol": WORDS.findall(label)}


def transform_by_formula(run: Run, held: Builder, relation: Relation, node: ast.AST) -> Relation:
    """Append the features and the label of a formula."""
    here = relation
    seen = held.parts.get("trained") or relation  # `.` is what `fit` has seen
    for parameter, names in formula_of(held, seen).items():
        output = names_of(run, held, parameter, node)[0]
        tree = exp.AnonymousAggFunc(this="fit", expressions=trees_of(run, names, node))
        is_fitted = held.parts.get("learnt") is not None and parameter == "featuresCol"
        learnt = lineage_over(run, held.parts["trained"], tree) if is_fitted else {}
        here = append(run, here, output, names, learnt, node)

    return here


# -- models as datasets ----------------------------------------------------------------------------


def save_model(run: Run, held: Builder, path: Value, node: ast.AST) -> None:
    """model.save(path)      a dataset of kind ml_model: what it appends, of what it was trained on"""
    trained = held.parts.get("trained")
    if trained is None:
        return

    attributes = model_columns(run, held, trained, node)
    relation = Relation(attributes, dict(trained.rows), (trained,))
    for name in target_names(run, path, node, True):
        run.models.setdefault(name, held)
        if run.models[name] is not held:
            run.models[name] = None

        write_dataset(run, Write(name, relation, node, run.reading, ML_MODEL))


def model_columns(run: Run, held: Builder, trained: Relation, node: ast.AST) -> list[Attribute]:
    """Return the columns of a model: those that its stages append."""
    here = transform(run, held, trained, node)
    known = {each.id for each in trained.attributes}
    learnt = learnt_outputs(run, held, node)
    found = []
    for each in here.attributes:
        if each.id not in known and each.slot.star is None:
            lineage = learnt.get(each.key, each.slot.lineage)
            found.append(fresh(Slot(each.slot.name, each.key, lineage)))

    return found


def learnt_outputs(run: Run, held: Value, node: ast.AST) -> dict[str, Lineage]:
    """Return what the predictors of a model have learnt, by the columns that they append."""
    if not isinstance(held, Builder):
        return {}

    if held.parts["class"] == "PipelineModel":
        found: dict[str, Lineage] = {}
        for stage in held.parts["params"].get("stages", ()):
            found.update(learnt_outputs(run, stage, node))

        return found

    name = held.parts["class"]
    stage = stage_named(name)
    learnt = held.parts.get("learnt")
    if stage is None or not stage.learns or not learnt or not stage.outputs[0][1]:
        return {}

    if name == "RFormula":  # it appends its inputs, in another form: it predicts nothing
        return {}

    names = flatten(names_of(run, held, each, node, default) for each, default in stage.outputs)
    return {str(name).lower(): learnt for name in names}


def load_model(run: Run, name: str, path: Value, node: ast.AST) -> Value:
    """PipelineModel.load(path)"""

    paths: list[str] = []

    def read(run: Run, spelled: str, node: ast.AST) -> Relation:
        """Return the dataset that a model was saved to."""
        shown = run.program.path_of(spelled)
        paths.append(shown)
        return dataset(run, shown, shown, node)

    loaded = read_name(run, path, node, read)
    parts = {"class": name, "params": {}, "learnt": None, "loaded": loaded, "paths": paths}
    return Builder("ml", parts)


def transform_by_loaded(run: Run, held: Builder, relation: Relation, node: ast.AST) -> Relation:
    """PipelineModel.load(path).transform(df)

    The columns that it appends come from the model; which of df's columns it reads is not known.
    """
    model: Relation = held.parts["loaded"]
    name = held.parts["class"]
    saved = only_or_none([run.models.get(path) for path in held.parts["paths"]])
    if isinstance(saved, Builder):
        return transform_by_saved(run, saved, model, relation, node)

    stage = stage_named(name) if name != "PipelineModel" else None
    inputs: list[Value] = []
    outputs = [each.slot.name for each in model.attributes if each.slot.star is None]
    if stage is not None:
        inputs = flatten(names_of(run, held, key, node) for key in stage.inputs)
        outputs = outputs or [
            str(each)
            for key, default in stage.outputs
            for each in names_of(run, held, key, node, default)
        ]
    else:
        run.dynamic("a model that was saved elsewhere: which columns it reads", node)

    if not outputs:
        outputs = ["prediction"]

    here = relation
    for output in outputs:
        tree = exp.Anonymous(this="transform", expressions=trees_of(run, [output], node))
        here = append(run, here, output, inputs, lineage_over(run, model, tree), node)

    parents = (*here.parents, model)
    return Relation(here.attributes, dict(here.rows), parents, here.evaluation)


def transform_by_saved(
    run: Run, saved: Builder, model: Relation, relation: Relation, node: ast.AST
) -> Relation:
    """model.save(path); PipelineModel.load(path).transform(df)

    The program saves the model itself, so its stages are known; what they have learnt comes from
    the model.
    """
    known = {each.id for each in relation.attributes}
    here = transform(run, forget(saved), relation, node)
    attributes = []
    for each in here.attributes:
        if each.id in known or each.slot.star is not None:
            attributes.append(each)
            continue

        tree = exp.Anonymous(this="transform", expressions=trees_of(run, [each.slot.name], node))
        attributes.append(with_learnt(each, lineage_over(run, model, tree)))

    parents = (*here.parents, model)
    return Relation(attributes, dict(here.rows), parents, here.evaluation)


def forget(held: Value) -> Value:
    """Return a model without what it has learnt."""
    if not isinstance(held, Builder):
        return held

    params = dict(held.parts["params"])
    if isinstance(params.get("stages"), (list, tuple)):
        params["stages"] = [forget(each) for each in params["stages"]]

    return Builder("ml", {**held.parts, "params": params, "learnt": None})


def call_reader(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """LogisticRegressionModel.read().load(path)"""
    if name == "load":
        return load_model(run, held.parts["class"], call.only(), call.node)

    return held


def log_model(run: Run, call: Invocation) -> Value:
    """mlflow.spark.log_model(model, "churn", registered_model_name="prod.churn")"""
    model = call.argument(0, "spark_model")
    path = call.argument(1, "artifact_path", call.keywords.get("name"))
    name = call.keywords.get("registered_model_name", path)
    if isinstance(model, Builder) and model.kind == "ml":
        save_model(run, model, name, call.node)

    return Unknown("log_model()", "a model that is logged")


def load_logged(run: Run, call: Invocation) -> Value:
    """mlflow.spark.load_model("models:/prod.churn/3")"""
    path = call.argument(0, "model_uri")
    found = LOGGED.match(path) if isinstance(path, str) else None
    return load_model(run, "PipelineModel", found[1] if found is not None else path, call.node)


LOGGED = re.compile(r"^models:/+([^/@]+)(?:[/@].*)?$")
"""models:/churn/3, models:/churn@champion      the name of a registered model"""


def is_stage(held: Value) -> bool:
    """Return whether a value is a stage of pyspark.ml, or an object of the program that may be one."""
    return isinstance(held, Instance) and any(
        isinstance(base, Library) and base.name.startswith("pyspark.ml")
        for made in held.home.order
        for base in made.bases
    )


PARAMETER = re.compile(r"^(?:get|set)([A-Z]\w*)$")


def parameter_method(held: Instance, name: str) -> Value | None:
    """self._set(inputCol="a"), self.getInputCol(), self.setOutputCol("b")

    Return a method of a stage that the program defines itself; None for any other attribute.
    """
    found = PARAMETER.match(name)
    if name in ("_set", "_setDefault", "setParams"):
        return Native(name, lambda run, call: set_parameters(run, held, call.keywords, name))

    if name == "getOrDefault":
        return Native(name, lambda run, call: parameter_of(held, param_named(call)))

    if found is None:
        return None

    key = found[1][0].lower() + found[1][1:]
    if name.startswith("get"):
        return Native(name, lambda run, call: parameter_of(held, key))

    return Native(name, lambda run, call: set_parameters(run, held, {key: call.only()}, name))


def parameters_of(held: Instance) -> dict[str, Value]:
    """Return the parameters that were set so far."""
    kept = held.names.get(PARAMETERS)
    if isinstance(kept, dict):
        return kept

    return {}


def set_parameters(run: Run, held: Instance, given: Mapping[str, Value], method: str) -> Value:
    """Keep the values of parameters; a default does not replace a value, None sets nothing."""
    before = parameters_of(held)
    fresh = {key: value for key, value in given.items() if value is not None}
    run.touch(held.names)
    held.names[PARAMETERS] = {**before, **fresh}
    if method == "_setDefault":
        held.names[PARAMETERS] = {**fresh, **before}

    return held


def param_named(call: Invocation) -> Value:
    """self.getOrDefault("factor"), self.getOrDefault(self.factor)      Return the name."""
    if isinstance(call.node, ast.Call) and call.node.args:
        asked = call.node.args[0]
        if isinstance(asked, ast.Attribute):
            return asked.attr

    return call.argument(0, "param")


def parameter_of(held: Instance, name: Value) -> Value:
    """Return the value of a parameter by its name."""
    if not isinstance(name, str):
        return Unknown("parameter", "a parameter that only a run knows", Confidence.LOW)

    missing = Unknown(name, "a parameter that is not set", Confidence.LOW)
    return parameters_of(held).get(name, missing)


PARAMETERS = "__parameters__"
"""Where an object keeps the parameters of its class, among its attributes."""

BUILDERS.update({"ml": call_stage, "ml_reader": call_reader})
