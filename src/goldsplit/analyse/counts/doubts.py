"""Can the counts of a run all be true? What counts cannot tell alone, others beside them do: a step needs an
action, and an agent that learns from stored transitions stores one for each.

A wrong number looks as good as a right one, so what cannot be true is withheld, with the reason. Doubt needs
more than one witness: a program may draw actions at random without asking anybody, or keep nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: Steps for one action, or actions for one step, that nothing but a fixed number of games, agents or repeats
#: would explain; and with a single witness.
MANY, FAR_TOO_MANY = 2.0, 50.0
#: Ratios of parts of a run that lie within this factor are a fixed number (so many games in one batch).
FIXED = 1.25
#: A part of a run, and a whole run, in which a witness has seen less says nothing.
LEAST_IN_PART, LEAST_IN_ALL = 5, 100
LEAST_PARTS = 3
#: A part of the episodes, or of the beginnings of games, that cannot be missing by chance.
MOST_OF_THEM = 0.9


@dataclass(frozen=True, slots=True)
class Grown:
    """What was counted in one part of a run."""

    env_steps: int
    choices: int
    """Calls of what acts, of the training's own."""
    stored: int
    """Calls of what stores transitions."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted in a run, of each kind apart."""

    env_steps: int | None
    episodes: int | None
    beginnings: int
    """Calls of what begins games, outside of steps; 0: none was seen."""
    parts: Sequence[Grown]


def doubt_of_steps(seen: Counted) -> str | None:
    """Why the number of env steps cannot be true; None: nothing speaks against it.

    So many times as many as the witnesses say is believed if it is always the same number: of games beside
    each other, of agents, of repeats. Every witness that says anything must be against it.
    """
    if not seen.env_steps:
        return None
    choices = _against(seen.parts, [part.choices for part in seen.parts])
    stored = _against(seen.parts, [part.stored for part in seen.parts])
    found = [one for one in (choices, stored) if one is not None]
    most = MANY if len(found) > 1 else FAR_TOO_MANY
    if not found or not all(ratio >= most for ratio in found):
        return None
    words = {
        f"{sum(part.choices for part in seen.parts):,} actions were chosen": choices,
        f"{sum(part.stored for part in seen.parts):,} transitions stored": stored,
    }
    others = " and ".join(text for text, ratio in words.items() if ratio is not None)
    return (
        f"env steps not counted: {seen.env_steps:,} calls look like steps, but only {others}, and not in a "
        "fixed ratio (record --progress module:function says which function makes a step)"
    )


def _against(parts: Sequence[Grown], witness: Sequence[int]) -> float | None:
    """How many times as many steps there are as a witness says; 1: it has nothing against them; None: it has
    seen too little."""
    ratios = sorted(
        part.env_steps / seen for part, seen in zip(parts, witness, strict=True) if seen >= LEAST_IN_PART
    )
    if len(ratios) < LEAST_PARTS or sum(witness) < LEAST_IN_ALL:
        return None
    low, middle, high = ratios[0], ratios[len(ratios) // 2], ratios[-1]
    return 1.0 if high <= FIXED * low else middle


def doubt_of_episodes(seen: Counted) -> str | None:
    """Why the number of episodes cannot be true."""
    episodes, steps = seen.episodes, seen.env_steps
    if episodes is None or not steps:
        return None
    if episodes > steps:
        return f"episodes not counted: {episodes:,} ended in {steps:,} env steps"
    if episodes >= max(LEAST_IN_ALL, MOST_OF_THEM * steps) and 0 < seen.beginnings < episodes / 2:
        return (
            f"episodes not counted: nearly every one of {steps:,} env steps seems to end one, but only "
            f"{seen.beginnings:,} were begun"
        )
    return None
