"""What recording cost: by the run's own samples where there are enough, else by its spans."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import pytest

from goldsplit.analyse.own_cost import is_recorders
from goldsplit.analyse.profile import analyse
from goldsplit.model.recording import Frame, Recording, StackChunk, StackCount
from goldsplit.record.inside import framed_calls

S = 1_000_000_000
FRAMED_PY = "/somewhere/lib/goldsplit/record/inside/framed_calls.py"
LINES = inspect.getsource(framed_calls).splitlines()
LEAVING = next(i for i, line in enumerate(LINES, 1) if "cost_from = leave(node)" in line)
CALLING = next(i for i, line in enumerate(LINES, 1) if "result = fn(*args, **kwargs)" in line)


def test_the_line_that_calls_the_program_is_the_programs() -> None:
    assert is_recorders(Frame("goldsplit:act", FRAMED_PY, LEAVING))
    assert not is_recorders(Frame("goldsplit:act", FRAMED_PY, CALLING)), (
        "a C function has no frame of its own"
    )
    assert not is_recorders(Frame("Game.step", "/home/me/game.py", LEAVING))
    assert not is_recorders(Frame("beat", "/x/goldsplit/record/inside/deep/controller.py", 1)), (
        "the deep look's"
    )


def test_a_name_from_a_run_opens_no_file_but_our_own(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.py")
    for rest in (
        f"{tmp_path}/fifo.py",
        f"../../../../../../../../..{tmp_path}/fifo.py",
        "a\0b",
        "\udc80",
        "",
    ):
        assert is_recorders(Frame("goldsplit:act", f"/x/goldsplit/record/{rest}", 1))


def recorded(
    maker: Any, recording: Callable[..., Recording], own: int, others: int, calls: int = 1000
) -> Recording:
    one = maker(7)
    one.snapshot(0)
    one.spend(S, "act", count=calls)
    one.snapshot(10 * S)
    one.steps(1, 10 * S)
    run = recording(one)
    run.frames += [Frame("Game.step", "/home/me/game.py", 3), Frame("goldsplit:act", FRAMED_PY, LEAVING)]
    stacks = (StackCount(7, 7, "MainThread", (0,), others), StackCount(7, 7, "MainThread", (0, 1), own))
    run.chunks.append(StackChunk(0, 10 * S, 100, own + others, 0, 0, 0.0, stacks, ()))
    return run


def test_samples_in_the_recorders_code_are_its_cost(maker: Any, recording: Callable[..., Recording]) -> None:
    trust = analyse(recorded(maker, recording, own=40, others=960)).trust
    assert trust.overhead_share == pytest.approx(0.04)
    assert trust.overhead_low is not None
    assert trust.overhead_high is not None
    assert 0.02 < trust.overhead_low < 0.035
    assert 0.045 < trust.overhead_high < 0.06


def test_few_samples_leave_it_to_the_spans(maker: Any, recording: Callable[..., Recording]) -> None:
    trust = analyse(recorded(maker, recording, own=4, others=16)).trust
    assert trust.overhead_share is not None
    assert trust.overhead_share < 0.001


def test_what_spans_cost_at_least_is_never_undercut(maker: Any, recording: Callable[..., Recording]) -> None:
    trust = analyse(recorded(maker, recording, own=1, others=999, calls=1_000_000)).trust
    assert trust.overhead_low == pytest.approx(0.05)
    assert trust.overhead_high is not None
    assert trust.overhead_high >= trust.overhead_low


def test_the_upper_end_is_not_below_what_clocked_spans_cost(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    """Compiled code has no frames that a sample could show."""
    run = recorded(maker, recording, own=1, others=999, calls=100_000)
    plain = analyse(run).trust.overhead_high
    bucket = int(log(5_000) * 8)  # five microseconds a span, clocked inside the loop
    run.processes[0].costs[0] = {bucket: 50}
    trust = analyse(run).trust
    assert plain is not None
    assert trust.overhead_high is not None
    assert plain < 0.02 < 0.04 < trust.overhead_high < 0.06
