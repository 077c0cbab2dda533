"""Coroutines handed to an event loop of another thread."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks import coroutines
from goldsplit.record.inside.hooks.coroutines import asking_stage, for_the_asking_stage


async def play(move: int) -> int:
    await asyncio.sleep(0)
    if move < 0:
        raise ValueError(move)
    return move + 1


@pytest.fixture
def in_step(state: ThreadState) -> Iterator[ThreadState]:
    """This thread is inside an environment's step, sending."""
    outer, inner = state.enter("env.step"), state.enter("vec.send")
    yield state
    state.leave(inner)
    state.leave(outer)


def test_a_coroutine_belongs_to_the_stage_that_asked(in_step: ThreadState) -> None:
    given = play(1)
    handed = for_the_asking_stage(given)
    assert handed is not given
    assert asyncio.iscoroutine(handed)
    assert (handed.__name__, handed.__qualname__) == ("play", "play")
    assert asyncio.run(handed) == 2
    spans = {node.stage: node.count for node in in_step.tasks.children.values()}
    assert spans == {"env.step": 1}


def test_exceptions_pass(in_step: ThreadState) -> None:
    with pytest.raises(ValueError, match="-1"):
        asyncio.run(for_the_asking_stage(play(-1)))


def test_outside_a_stage_it_is_handed_over_as_it_is(state: ThreadState) -> None:
    given = play(1)
    assert for_the_asking_stage(given) is given
    given.close()


@pytest.mark.parametrize("odd", [None, 3, "text", print])
def test_what_is_no_coroutine_is_left_to_asyncio(in_step: ThreadState, odd: Any) -> None:
    assert for_the_asking_stage(odd) is odd


def test_the_asking_stage(state: ThreadState) -> None:
    rollout = state.child(state.root, "rollout")
    assert asking_stage(rollout) == ""
    step = state.child(rollout, "env.step")
    assert asking_stage(state.child(state.child(step, "vec.recv"), "wait")) == "env.step"


def test_a_coroutine_handed_over_is_counted_at_the_users_line(state: ThreadState) -> None:
    coroutines._after_handing_over(state, state.root, (object(),), None)
    (name,) = (name for name in state.counts if name.startswith("fact_n:loop_submit"))
    assert name.endswith(":test_a_coroutine_handed_over_is_counted_at_the_users_line")
