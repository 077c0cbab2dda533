"""Which of the program's functions learn, and so what a forward pass below them is for.

A function learns if one call of it holds both a forward pass with gradients and the backward pass after it;
the innermost such function is meant (`learn`, not the `main` that calls it). Every forward pass below it is
part of an update: the target network's without gradients, hundreds of them, those of a `get_action` that the
loop calls, too. What runs below no such function acts. Where one function does both (a script without
functions), its lines are told apart: by what follows them, and by the loops that they are in.

The core asks here rarely: about a call chain that it has not met, and when the first backward passes show
where learning is. It keeps the answers, by call chain, until something new was found out.
"""

from __future__ import annotations

import dis
import sys
import sysconfig
from types import CodeType, FrameType

from goldsplit.model.stack_frames import is_library
from goldsplit.record.inside.core import leave_forwards_to
from goldsplit.record.inside.core.state_fields import OPEN, SURE, VOTES

Chain = tuple[tuple[CodeType, int], ...]
"""The calls that lead to a place, outermost first: (code, where in it)."""
Guess = tuple[Chain, int, bool, bool]
"""The chain; whether votes change it; whether it learns; whether each backward pass follows one such pass."""

#: A line that ran so often before the first backward pass of its own loop is not part of the update.
OFTEN = 4
_STANDARD_LIBRARY = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib")} - {None})


class Learner:
    """A function that holds forward passes and the backward pass after them."""

    __slots__ = ("apart", "backward_at", "code", "has_steps")

    def __init__(self, code: CodeType, backward_at: int) -> None:
        self.code = code
        self.backward_at = backward_at
        self.has_steps = False
        """Environment steps happen in it, too: it is a whole training loop."""
        self.apart: set[int] = set()
        """Where passes happen in it that are not part of its updates."""


_learners: dict[int, Learner] = {}
_loops: dict[int, tuple[CodeType, list[tuple[int, int]]]] = {}


def chain_of(frame: FrameType | None) -> Chain:
    """The calls that led to a frame; a recursion counts once."""
    calls: list[tuple[CodeType, int]] = []
    while frame is not None:
        call = (frame.f_code, frame.f_lasti)
        if not calls or calls[-1][0] is not call[0] or calls[-1][1] != call[1]:
            calls.append(call)
        frame = frame.f_back
    return tuple(reversed(calls))


def first_guess(frame: FrameType, has_grad: bool) -> Guess:
    """What a forward pass is for that is called in this frame, as far as is known now.

    Below no function that learns: as long as there is none, gradients tell; a later one shows itself at once.
    """
    chain = chain_of(frame)
    for depth in range(len(chain) - 1, -1, -1):
        code, at = chain[depth]
        learner = _learners.get(id(code))
        if learner is not None:
            runs_once = code.co_name == "<module>" or not any(map(_is_in_users_loop, chain[:depth]))
            return (chain, *_below(learner, at, chain[depth + 1 :], has_grad, runs_once))
    return chain, OPEN, has_grad and not _learners, False


def _below(
    learner: Learner, at: int, inner: Chain, has_grad: bool, runs_once: bool
) -> tuple[int, bool, bool]:
    if at in learner.apart:
        return SURE, False, False
    in_turn = _in_turn(learner, at, inner)
    if learner.has_steps:
        return VOTES, has_grad, in_turn
    if has_grad:
        return SURE, True, False
    if in_turn:
        return VOTES, True, True
    return SURE, not runs_once, False  # a loop of its own: within an update, or before it in a whole training


def _in_turn(learner: Learner, at: int, inner: Chain) -> bool:
    """Whether a place runs once for each backward pass: no loop is around it that is not around that one."""
    around = [loop for loop in loops_of(learner.code) if loop[0] <= at <= loop[1]]
    is_inside = all(first <= learner.backward_at <= last for first, last in around)
    return is_inside and not any(_is_in_loop(call) for call in inner)


def saw_backward(frame: FrameType, forward: Chain, others: list[tuple[Chain, int]]) -> bool:
    """A backward pass follows a forward pass at an unknown place: the innermost call that holds both learns.

    `others` are the places of the other passes before it, with their numbers. True: something new is known.
    """
    backward = chain_of(frame)
    depth = 0
    while depth < min(len(forward), len(backward)) and forward[depth] == backward[depth]:
        depth += 1
    if depth >= min(len(forward), len(backward)) or forward[depth][0] is not backward[depth][0]:
        depth -= 1
    if depth < 0:
        return False
    code, at = backward[depth]
    if id(code) in _learners or is_of_standard_library(code):
        return False
    learner = _learners[id(code)] = Learner(code, at)
    for chain, passes in others:
        if passes >= OFTEN and len(chain) > depth and chain[depth][0] is code and chain != forward:
            place = chain[depth][1]
            if place != forward[depth][1] and _in_turn(learner, place, chain[depth + 1 :]):
                learner.apart.add(place)
    return True


def saw_step(frame: FrameType | None) -> bool:
    """An environment step after a pass for learning: functions around both do both. True: that is new."""
    is_new = False
    while frame is not None:
        learner = _learners.get(id(frame.f_code))
        if learner is not None and not learner.has_steps:
            learner.has_steps = is_new = True
        frame = frame.f_back
    return is_new


def is_of_standard_library(code: CodeType) -> bool:
    """Whether a function only runs what it is given: a thread's, an event loop's, `runpy`'s."""
    file = code.co_filename
    return file.startswith("<frozen") or (file.startswith(_STANDARD_LIBRARY) and "-packages" not in file)


def _is_in_users_loop(call: tuple[CodeType, int]) -> bool:
    return not is_library(call[0].co_filename) and _is_in_loop(call)


def _is_in_loop(call: tuple[CodeType, int]) -> bool:
    return any(first <= call[1] <= last for first, last in loops_of(call[0]))


def loops_of(code: CodeType) -> list[tuple[int, int]]:
    """From where to where the loops of a function go. From Python 3.12 on handlers of exceptions lie behind
    all else, and jump back without a loop."""
    known = _loops.get(id(code))
    if known is None:
        lie_behind = sys.version_info >= (3, 12)
        entries = getattr(dis.Bytecode(code), "exception_entries", ()) if lie_behind else ()
        end = min((entry.target for entry in entries), default=len(code.co_code) + 1)
        jumps = [
            (step.argval, step.offset)
            for step in dis.get_instructions(code)
            if "BACKWARD" in step.opname
            and "INTERRUPT" not in step.opname
            and isinstance(step.argval, int)
            and step.offset < end
        ]
        known = _loops[id(code)] = (code, _merged(sorted(jumps)))
    return known[1]


def _merged(jumps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """One for each loop: two that overlap, none inside the other, or begin alike, are jumps of one loop."""
    loops: list[tuple[int, int]] = []
    for first, last in jumps:
        for place, (start, stop) in enumerate(loops):
            if first == start or (start < first <= stop < last):
                loops[place] = (start, max(stop, last))
                break
        else:
            loops.append((first, last))
    return loops


ANSWERS = (first_guess, saw_backward, saw_step)


def forget_all() -> None:
    """As at the start: nothing is known."""
    _learners.clear()
    leave_forwards_to(*ANSWERS)


forget_all()
