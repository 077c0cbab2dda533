"""Counts that cannot all be true are withheld, with the reason; what a fixed number explains is believed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from goldsplit.analyse.counts.doubts import Counted, Grown, doubt_of_episodes, doubt_of_steps
from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.counts.steps_and_updates import Counting
from goldsplit.analyse.profile import analyse
from goldsplit.model.recording import Recording

S = 1_000_000_000
VARIED = (383, 512, 217, 440, 391, 350)
"""False steps for each action: a fight inside the game has as many blows as it has."""


def run(parts: Sequence[tuple[int, int, int]], episodes: int | None = None, begun: int = 0) -> Counted:
    """A run of parts with so many (env steps, choices, stored transitions)."""
    grown = [Grown(*part) for part in parts]
    return Counted(sum(part.env_steps for part in grown), episodes, begun, grown)


def test_blows_of_fights_are_no_steps() -> None:
    said = doubt_of_steps(run([(200 * many, 200, 200) for many in VARIED]))
    assert said is not None
    assert said.startswith("env steps not counted: 458,600 calls look like steps, but only 1,200 actions")
    assert "1,200 transitions stored" in said
    assert "--progress module:function" in said


@pytest.mark.parametrize(
    "parts",
    [
        [(64 * n, n, n) for n in (90, 110, 80, 100)],  # 64 games in one batch
        [(64 * n, n, 64 * n) for n in (90, 110, 80, 100)],  # and each is stored alone
        [(500, 0, 500), (500, 10, 500), (500, 60, 500), (500, 110, 500), (500, 150, 500)],  # mostly at random
        [(100 * n, 100, 0) for n in (9, 4, 2, 1)],  # fewer and fewer at random, stored by lines of the loop
        [(5000, 100, 100), (40000, 100, 100)],  # too few parts to tell a fixed number from any other
        [(400 * n, 4, 4) for n in (3, 9, 5, 7)],  # a witness that has hardly seen anything
        [(500, 0, 0), (500, 0, 0), (700, 0, 0)],  # nothing but steps
    ],
)
def test_what_a_program_of_that_kind_can_do_is_believed(parts: list[tuple[int, int, int]]) -> None:
    assert doubt_of_steps(run(parts)) is None


def test_one_witness_alone_must_be_far_off() -> None:
    alone = [(300 * many, 300, 0) for many in VARIED]
    assert doubt_of_steps(run(alone)) is not None
    assert doubt_of_steps(run([(steps // 10, seen, 0) for steps, seen, _ in alone])) is None


def test_more_episodes_than_steps() -> None:
    assert doubt_of_episodes(run([(400, 400, 400)], episodes=401)) == (
        "episodes not counted: 401 ended in 400 env steps"
    )
    assert doubt_of_episodes(run([(400, 400, 400)], episodes=400)) is None, "a game of one move"
    assert doubt_of_episodes(run([(400, 400, 400)], episodes=400, begun=400)) is None


def test_every_step_seems_to_end_an_episode_that_nobody_began() -> None:
    said = doubt_of_episodes(run([(400, 400, 400)], episodes=399, begun=12))
    assert said is not None
    assert "only 12 were begun" in said


def made(maker: Any, recording: Callable[..., Recording], **first: float) -> Recording:
    """A run in which each action is 200 to 500 calls of something that was taken for a step."""
    one = maker(7)
    one.steps(S, 9 * S)
    steps = 0
    one.snapshot(S, own_env_steps=0, **first)
    for second, many in enumerate(VARIED, start=2):
        steps += 200 * many
        one.spend(S // 4, "env.step", count=200 * many)
        one.spend(S // 8, "act", count=200)
        one.spend(S // 8, "replay.add", count=200)
        one.spend(S // 8, "eval", "act", count=5000)  # the test's own choices say nothing
        one.snapshot(second * S, own_env_steps=steps, **first)
    return recording(one)


def test_a_recording_says_nothing_rather_than_a_wrong_number(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    profile = analyse(made(maker, recording))
    assert profile.throughput.env_steps is None
    assert profile.throughput.env_steps_per_second is None
    assert all(lane.env_steps is None for lane in profile.lanes)
    assert [note for note in profile.trust.notes if note.startswith("env steps not counted: ")]


def test_the_users_own_count_is_not_doubted(maker: Any, recording: Callable[..., Recording]) -> None:
    run_with_own = made(maker, recording, **{"user:env_steps": 1200})
    counts = Counting(run_with_own, {one.id: Series(one) for one in run_with_own.processes})
    assert counts.at(1 << 62).env_steps == 1200
    assert not counts.doubts
