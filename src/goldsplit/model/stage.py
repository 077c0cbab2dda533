"""The vocabulary of stages: what a training run can be doing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from goldsplit.model.wire import PROGRESS, UNSTAGED

CATEGORIES = (
    "environment",
    "agent",
    "replay",
    "learning",
    "communication",
    "output",
    "start-up",
    "your code",
    "other",
)
#: The category of the user's own functions that stand for time in no stage.
YOUR_CODE = "your code"

# Every stage by its name. Code elsewhere uses these, never the text: a test checks that.
ENV_RESET = "env.reset"
ENV_STEP = "env.step"
ENV_OPPONENT = "env.opponent"
ENV_OBSERVE = "env.observe"
ENV_MASK = "env.mask"
ENV_REWARD = "env.reward"
ENV_RENDER = "env.render"
VEC_SEND = "vec.send"
VEC_RECV = "vec.recv"
VEC_WAIT = "vec.wait"
VEC_COPY = "vec.copy"
ROLLOUT = "rollout"
ACT = "act"
ACT_VALUE = "act.value"
ACT_SEARCH = "act.search"
ACT_PREDICT = "act.predict"
REPLAY_ADD = "replay.add"
REPLAY_SAMPLE = "replay.sample"
REPLAY_UPDATE = "replay.update"
LEARN_RETURNS = "learn.returns"
LEARN_FORWARD = "learn.forward"
LEARN_LOSS = "learn.loss"
LEARN_BACKWARD = "learn.backward"
LEARN_OPTIMIZER = "learn.optimizer"
TRANSFER = "transfer"
TRANSFER_WAIT = "transfer.wait"
WAIT = "wait"
LOG = "log"
EVAL = "eval"
CHECKPOINT = "checkpoint"
DRIVER = "driver"
STARTUP = "startup"

# What the names of a group begin with; `game.` is for the user's own stages.
ENV = "env."
VEC = "vec."
LEARN = "learn."
REPLAY = "replay."
GAME = "game."

#: A stage name: lower-case words joined by dots, as in ``env.step`` or ``game.pathfinding``.
STAGE_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*")
#: Words that options give in place of a stage.
NO_STAGES = frozenset({UNSTAGED, PROGRESS})


@dataclass(frozen=True, slots=True)
class Stage:
    """One name of the vocabulary."""

    name: str
    category: str
    meaning: str


VOCABULARY: tuple[Stage, ...] = (
    Stage(ENV_RESET, "environment", "starting a new episode"),
    Stage(ENV_STEP, "environment", "one step of the game"),
    Stage(ENV_OPPONENT, "environment", "the opponent's turn inside a step"),
    Stage(ENV_OBSERVE, "environment", "building the observation"),
    Stage(ENV_MASK, "environment", "building the action mask"),
    Stage(ENV_REWARD, "environment", "computing the reward"),
    Stage(ENV_RENDER, "environment", "drawing the game"),
    Stage(VEC_SEND, "communication", "sending actions to, or results from, worker processes"),
    Stage(VEC_RECV, "communication", "receiving and unpickling messages from workers"),
    Stage(VEC_WAIT, "communication", "waiting for workers, not explained by what they did (message latency)"),
    Stage(VEC_COPY, "communication", "merging observations and infos of a vector environment"),
    Stage(ROLLOUT, "agent", "the collecting loop's own Python around its stages"),
    Stage(ACT, "agent", "choosing actions"),
    Stage(ACT_VALUE, "agent", "estimating values while acting"),
    Stage(
        ACT_SEARCH, "agent", "searching ahead for an action (a tree, a planner), without the stages inside it"
    ),
    Stage(ACT_PREDICT, "agent", "forward passes that a search asks for"),
    Stage(REPLAY_ADD, "replay", "storing transitions"),
    Stage(REPLAY_SAMPLE, "replay", "drawing a batch"),
    Stage(REPLAY_UPDATE, "replay", "updating priorities"),
    Stage(LEARN_RETURNS, "learning", "returns and advantages (GAE, n-step)"),
    Stage(LEARN_FORWARD, "learning", "forward passes of an update"),
    Stage(LEARN_LOSS, "learning", "the loss and the rest of an update's own code"),
    Stage(LEARN_BACKWARD, "learning", "backward passes"),
    Stage(LEARN_OPTIMIZER, "learning", "optimizer steps, gradient clipping and zeroing"),
    Stage(TRANSFER, "communication", "copies between host and device"),
    Stage(TRANSFER_WAIT, "communication", "waiting for the device, not explained by what it computed"),
    Stage(WAIT, "communication", "waiting for another thread or process that could not be identified"),
    Stage(LOG, "output", "printing, logging, TensorBoard"),
    Stage(EVAL, "output", "evaluation episodes"),
    Stage(CHECKPOINT, "output", "saving models"),
    Stage(DRIVER, "other", "`goldsplit env` between two steps: choosing actions, accounting, hashing"),
    Stage(STARTUP, "start-up", "imports, worker start, compilation: split off, never part of a share"),
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
WAITING = frozenset({WAIT, VEC_WAIT, TRANSFER_WAIT})
#: The thread that drives the training is known by stages that begin with these.
DRIVING = (LEARN, ACT, ROLLOUT, VEC_COPY)


def category_of(stage: str) -> str:
    """The category of any stage, the user's own included (by its first word)."""
    if is_own_function(stage):
        return YOUR_CODE
    known = _CATEGORY_BY_NAME.get(stage)
    return known or _CATEGORY_BY_PREFIX.get(stage.split(".", 1)[0], "other")


def is_own_function(stage: str) -> bool:
    """Whether a row of the stage table is named by the user's own function, as `learn() train.py:45` is."""
    return ":" in stage


def is_stage_name(text: str) -> bool:
    """Whether a text can be a stage name."""
    return STAGE_NAME.fullmatch(text) is not None


def as_stage_name(text: str) -> str:
    """The stage that a text names, in code as in options: `env.step` for `Env step`, `my_act` for `My act`;
    "" where it names none.

    What has other letters names none, because two names must not become one; nor do a colon (`count:NAME`)
    and the words that mean something else in options."""
    if is_stage_name(text):
        return "" if text in NO_STAGES else text
    parts = ("_".join(re.findall("[a-z0-9]+", part)) for part in text.lower().split("."))
    name = ".".join(part for part in parts if part)
    dotted = name.replace("_", ".")
    name = dotted if any(entry.name == dotted for entry in VOCABULARY) else name
    fits = text.isascii() and ":" not in text and is_stage_name(name) and name not in NO_STAGES
    return name if fits else ""


def stage_hint(text: str) -> str:
    """What to write in place of a text that names no stage."""
    import difflib

    close = difflib.get_close_matches(text.lower(), [entry.name for entry in VOCABULARY], n=1)
    meant = f"did you mean {close[0]}? " if close else ""
    return f"{meant}lower-case words joined by dots; see `goldsplit stages`"


def stage_named_after(function: str) -> str:
    """A stage of the user's own, named after a function: `game.make_map` for `World.makeMap`."""
    words = re.findall("[A-Z]*[a-z0-9]+|[A-Z]+", function.rpartition(".")[2])
    name = GAME + "_".join(words).lower()
    return name if is_stage_name(name) else f"{GAME}part"
