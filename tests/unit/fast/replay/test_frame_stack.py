"""Frame stacks: each frame stored once, episode borders right, against a plain list of stacks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldsplit.fast.replay import Field, FrameStackReplay

FRAME = Field((2, 3), np.uint16)
REST = {"number": Field((), np.int64)}


class Player:
    """Plays episodes in one lane and remembers the stacks that a plain frame-stack wrapper would give."""

    def __init__(self, lane: int, stack: int, pad: str) -> None:
        self.lane, self.stack, self.pad = lane, stack, pad
        self.number = 0
        self.frames: list[np.ndarray] = []
        self.expected: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def frame(self) -> np.ndarray:
        return np.full(
            FRAME.shape, 1 + self.lane * 10_000 + self.number * 3 + len(self.frames) % 3, np.uint16
        )

    def stacked(self, frames: list[np.ndarray]) -> np.ndarray:
        first = frames[0] if self.pad == "repeat" else np.zeros_like(frames[0])
        return np.stack(([first] * self.stack + frames)[-self.stack :])

    def step(self, ended: bool) -> dict[str, Any]:
        if not self.frames:
            self.frames = [self.frame()]
        self.number += 1
        before = list(self.frames)
        self.frames.append(self.frame())
        key = self.lane * 10_000 + self.number
        self.expected[key] = (self.stacked(before), self.stacked(self.frames))
        step = {"frame": before[-1], "next_frame": self.frames[-1], "ended": ended, "number": key}
        if ended:
            self.frames = []
        return step


def check(buffer: FrameStackReplay, players: list[Player]) -> set[int]:
    """Every sampled row equals what the plain wrapper gave; the numbers that were seen."""
    batch = buffer.sample(200)
    for i, number in enumerate(batch.number):
        obs, next_obs = players[int(number) // 10_000].expected[int(number)]
        assert np.array_equal(batch.obs[i], obs)
        assert np.array_equal(batch.next_obs[i], next_obs)
    return set(batch.number.tolist())


@settings(max_examples=40)
@given(
    st.integers(1, 5),
    st.integers(1, 3),
    st.sampled_from(["repeat", "zero"]),
    st.sampled_from([None, 0.6]),
    st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=120),
    st.integers(0, 9),
)
def test_sampled_stacks_equal_those_of_a_plain_wrapper(
    stack: int, lanes: int, pad: str, alpha: float | None, play: list[tuple[int, bool]], extra: int
) -> None:
    capacity = lanes * (stack + 2 + extra)
    buffer = FrameStackReplay(capacity, FRAME, REST, stack=stack, lanes=lanes, pad=pad, alpha=alpha, seed=0)
    players = [Player(lane, stack, pad) for lane in range(lanes)]
    for lane, ended in play:
        buffer.add(lane=lane % lanes, **players[lane % lanes].step(ended))
        if len(buffer):
            check(buffer, players)


def test_everything_recent_enough_can_be_drawn() -> None:
    buffer = FrameStackReplay(60, FRAME, REST, stack=4, seed=0)
    player = Player(0, 4, "repeat")
    for number in range(1, 501):
        buffer.add(**player.step(number % 11 == 0))
    seen = set().union(*(check(buffer, [player]) for _ in range(20)))
    # 60 slots less the final frames of 5 or 6 episodes, the frame after the newest, and at most 3 stacks
    # whose oldest frames were overwritten.
    assert seen == set(range(501 - len(buffer), 501))
    assert 60 - 6 - 1 - 3 <= len(buffer) <= 60 - 5


def test_memory_is_at_most_three_tenths_of_storing_stacks_of_four() -> None:
    frame = Field((84, 84), np.uint8)
    fields = {
        "action": Field((), np.int64),
        "reward": Field((), np.float32),
        "terminated": Field((), np.bool_),
    }
    buffer = FrameStackReplay(1000, frame, fields, stack=4, seed=0)
    image = np.zeros(frame.shape, np.uint8)
    for number in range(3000):  # episodes of 100 steps
        buffer.add(
            frame=image, next_frame=image, ended=number % 100 == 99, action=1, reward=0.0, terminated=False
        )
    stacks_bytes = len(buffer) * 4 * frame.bytes
    assert buffer.nbytes <= 0.3 * stacks_bytes


def test_extend_takes_one_step_of_every_lane_or_named_lanes() -> None:
    buffers = [FrameStackReplay(60, FRAME, REST, stack=3, lanes=3, seed=0) for _ in range(3)]
    players = [[Player(lane, 3, "repeat") for lane in range(3)] for _ in buffers]
    for time in range(30):
        for buffer, team, mode in zip(buffers, players, ("add", "extend", "named"), strict=True):
            steps = [player.step((time + lane) % 7 == 0) for lane, player in enumerate(team)]
            columns = {name: np.stack([step[name] for step in steps]) for name in steps[0]}
            if mode == "add":
                for lane, step in enumerate(steps):
                    buffer.add(lane=lane, **step)
            elif mode == "extend":
                buffer.extend(**columns)
            else:
                buffer.extend(lane=[0, 1, 2], **columns)
    first, *others = [buffer.sample(100) for buffer in buffers]
    for other in others:
        for left, right in zip(first, other, strict=True):
            assert np.array_equal(left, right)
    check(buffers[0], players[0])


def test_priorities_of_overwritten_slots_are_dropped_by_stamp() -> None:
    buffer = FrameStackReplay(20, FRAME, REST, stack=2, alpha=1.0, seed=0)
    player = Player(0, 2, "repeat")
    for _ in range(15):
        buffer.add(**player.step(False))
    old = buffer.sample(64).indices
    for _ in range(12):
        buffer.add(**player.step(False))
    kept = buffer.update_priorities(old, np.full(64, 50.0))
    fresh = buffer.sample(1000)
    assert 0 < kept < 64
    assert kept <= int((old >= 8).sum())
    heavy = np.bincount(fresh.indices, minlength=20) > 60
    assert not heavy[:7].any()  # written after the stamp: still at their own priority
    assert heavy[8:15].any()


def test_wrong_use_is_refused() -> None:
    with pytest.raises(
        ValueError, match="capacity 10 does not fit 3 lanes of stacks of 4\nhint: take a multiple of 3"
    ):
        FrameStackReplay(10, FRAME, REST, lanes=3)
    with pytest.raises(ValueError, match="pad must be 'repeat' or 'zero', got 'edge'"):
        FrameStackReplay(10, FRAME, REST, pad="edge")
    with pytest.raises(ValueError, match=r"field names \['obs'\] are taken"):
        FrameStackReplay(10, FRAME, {"obs": FRAME})
    with pytest.raises(ValueError, match="stack and lanes must be at least 1, got stack=0"):
        FrameStackReplay(10, FRAME, REST, stack=0)
    buffer = FrameStackReplay(10, FRAME, REST, lanes=1)
    step = Player(0, 4, "repeat").step(False)
    with pytest.raises(IndexError, match="lane 1 is outside of the 1 lanes"):
        buffer.add(lane=1, **step)
    with pytest.raises(ValueError, match=r"'next_frame' has the shape \(2, 3\), got \(3, 2\)"):
        buffer.add(**step | {"next_frame": step["next_frame"].T})
    with pytest.raises(TypeError, match="samples uniformly\nhint"):
        buffer.update_priorities([0], [1.0])
    two = FrameStackReplay(20, FRAME, REST, lanes=2)
    with pytest.raises(ValueError, match="extend got 1 rows for 2 lanes\nhint"):
        two.extend(**{name: np.asarray(value)[None] for name, value in step.items()})
    assert len(buffer) == 0
