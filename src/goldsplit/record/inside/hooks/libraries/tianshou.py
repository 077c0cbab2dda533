"""Tianshou: collectors, buffers, algorithms, vector environments, the trainer's evaluation and its output."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from goldsplit.model.stage import (
    ACT,
    ENV_RESET,
    EVAL,
    LEARN_LOSS,
    LEARN_RETURNS,
    LOG,
    REPLAY_ADD,
    REPLAY_SAMPLE,
    REPLAY_UPDATE,
    ROLLOUT,
    VEC_COPY,
)
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.core import count_step
from goldsplit.record.inside.hooks.patching import stage_attribute, stage_methods

_BUFFER = {"add": REPLAY_ADD, "sample": REPLAY_SAMPLE, "update_weight": REPLAY_UPDATE}
_ALGORITHM = {
    "_update": LEARN_LOSS,
    "_preprocess_batch": LEARN_RETURNS,
    "compute_episodic_return": LEARN_RETURNS,
    "compute_nstep_return": LEARN_RETURNS,
}
_COLLECTOR = {"collect": ROLLOUT, "_compute_action_policy_hidden": ACT}
_TRAINER = {
    "_test_step": EVAL,
    "_training_step": ROLLOUT,
    "_update_moving_avg_stats_and_log_update_data": LOG,
}
_LOGGER = dict.fromkeys(
    ("write", "log_training_data", "log_test_data", "log_update_data", "log_info_data"), LOG
)
_BUFFERS = ("buffer_base", "manager", "prio", "cached", "her")
_ALGORITHMS = (
    *("a2c", "bdqn", "c51", "ddpg", "discrete_sac", "dqn", "fqf", "iqn", "npg", "ppo"),
    *("qrdqn", "rainbow", "redq", "reinforce", "sac", "td3", "trpo"),
)


def install() -> None:
    """Wait for each module that has something to stage."""
    when_imported("tianshou.env.venvs", _stage_vector_env)
    for name in ("tianshou.trainer", "tianshou.trainer.base"):  # a package before 2.0
        when_imported(name, lambda module: _stage_own_classes(module, _TRAINER))
    when_imported("tianshou.data.collector", lambda module: _stage_own_classes(module, _COLLECTOR))
    for name in _BUFFERS:
        when_imported(f"tianshou.data.buffer.{name}", lambda module: _stage_own_classes(module, _BUFFER))
    for name in ("algorithm_base", *(f"modelfree.{name}" for name in _ALGORITHMS)):
        when_imported(f"tianshou.algorithm.{name}", lambda module: _stage_own_classes(module, _ALGORITHM))
    for name in ("logger_base", "tensorboard", "wandb"):
        when_imported(f"tianshou.utils.logger.{name}", lambda module: _stage_own_classes(module, _LOGGER))


def _stage_vector_env(module: ModuleType) -> None:
    """Tianshou ends its workers with a signal, so only the driver can say how many steps there were."""
    stage_attribute(module.BaseVectorEnv, "step", VEC_COPY, count_step)
    stage_attribute(module.BaseVectorEnv, "reset", ENV_RESET)


def _stage_own_classes(module: ModuleType, stages: dict[str, str]) -> None:
    """The methods of a module's own classes, as far as they are there in this version."""
    owned: list[Any] = [value for value in vars(module).values() if isinstance(value, type)]
    for cls in owned:
        if cls.__module__ == module.__name__:
            stage_methods(cls, stages)
