"""The usual names of functions and classes in training code, and the stage that each stands for.

One table serves both sides: classes in user code get exact spans by it, and sampled stacks of code that no
hook knows are put into stages by it.
"""

from __future__ import annotations

import re

from goldsplit.model.stage import (
    ACT,
    ACT_VALUE,
    CHECKPOINT,
    ENV_MASK,
    ENV_OBSERVE,
    ENV_OPPONENT,
    ENV_RENDER,
    ENV_RESET,
    ENV_REWARD,
    ENV_STEP,
    EVAL,
    LEARN_LOSS,
    LEARN_OPTIMIZER,
    LEARN_RETURNS,
    LOG,
    REPLAY_ADD,
    REPLAY_SAMPLE,
    REPLAY_UPDATE,
)

_NAMES_OF_STAGE: dict[str, str] = {
    ENV_STEP: "step env_step step_env step_envs game_step simulate_step vec_step",
    ENV_RESET: "reset env_reset reset_env reset_game",
    ENV_OPPONENT: (
        "enemy_turn opponent_turn opponent_move opponent_step opponent_action bot_turn enemy_move "
        "play_opponent enemy_step enemy_phase run_enemy_turn do_opponent_turn"
    ),
    ENV_OBSERVE: (
        "get_obs get_observation build_observation build_obs observe make_obs make_observation observation "
        "compute_observation compute_obs encode_state get_state_features stacked_frames get_stacked_frames"
    ),
    ENV_MASK: (
        "action_masks action_mask get_action_mask get_action_masks build_mask compute_mask valid_action_mask "
        "legal_actions get_legal_actions valid_actions get_valid_actions"
    ),
    ENV_REWARD: "compute_reward calculate_reward get_reward reward_fn",
    ENV_RENDER: "render",
    ACT: (
        "select_action select_actions choose_action choose_actions get_action get_actions act sample_action "
        "pick_action epsilon_greedy policy_action predict_action"
    ),
    ACT_VALUE: "get_value get_values predict_values estimate_value value_estimate",
    REPLAY_ADD: (
        "push push_batch add_transition add_batch store store_transition remember add_experience "
        "add_to_buffer replay_add append_transition"
    ),
    REPLAY_SAMPLE: "sample sample_batch get_batch draw_batch replay_sample sample_minibatch",
    REPLAY_UPDATE: "update_priorities update_priority set_priorities",
    LEARN_RETURNS: (
        "compute_gae gae compute_returns compute_advantages calculate_advantages "
        "compute_returns_and_advantage discounted_returns n_step_returns"
    ),
    LEARN_LOSS: (
        "train_step optimize optimise optimize_model optimise_model train_on_batch learn_step update_model "
        "update_network update_policy gradient_step compute_loss calc_loss training_step "
        "ppo_update learn_batch"
    ),
    LEARN_OPTIMIZER: "optimizer_step soft_update update_target update_target_network hard_update",
    LOG: "log_metrics log_episode log_step write_log log_stats print_progress",
    EVAL: "evaluate evaluate_policy run_eval eval_policy evaluate_agent",
    CHECKPOINT: "save_checkpoint save_model checkpoint",
}

#: name without leading underscores → stage
STAGE_OF_NAME: dict[str, str] = {
    name: stage for stage, names in _NAMES_OF_STAGE.items() for name in names.split()
}

#: Methods that only mean a stage inside a class that stores transitions.
REPLAY_METHODS: dict[str, str] = {"add": REPLAY_ADD, "append": REPLAY_ADD, "extend": REPLAY_ADD}

_REPLAY_CLASS = re.compile(r"replay|buffer|memory", re.IGNORECASE)


def stage_of_function(name: str) -> str | None:
    """The stage that a function's name stands for; `name` may be qualified (``Player.push``)."""
    owner, _, last = name.rpartition(".")
    bare = last.lstrip("_")
    if bare in REPLAY_METHODS:
        return REPLAY_METHODS[bare] if _REPLAY_CLASS.search(owner) else None
    return STAGE_OF_NAME.get(bare)


def looks_like_replay(class_name: str) -> bool:
    """Whether a class is named like something that stores transitions."""
    return _REPLAY_CLASS.search(class_name) is not None


_TIMER_CLASS = re.compile(r"(timer|stop_?watch|profiler|timing)s?$", re.IGNORECASE)
_TIMER_FUNCTION = re.compile(
    r"(time_(it|block|stage|step|section|function)|timeit|timed|(start|stop|end)_(timer|timing|clock)|tic|toc"
    r"|profile_\w+|measure_time|record_time|\w*_timer|\w*_timing|log_time)"
)


def looks_like_timer(name: str) -> bool:
    """Whether a function, or the class or decorator that it belongs to, is named like a timer in user
    code; `name` is qualified (``StageTimer.__exit__``, ``timed.<locals>.wrapper``)."""
    *owners, last = [part for part in name.split(".") if part != "<locals>"]
    return any(_TIMER_CLASS.search(owner) for owner in owners) or any(
        _TIMER_FUNCTION.fullmatch(part) for part in (*owners, last)
    )
