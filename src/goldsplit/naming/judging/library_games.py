"""Games of a known library: a class derived from Gymnasium's `Env` says itself which method is its step.

What such a step alone calls (a fight that goes on until one side has lost, a simulation) is inside the game,
however much it looks like a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsplit.model.stage import ENV_STEP
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.reading.code_facts import Class, Function
from goldsplit.naming.vocabulary import words_in

if TYPE_CHECKING:
    from goldsplit.naming.calls import Program
    from goldsplit.naming.steps import StepFunction

#: Classes that a game of a known library is derived from.
GAME_BASES = words_in(
    """
    AECEnv ActionWrapper Env Environment ObservationWrapper ParallelEnv RewardWrapper VecEnv
    VecEnvWrapper Wrapper
    """
)


def is_of_library(program: Program, kind: Class) -> bool:
    """Whether a class is derived from one of a library's for games."""
    bases = program.with_bases(kind)
    return any(name.rpartition(".")[2] in GAME_BASES for one in bases for name in one.bases)


def without_inside(program: Program, found: list[StepFunction]) -> list[StepFunction]:
    """The same without those that only methods of such games call, their step before all."""
    inside = {
        kind: {target for method in kind.methods.values() for target in program.reached(method)}
        for kind in program.classes
        if is_of_library(program, kind) and any(map(_is_step, kind.methods.values()))
    }
    return [
        step
        for step in found
        if step.function.kind in inside or not any(_is_alone_in(program, step, one) for one in inside.items())
    ]


def _is_step(function: Function) -> bool:
    return stage_of_function(function.name) == ENV_STEP


def _is_alone_in(program: Program, step: StepFunction, game: tuple[Class, set[Function]]) -> bool:
    """Whether every call of a function is made by a game's methods, or by what they call, and by nothing
    that others call too."""
    kind, inside = game
    callers = {caller for caller, _ in program.callers.get(step.function, ())}
    return bool(callers) and all(one.kind is kind or one in inside for one in callers)
