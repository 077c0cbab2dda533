"""Put sampled stacks into stages by their frames: wrappers first, then libraries, then usual names."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from goldsplit.analyse.stacks.library_frames import LIBRARY_RULES
from goldsplit.analyse.stacks.user_frames import is_users
from goldsplit.model.recording import Frame
from goldsplit.model.stack_frames import FRAME_PREFIX, is_library, is_waiting_frame
from goldsplit.model.stage import (
    ACT,
    ENV,
    ENV_OPPONENT,
    ENV_RESET,
    ENV_STEP,
    EVAL,
    LEARN_FORWARD,
    ROLLOUT,
    VEC_RECV,
    VEC_WAIT,
    WAIT,
)
from goldsplit.model.usual_names import stage_of_function
from goldsplit.model.wire import COUNTED

DEEP_LOOK = "/goldsplit/record/inside/deep/"


@dataclass(frozen=True, slots=True)
class Classified:
    """What a stack says about its thread at that instant."""

    stage: str | None
    spanned: bool
    """A wrapper frame is in the stack: its time has an exact owner already."""
    waiting: bool
    looking: bool = False
    """The deep look's own code was running, not the program's."""


def classify(frames: list[Frame]) -> Classified:
    """The stage of a stack (outermost frame first): the innermost frame that stands for one."""
    stage: str | None = None
    forward = called = False
    for frame in reversed(frames):
        if frame.function.startswith(FRAME_PREFIX):
            named: str | None = frame.function.removeprefix(FRAME_PREFIX)
        else:
            named = stage_of_frame(frame)
        if named == ROLLOUT and called and frame.named is not None:
            continue  # only the loop's own lines are the loop's: what it calls has a row of its own
        called |= is_users(frame) and not frame.function.rpartition(".")[2].startswith("<")
        if named == "forward":
            forward = True  # for acting or for learning: the frames around it tell
        elif named is not None and named != COUNTED:
            if stage is not None:  # acting, but for whom?
                stage = _who_asks(stage, named)
                break
            stage = _purpose_of_forward(named) if forward else named
            if not stage.startswith(ACT):
                break
    if stage is None and forward:
        stage = ACT
    waiting = not frames or is_waiting_frame(frames[-1].function, frames[-1].file)
    if waiting and stage in (VEC_RECV, WAIT, VEC_WAIT):
        stage = None
    return Classified(
        stage,
        spanned=any(frame.function.startswith(FRAME_PREFIX) for frame in frames),
        waiting=waiting,
        looking=bool(frames) and DEEP_LOOK in frames[-1].file,
    )


def _who_asks(acting: str, around: str) -> str:
    """A policy that the environment asks is not the agent's: it plays the opponent, or helps to observe."""
    if not around.startswith(ENV):
        return acting
    return ENV_OPPONENT if around in (ENV_STEP, ENV_RESET) else around


def _purpose_of_forward(around: str) -> str:
    if around.startswith("learn"):
        return LEARN_FORWARD
    return around if around.startswith((ENV, EVAL, ACT)) else ACT


@lru_cache(maxsize=1 << 16)
def stage_of_frame(frame: Frame) -> str | None:
    """The stage that one frame stands for, if any."""
    last = frame.function.rpartition(".")[2]
    for part, function, stage in LIBRARY_RULES:
        if part in frame.file and (not function or last == function):
            return stage
    if frame.named is not None:
        return frame.named or None
    return None if is_library(frame.file) else stage_of_function(frame.function)


def wilson(successes: float, trials: float) -> tuple[float, float]:
    """A 95 % interval for a share seen in `successes` of `trials` samples."""
    if trials <= 0:
        return 0.0, 1.0
    z = 1.96
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))
