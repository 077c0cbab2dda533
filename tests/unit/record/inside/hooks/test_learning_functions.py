"""Which functions learn: the calls that forward and backward passes share, and the loops of functions."""

from __future__ import annotations

import dis
import sys
import threading
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import pytest

from goldsplit.record.inside.core.state_fields import OPEN, SURE, VOTES
from goldsplit.record.inside.hooks import learning_functions
from goldsplit.record.inside.hooks.learning_functions import (
    chain_of,
    first_guess,
    loops_of,
    saw_backward,
    saw_step,
)


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    learning_functions.forget_all()
    yield
    learning_functions.forget_all()


class Program:
    """A forward pass keeps its chain; a backward pass shows it."""

    def __init__(self) -> None:
        self.last: Any = ()
        self.seen: Any = ()
        self.others: list[Any] = []
        self.found: list[bool] = []
        self.guesses: list[tuple[int, bool]] = []

    def forward(self, has_grad: bool) -> None:
        frame = sys._getframe(1)
        _, kind, learning, _ = first_guess(frame, has_grad)
        self.guesses.append((kind, learning))
        if has_grad:
            self.last = chain_of(frame)
        else:
            self.seen = chain_of(frame)

    def backward(self) -> None:
        self.found.append(saw_backward(frame_of_caller(), self.last, self.others))

    def loss(self) -> None:
        self.forward(True)

    def learn(self) -> None:
        self.forward(False)
        self.loss()
        self.backward()

    def main(self, times: int) -> None:
        for _ in range(times):
            self.forward(False)
            self.learn()

    def script(self) -> None:
        for _ in range(2):
            for _ in range(3):
                self.forward(False)
            self.forward(False)
            self.forward(True)
            self.backward()


def frame_of_caller() -> FrameType:
    return sys._getframe(2)


def test_the_innermost_function_around_both_learns() -> None:
    program = Program()
    program.main(2)
    assert program.found == [True, False], "it is known after the first"
    outside, target, loss = (OPEN, False), (VOTES, True), (SURE, True)
    assert program.guesses == [outside, (OPEN, False), (OPEN, True), outside, target, loss]


def test_a_loop_of_its_own_is_apart_in_a_function_that_runs_once() -> None:
    program = Program()
    program.script()
    playing, wanted, loss = (SURE, False), (VOTES, True), (SURE, True)
    assert program.guesses[5:] == [playing, playing, playing, wanted, loss]
    for _ in range(1):
        program.guesses.clear()
        program.script()
    assert program.guesses[0] == (SURE, True), "called in a loop: part of an update"


def test_a_step_shows_that_a_function_does_both() -> None:
    program = Program()
    program.learn()
    assert not saw_step(sys._getframe())

    def step() -> bool:
        return saw_step(sys._getframe())

    program.backward = lambda: program.found.append(step())  # type: ignore[method-assign]
    program.learn()
    assert program.found[-1], "in `learn`, too"
    program.guesses.clear()
    program.learn()
    assert program.guesses == [(VOTES, False), (VOTES, True)]
    assert not program.found[-1], "known"


def test_a_line_that_ran_often_before_the_first_update_is_apart() -> None:
    def script(program: Program) -> None:
        for turn in range(12):
            program.forward(False)
            program.others = [(program.seen, turn + 1)]
            if turn >= 10:
                program.forward(True)
                program.backward()

    program = Program()
    script(program)
    assert program.guesses[-2:] == [(SURE, False), (SURE, True)]


def test_what_only_runs_other_functions_does_not_learn() -> None:
    program = Program()
    thread = threading.Thread(target=program.forward, args=(True,))
    thread.start()
    thread.join()
    other = threading.Thread(target=program.backward)
    other.start()
    other.join()
    assert program.found == [False]


def compiled(body: str) -> tuple[CodeType, dict[str, int]]:
    """A function and where it calls which name."""
    names: dict[str, Any] = {}
    exec("def function(torch, more):\n" + "".join(f" {line}\n" for line in body.splitlines()), names)
    code = names["function"].__code__
    return code, {
        s.argval: s.offset for s in dis.get_instructions(code) if s.opname.startswith("LOAD_GLOBAL")
    }


def test_loops_are_found_whatever_jumps_back() -> None:
    code, at = compiled(
        "before()\n"
        "while more():\n"
        "  with torch.no_grad():\n"
        "    first()\n"
        "  if rare(): continue\n"
        "  for _ in range(3):\n"
        "    try: inner()\n"
        "    except KeyError: continue\n"
        "  last()\n"
        "with torch.no_grad():\n"
        "  after()\n"
        "end()\n"
    )
    loops = loops_of(code)
    around = {name: [loop for loop in loops if loop[0] <= place <= loop[1]] for name, place in at.items()}
    depths = {name: len(loops) for name, loops in around.items() if name not in ("range", "KeyError")}
    assert depths == {"before": 0, "first": 1, "rare": 1, "inner": 2, "last": 1, "after": 0, "end": 0}
    assert around["first"] == around["last"]
