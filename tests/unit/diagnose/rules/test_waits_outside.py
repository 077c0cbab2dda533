from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.diagnose.rules.waits_outside import RULE
from goldsplit.model.profile import Profile


def run(make: SimpleNamespace, waited: float = 0.6, role: str = "other", **changes: Any) -> Profile:
    """100 s: the driver waits for an event loop that is idle most of the time."""
    loop = {"busy_share": 0.1, "wait_share": 0.8, "charged_share": waited - 0.05} | changes
    lanes = [
        make.lane("driver", busy_share=1 - waited, wait_share=waited),
        make.lane(role, thread="Thread-1 (run_forever)", thread_id=101, **loop),
    ]
    return make.profile({"wait": waited, "env.step": 0.1, "learn.backward": 0.9 - waited}, lanes=lanes)


def test_a_game_server_behind_an_event_loop(make: SimpleNamespace) -> None:
    (finding,) = make.found(RULE, run(make))
    assert finding.share == pytest.approx(0.45), "what the loop's thread computes itself is taken off"
    assert finding.ceiling_speedup == pytest.approx(1 / 0.55, rel=0.01)
    assert finding.evidence["through_thread"] == "Thread-1 (run_forever)"
    assert finding.confidence == "medium"


def test_the_place_is_where_the_coroutine_is_handed_over(make: SimpleNamespace) -> None:
    place = make.place(35, "Battle.step")
    profile = dataclasses.replace(run(make), facts=(make.fact("loop_submit", place=place),))
    (finding,) = make.found(RULE, profile)
    assert finding.where == place


def test_event_loops_of_worker_processes(make: SimpleNamespace) -> None:
    loops = [
        make.lane("other", pid, thread="loop", busy_share=0.1, wait_share=0.8, charged_share=charged)
        for pid, charged in ((201, 0.3), (202, 0.2))
    ]
    profile = make.profile({"vec.wait": 0.6, "env.step": 0.4}, lanes=[make.lane("driver"), *loops])
    (finding,) = make.found(RULE, profile)
    assert (finding.stage, finding.evidence["such_threads"]) == ("vec.wait", 2)
    assert finding.share == pytest.approx(0.4)


def test_an_event_loop_that_plays_is_outside_as_far_as_it_is_idle(make: SimpleNamespace) -> None:
    """Its waiting is charged to the environment's step."""
    lanes = [
        make.lane("driver", busy_share=0.1, wait_share=0.9),
        make.lane("env-worker", thread="loop", busy_share=0.02, wait_share=0.98, charged_share=0.8),
    ]
    profile = make.profile({"env.step": 0.85, "learn.backward": 0.15}, lanes=lanes)
    rows = [
        dataclasses.replace(row, waited_share=0.8 if row.stage == "env.step" else 0.0)
        for row in profile.stages
    ]
    profile = dataclasses.replace(profile, stages=rows)
    assert make.found(RULE, profile) == [], "no coroutine was handed over"
    handed = dataclasses.replace(
        profile, facts=(make.fact("loop_submit", place=make.place(35, "Battle.step")),)
    )
    (finding,) = make.found(RULE, handed)
    assert (finding.stage, finding.share) == ("env.step", pytest.approx(0.78))


@pytest.mark.parametrize(
    "changes",
    [
        {"wait_share": 0.3, "busy_share": 0.5},
        {"charged_share": 0.2},
        {"charged_share": None},
        {"waited": 0.12},
        {"role": "env-worker"},
    ],
    ids=[
        "the thread works",
        "most of the wait is for others",
        "the driver does not wait for it",
        "little",
        "a pool",
    ],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, Any]) -> None:
    assert make.found(RULE, run(make, **changes)) == []
