"""RLlib: env runners, modules, connectors, learners, replay buffers, metrics.

Its env runners step Gymnasium's vector environments; waiting for them is Ray's.
"""

from __future__ import annotations

from types import ModuleType

from goldsplit.model.stage import (
    ACT,
    CHECKPOINT,
    EVAL,
    LEARN_FORWARD,
    LEARN_LOSS,
    LEARN_RETURNS,
    LOG,
    REPLAY_ADD,
    REPLAY_SAMPLE,
    REPLAY_UPDATE,
    ROLLOUT,
    VEC_RECV,
    VEC_SEND,
)
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.hooks.patching import stage_methods

_LOGGER = dict.fromkeys(("log_value", "log_dict", "aggregate", "reduce", "peek"), LOG)
#: The step of its optimizers is no method of its own stage here: it would not be counted inside one.
_LEARNER = {
    "update": LEARN_LOSS,
    "compute_losses": LEARN_LOSS,
    "compute_gradients": LEARN_LOSS,
    "postprocess_gradients": LEARN_LOSS,
    "apply_gradients": LEARN_LOSS,
    "before_gradient_based_update": LEARN_LOSS,
    "after_gradient_based_update": LEARN_LOSS,
}
_BUFFER = {"add": REPLAY_ADD, "sample": REPLAY_SAMPLE, "update_priorities": REPLAY_UPDATE}
_MODULE = {"forward_exploration": ACT, "forward_inference": ACT, "forward_train": LEARN_FORWARD}
_RUNNER = {"sample": ROLLOUT, "set_state": VEC_RECV, "get_state": VEC_SEND}
_GROUP = {"sync_weights": VEC_SEND, "sync_env_runner_states": VEC_SEND}
_ALGORITHM = {"step": ROLLOUT, "evaluate": EVAL, "save_checkpoint": CHECKPOINT, "save_to_path": CHECKPOINT}
#: Module below `ray.rllib` → class → method → stage.
_STAGES: dict[str, dict[str, dict[str, str]]] = {
    "algorithms.algorithm": {"Algorithm": _ALGORITHM},
    "env.single_agent_env_runner": {"SingleAgentEnvRunner": _RUNNER},
    "env.multi_agent_env_runner": {"MultiAgentEnvRunner": _RUNNER},
    "env.env_runner_group": {"EnvRunnerGroup": _GROUP},
    "core.rl_module.rl_module": {"RLModule": _MODULE},
    "core.rl_module.multi_rl_module": {"MultiRLModule": _MODULE},
    "core.learner.learner": {"Learner": _LEARNER},
    "core.learner.torch.torch_learner": {"TorchLearner": _LEARNER},
    "connectors.learner.learner_connector_pipeline": {
        "LearnerConnectorPipeline": {"__call__": LEARN_RETURNS}
    },
    "connectors.module_to_env.module_to_env_pipeline": {"ModuleToEnvPipeline": {"__call__": ACT}},
    "utils.replay_buffers.episode_replay_buffer": {"EpisodeReplayBuffer": _BUFFER},
    "utils.replay_buffers.prioritized_episode_buffer": {"PrioritizedEpisodeReplayBuffer": _BUFFER},
    "utils.replay_buffers.multi_agent_episode_buffer": {"MultiAgentEpisodeReplayBuffer": _BUFFER},
    "utils.metrics.metrics_logger": {"MetricsLogger": _LOGGER},
}


def install() -> None:
    """Wait for each module that has something to stage."""
    for name in _STAGES:
        when_imported(f"ray.rllib.{name}", _stage_module)


def _stage_module(module: ModuleType) -> None:
    for class_name, stages in _STAGES[module.__name__.removeprefix("ray.rllib.")].items():
        cls = vars(module).get(class_name)  # not there in another version: nothing is staged
        if isinstance(cls, type):
            stage_methods(cls, stages)
