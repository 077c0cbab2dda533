"""What follows a forward pass tells what it was for."""

from __future__ import annotations

from goldsplit.record.engine import MOST_UNDECIDED, ThreadState
from goldsplit.record.hooks.purpose import CallSite, call_site, settle_forward


def passed(state: ThreadState, *sites: CallSite) -> None:
    state.undecided.extend(sites)


def wrapper(learning: bool) -> CallSite:
    return call_site(learning)


def test_all_passes_of_an_update_learn(state: ThreadState) -> None:
    target, online = CallSite("act"), CallSite("learn.forward")
    passed(state, target, online)
    settle_forward(state, learning=True)
    assert (target.stage, online.stage) == ("learn.forward", "learn.forward")
    settle_forward(state, learning=False)
    assert target.stage == "learn.forward", "a pass votes once"


def test_passes_before_a_step_act_and_the_majority_decides(state: ThreadState) -> None:
    site = CallSite("learn.forward")
    for learning in (False, False, True):
        passed(state, site)
        settle_forward(state, learning)
    assert site.stage == "act"


def test_a_program_that_never_steps_keeps_few(state: ThreadState) -> None:
    passed(state, *[CallSite("act") for _ in range(1000)])
    assert len(state.undecided) == MOST_UNDECIDED


def test_places_are_told_apart() -> None:
    first, again = [wrapper(learning=False) for _ in range(2)]
    other = wrapper(learning=True)
    assert first is again
    assert other is not first
    assert (first.stage, other.stage) == ("act", "learn.forward")
