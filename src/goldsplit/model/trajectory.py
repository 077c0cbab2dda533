"""What the environments of a run returned, step by step, as hashes: did two runs play the same?"""

from __future__ import annotations

import os
from dataclasses import dataclass

from goldsplit.model.wire import Variable


class TrajectoryKey:
    """Keys of the lines of a process's trajectory file."""

    PROCESS = "process"
    START = "start"
    VERSION = "version"
    ENVIRONMENT = "env"
    STEP = "step"
    DIGESTS = "digests"
    """In the order of `FIELDS`."""
    PROBLEM = "problem"


RESET, ACTION, OBSERVATION, REWARD, ENDED = "reset", "action", "observation", "reward", "ended"
#: What is hashed, each for itself; `reset`: the first observations of episodes. In this order two runs are
#: compared: what leads to the rest comes first.
FIELDS = (RESET, ACTION, OBSERVATION, REWARD, ENDED)
#: Digests are kept at the first step, at each power of two, and at each multiple of this.
EVERY = 64


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The hashes of everything up to a step of one environment."""

    step: int
    digests: tuple[str, ...]
    """One for each of `FIELDS`; empty texts: that field is not known."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """What a run's environments returned."""

    environments: dict[str, tuple[Checkpoint, ...]]
    """Name (process, number, lane) → checkpoints, by step."""
    problems: tuple[str, ...] = ()
    """What could not be hashed."""
    version: int = 1
    """Of the encoding: other versions have other hashes."""

    @property
    def steps(self) -> int:
        """Steps of all environments, up to their last checkpoints."""
        return sum(kept[-1].step for kept in self.environments.values() if kept)


def window_of(text: str) -> range:
    """`33-64` as steps; none of anything else."""
    first, _, last = text.partition("-")
    return range(int(first), int(last) + 1) if first.isdecimal() and last.isdecimal() else range(0)


#: Steps of which a comparison wants to know each: two runs have been seen to part among them.
_ASKED = window_of(os.environ.get(Variable.TRAJECTORY_STEPS, ""))


def is_checkpoint(step: int) -> bool:
    """Whether digests are kept at this step."""
    return step % EVERY == 0 or step & (step - 1) == 0 or step in _ASKED
