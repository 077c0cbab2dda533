"""Stable-Baselines3 and sb3-contrib: rollouts, policies, buffers, updates, vector environments, output."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from goldsplit.model.stage import (
    ACT,
    ACT_VALUE,
    CHECKPOINT,
    ENV_MASK,
    ENV_RESET,
    EVAL,
    LEARN_FORWARD,
    LEARN_LOSS,
    LEARN_RETURNS,
    LOG,
    REPLAY_ADD,
    REPLAY_SAMPLE,
    ROLLOUT,
    VEC_COPY,
    VEC_RECV,
    VEC_SEND,
)
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.core import count_step
from goldsplit.record.inside.hooks.patching import stage_attribute, stage_methods

_COMMON = "stable_baselines3.common."


def install() -> None:
    """Wait for each module that has something to stage."""
    when_imported(_COMMON + "base_class", _stage_base)
    when_imported(_COMMON + "on_policy_algorithm", _stage_on_policy)
    when_imported(_COMMON + "off_policy_algorithm", _stage_off_policy)
    when_imported(_COMMON + "buffers", _stage_buffers)
    when_imported(_COMMON + "policies", _stage_policies)
    when_imported(_COMMON + "logger", _stage_logger)
    when_imported(_COMMON + "evaluation", _stage_evaluation)
    when_imported(_COMMON + "callbacks", _stage_callbacks)
    when_imported(_COMMON + "vec_env.base_vec_env", _stage_vec_env)
    when_imported(_COMMON + "vec_env.dummy_vec_env", _stage_dummy)
    when_imported(_COMMON + "vec_env.subproc_vec_env", _stage_subproc)
    for name in ("a2c.a2c", "ppo.ppo", "dqn.dqn", "sac.sac", "td3.td3"):
        when_imported("stable_baselines3." + name, _stage_train)
    for name in ("ppo_mask.ppo_mask", "ppo_recurrent.ppo_recurrent", "qrdqn.qrdqn", "trpo.trpo", "tqc.tqc"):
        when_imported("sb3_contrib." + name, _stage_train)
    when_imported("sb3_contrib.common.maskable.buffers", _stage_buffers)
    when_imported("sb3_contrib.common.recurrent.buffers", _stage_buffers)
    when_imported("sb3_contrib.common.maskable.policies", _stage_policies)
    when_imported("sb3_contrib.common.maskable.evaluation", _stage_evaluation)
    when_imported("sb3_contrib.common.maskable.callbacks", _stage_callbacks)
    when_imported("sb3_contrib.common.maskable.utils", _stage_masks)


def _own_classes(module: ModuleType) -> list[Any]:
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__
    ]


def _stage_base(module: ModuleType) -> None:
    stage_methods(module.BaseAlgorithm, {"save": CHECKPOINT})


def _stage_on_policy(module: ModuleType) -> None:
    stage_methods(
        module.OnPolicyAlgorithm, {"collect_rollouts": ROLLOUT, "dump_logs": LOG, "_dump_logs": LOG}
    )


def _stage_off_policy(module: ModuleType) -> None:
    stage_methods(
        module.OffPolicyAlgorithm,
        {
            "collect_rollouts": ROLLOUT,
            "_sample_action": ACT,
            "_store_transition": REPLAY_ADD,
            "dump_logs": LOG,
            "_dump_logs": LOG,
        },
    )


def _stage_train(module: ModuleType) -> None:
    """The update's own code around its forward, backward and optimizer spans is loss and bookkeeping."""
    for cls in _own_classes(module):
        stage_methods(cls, {"train": LEARN_LOSS, "collect_rollouts": ROLLOUT, "_sample_action": ACT})


def _stage_buffers(module: ModuleType) -> None:
    for cls in _own_classes(module):
        stage_methods(
            cls,
            {
                "add": REPLAY_ADD,
                "sample": REPLAY_SAMPLE,
                "get": REPLAY_SAMPLE,
                "compute_returns_and_advantage": LEARN_RETURNS,
            },
        )


def _stage_policies(module: ModuleType) -> None:
    for cls in _own_classes(module):
        stage_methods(cls, {"predict": ACT, "predict_values": ACT_VALUE, "evaluate_actions": LEARN_FORWARD})


def _stage_logger(module: ModuleType) -> None:
    stage_methods(module.Logger, {"dump": LOG, "record": LOG, "record_mean": LOG})


def _stage_evaluation(module: ModuleType) -> None:
    stage_methods(module, {"evaluate_policy": EVAL})


def _stage_callbacks(module: ModuleType) -> None:
    """The callbacks import `evaluate_policy` by name, so that name is staged here too."""
    if hasattr(module, "evaluate_policy"):
        stage_attribute(module, "evaluate_policy", EVAL)


def _stage_masks(module: ModuleType) -> None:
    stage_methods(module, {"get_action_masks": ENV_MASK})


def _stage_vec_env(module: ModuleType) -> None:
    stage_attribute(module.VecEnv, "step", VEC_COPY, count_step)
    for cls in _own_classes(module):
        stage_attribute(cls, "reset", ENV_RESET)


def _stage_dummy(module: ModuleType) -> None:
    stage_methods(module.DummyVecEnv, {"step_wait": VEC_COPY, "reset": ENV_RESET})


def _stage_subproc(module: ModuleType) -> None:
    stage_methods(module.SubprocVecEnv, {"step_async": VEC_SEND, "step_wait": VEC_RECV, "reset": ENV_RESET})
