"""Mistakes of a plan that the first trial would show, or only the last: found before any trial is made."""

from __future__ import annotations

import difflib

from goldsplit.errors import CommandError, ConfigError
from goldsplit.experiment.metrics import SECONDS_TO_TARGET, STAGE, metric_of
from goldsplit.experiment.variants import Prepared
from goldsplit.model.experiment.design import Plan
from goldsplit.model.experiment.trial import Trial
from goldsplit.model.overlays.written import parse_overlays
from goldsplit.model.stage import VOCABULARY, is_own_function

#: A stage that nobody knows, and that is so like a known one, is a spelling mistake.
_LIKE = 0.85


def check_plan(plan: Plan) -> None:
    """Whether there is such a metric, and are such overlays."""
    metric_of(plan, plan.metric)
    check_overlays(plan)
    if plan.metric == SECONDS_TO_TARGET:
        _check_target(plan)
    elif plan.metric.startswith(STAGE):
        _check_stage(plan)


def check_overlays(plan: Plan) -> None:
    """Every overlay of every variant, with seed and settings in their places."""
    for variant in plan.variants:
        try:
            parse_overlays(Prepared(variant, plan.command, {}).overlays_for(plan.seed))
        except ConfigError as error:
            raise ConfigError(f"variant {variant.name}: {error.message}", error.hint) from error


def _check_target(plan: Plan) -> None:
    if plan.target_reward is None:
        raise ConfigError(
            f"{SECONDS_TO_TARGET} without a target: which reward is to be reached?",
            "write target_reward = 200 in the plan (PLAN.toml)",
        )
    if not plan.metrics:
        raise ConfigError(
            f"{SECONDS_TO_TARGET} needs the rewards of a training", "say where they are: [metrics.reward]"
        )


def _check_stage(plan: Plan) -> None:
    name = plan.metric.removeprefix(STAGE)
    known = {stage.name for stage in VOCABULARY} | set(plan.stages.values())
    if name in known or is_own_function(name):
        return
    close = difflib.get_close_matches(name, sorted(known), n=1, cutoff=_LIKE)
    if close or not name:
        hint = f"did you mean {STAGE}{close[0]}?" if close else "`goldsplit stages` lists them"
        raise ConfigError(f"there is no stage {name!r}", hint)


def check_first(plan: Plan, trial: Trial) -> None:
    """Whether the first trial of the unchanged program has the stage that is compared: later ones would miss
    it as well."""
    if not (trial.complete and plan.metric.startswith(STAGE)) or plan.metric in trial.figures:
        return
    stages = sorted(name for name in trial.figures if name.startswith(STAGE))
    raise CommandError(
        f"the program has no time in {plan.metric}",
        "it has " + ", ".join(stages) if stages else "no stage was recorded: see `goldsplit doctor`",
    )
