"""A server or worker with the game that is ended by a signal has not written its last part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.analyse.profile import analyse
from goldsplit.model.recording import Recording

S = 1_000_000_000


def notes(
    maker: Any, recording: Callable[..., Recording], steps: tuple[int, int, int], says_so: bool = False
) -> list[str]:
    trainer, server = maker(7), maker(8, ppid=7)
    trainer.snapshot(0)
    trainer.spend(2 * S, "learn.loss", count=10)
    trainer.snapshot(2 * S)
    trainer.process.end_ns = 2 * S
    for place, count in enumerate(steps):
        server.spend(S // 5, "env.step", count=100)
        server.snapshot((5 + place) * S // 4, own_env_steps=count)
    server.steps(S, 7 * S // 4)
    server.process.end_ns = 2 * S if says_so else None
    return [
        note
        for note in analyse(recording(trainer, server, end_ns=2 * S)).trust.notes
        if "missing from the counts" in note
    ]


def test_steps_after_the_last_snapshot_may_be_missing(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    assert notes(maker, recording, (100, 200, 300)) == [
        "process 8 ended without saying so while stepping: env steps and episodes of the last 0.25 s may be "
        "missing from the counts"
    ]


@pytest.mark.parametrize(
    ("steps", "says_so"),
    [
        ((100, 200, 300), True),
        ((100, 300, 300), False),
        ((10_000, 20_000, 20_001), False),
        ((-5, -5, -5), False),  # no run says that, a changed one may
    ],
)
def test_nothing_worth_telling_is_missing(
    maker: Any, recording: Callable[..., Recording], steps: tuple[int, int, int], says_so: bool
) -> None:
    assert notes(maker, recording, steps, says_so) == []
