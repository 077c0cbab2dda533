"""The vocabulary of stages: what a training run can be doing."""

from __future__ import annotations

import re
from dataclasses import dataclass

CATEGORIES = (
    "environment",
    "agent",
    "replay",
    "learning",
    "communication",
    "output",
    "start-up",
    "other",
)

#: A stage name: lower-case words joined by dots, as in ``env.step`` or ``game.pathfinding``.
STAGE_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*")


@dataclass(frozen=True, slots=True)
class Stage:
    """One name of the vocabulary."""

    name: str
    category: str
    meaning: str


VOCABULARY: tuple[Stage, ...] = (
    Stage("env.reset", "environment", "starting a new episode"),
    Stage("env.step", "environment", "one step of the game"),
    Stage("env.opponent", "environment", "the opponent's turn inside a step"),
    Stage("env.observe", "environment", "building the observation"),
    Stage("env.mask", "environment", "building the action mask"),
    Stage("env.reward", "environment", "computing the reward"),
    Stage("env.render", "environment", "drawing the game"),
    Stage("vec.send", "communication", "sending actions to, or results from, worker processes"),
    Stage("vec.recv", "communication", "receiving and unpickling messages from workers"),
    Stage(
        "vec.wait", "communication", "waiting for workers, not explained by what they did (message latency)"
    ),
    Stage("vec.copy", "communication", "merging observations and infos of a vector environment"),
    Stage("rollout", "agent", "the collecting loop's own Python around its stages"),
    Stage("act", "agent", "choosing actions"),
    Stage("act.value", "agent", "estimating values while acting"),
    Stage("replay.add", "replay", "storing transitions"),
    Stage("replay.sample", "replay", "drawing a batch"),
    Stage("replay.update", "replay", "updating priorities"),
    Stage("learn.returns", "learning", "returns and advantages (GAE, n-step)"),
    Stage("learn.forward", "learning", "forward passes of an update"),
    Stage("learn.loss", "learning", "the loss and the rest of an update's own code"),
    Stage("learn.backward", "learning", "backward passes"),
    Stage("learn.optimizer", "learning", "optimizer steps, gradient clipping and zeroing"),
    Stage("transfer", "communication", "copies between host and device"),
    Stage("wait", "communication", "waiting for another thread or process that could not be identified"),
    Stage("log", "output", "printing, logging, TensorBoard"),
    Stage("eval", "output", "evaluation episodes"),
    Stage("checkpoint", "output", "saving models"),
    Stage("driver", "other", "`goldsplit env` between two steps: choosing actions, accounting, hashing"),
    Stage("startup", "start-up", "imports, worker start, compilation: split off, never part of a share"),
)

_CATEGORY_BY_NAME = {stage.name: stage.category for stage in VOCABULARY}
_CATEGORY_BY_PREFIX = {
    "env": "environment",
    "game": "environment",
    "vec": "communication",
    "act": "agent",
    "agent": "agent",
    "replay": "replay",
    "learn": "learning",
    "log": "output",
    "eval": "output",
    "startup": "start-up",
}

#: Stages in which a thread does nothing but wait for another one.
WAITING = frozenset({"wait", "vec.wait"})


def category_of(stage: str) -> str:
    """The category of any stage, the user's own included (by its first word)."""
    known = _CATEGORY_BY_NAME.get(stage)
    return known or _CATEGORY_BY_PREFIX.get(stage.split(".", 1)[0], "other")


def is_stage_name(text: str) -> bool:
    """Whether a text can be a stage name."""
    return STAGE_NAME.fullmatch(text) is not None
