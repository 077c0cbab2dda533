"""How long trials may be, and how many remedies can be tried, within a budget of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goldsplit.experiment.statistics import fewest_pairs
from goldsplit.model.experiment.design import ALPHA
from goldsplit.model.experiment.tried import Candidate
from goldsplit.model.profile import Profile

#: The part of the budget that the first recording may take, and its longest.
RECORDING_PART, LONGEST_RECORDING = 0.2, 90.0
#: A trial's loop is at least and at most so long; starting and reading a trial takes about so much more.
LEAST_LOOP_SECONDS, MOST_LOOP_SECONDS, BESIDE_SECONDS = 4.0, 40.0, 1.0
#: And it makes at least so many steps.
LEAST_STEPS = 50


@dataclass(frozen=True, slots=True)
class Schedule:
    """What is done in the time that there is."""

    candidates: tuple[Candidate, ...]
    left_out: tuple[Candidate, ...]
    pairs: int
    trial_seconds: float
    """Of the whole command, start-up included."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What the recording says about how long a trial must be."""

    before_seconds: float
    """From the start until learning goes on: start-up, and filling a memory."""
    steps_per_second: float | None
    whole_seconds: float | None
    """How long the command takes, if it ended by itself; None: it was ended."""


def pace_of(profile: Profile) -> Pace:
    """From a recording's figures."""
    flow = profile.throughput
    prefill = flow.prefill.seconds if flow.prefill is not None else 0.0
    ended = profile.run.status == "complete"
    return Pace(
        (profile.phases.startup_seconds or 0.0) + prefill,
        flow.env_steps_per_second or flow.updates_per_second,
        profile.run.wall_seconds if ended else None,
    )


def recording_seconds(budget_seconds: float) -> float:
    """How long the first recording may be."""
    return max(LEAST_LOOP_SECONDS, min(LONGEST_RECORDING, RECORDING_PART * budget_seconds))


def make_schedule(
    found: Sequence[Candidate], seconds: float, pace: Pace, trial_seconds: float | None = None
) -> Schedule:
    """As many candidates as fit, each in enough pairs to decide. `trial_seconds`: as the user wants it."""
    loop = max(LEAST_LOOP_SECONDS, LEAST_STEPS / pace.steps_per_second if pace.steps_per_second else 0.0)
    least = trial_seconds or pace.before_seconds + loop
    most = trial_seconds or pace.before_seconds + max(loop, MOST_LOOP_SECONDS)
    takes = min(least, pace.whole_seconds or least) + BESIDE_SECONDS
    number = len(found)
    while number > 1 and trials_for(number) * takes > seconds:
        number -= 1
    fitting = seconds / trials_for(max(1, number)) - BESIDE_SECONDS
    limit = max(least, min(most, fitting))
    return Schedule(tuple(found[:number]), tuple(found[number:]), pairs_for(number), round(limit, 1))


def pairs_for(number: int) -> int:
    """The fewest pairs that can decide about so many candidates."""
    return max(8, fewest_pairs(ALPHA / max(1, number)))


def trials_for(number: int) -> int:
    """Trials for so many candidates: equality, speed, and all kept ones together."""
    together = 2 * pairs_for(1) if number > 1 else 0
    return (number + 2) + (number + 1) * pairs_for(number) + together
