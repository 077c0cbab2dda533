"""Library code counts for the user's line that called it."""

from __future__ import annotations

import pytest

from goldsplit.analyse.stacks.frame_stages import Classified
from goldsplit.analyse.stacks.samples import Sampled
from goldsplit.analyse.stacks.user_frames import innermost_own
from goldsplit.analyse.stacks.user_lines import user_lines
from goldsplit.analyse.wall.account import Weight
from goldsplit.model.finding import Place
from goldsplit.model.recording import Frame, NativeThread, ProcessId

MAIN = Frame("main", "/home/me/train.py", 90)
SAMPLE_A = Frame("Replay.sample", "/home/me/train.py", 40)
SAMPLE_B = Frame("Replay.sample", "/home/me/train.py", 41)
NUMPY = Frame("choice", "/venv/lib/python3.11/site-packages/numpy/random.py", 9)
WRAPPER = Frame("goldsplit:replay.sample", "/src/goldsplit/record/spans.py", 5)
FRAMES = [MAIN, SAMPLE_A, SAMPLE_B, NUMPY, WRAPPER]


def sampled(stage: str | None, count: int, *frames: int) -> Weight:
    row = Sampled(NativeThread(ProcessId(1), 1), frames, count, Classified(stage, stage is not None, False))
    return Weight(row, stage, 1.0, count)


def test_a_function_is_one_row_at_its_most_seen_line() -> None:
    weighted = [
        (sampled("replay.sample", 3, 0, 4, 1, 3), 0.3),
        (sampled("replay.sample", 8, 0, 4, 2), 0.4),
        (sampled(None, 9, 0), 0.1),
        (sampled("act", 7, 0), 0.2),
    ]
    first, second = user_lines(weighted, FRAMES)
    assert first.place == Place("/home/me/train.py", 41, "Replay.sample")
    assert (first.stage, first.samples) == ("replay.sample", 11)
    assert first.share == pytest.approx(0.7)
    assert (second.place.function, second.stage) == ("main", None), "seven samples of act are too few"


def test_a_function_is_also_told_with_what_it_calls() -> None:
    helper = Frame("moved", "/home/me/train.py", 60)
    weighted = [
        (sampled("replay.sample", 8, 0, 4, 1), 0.2),
        (sampled("replay.sample", 8, 0, 4, 1, 5), 0.3),
        (sampled("replay.sample", 3, 0, 4, 1, 5, 1), 0.1),
    ]
    found = {line.place.function: line for line in user_lines(weighted, [*FRAMES, helper])}
    assert found["Replay.sample"].with_callees == pytest.approx(0.6), "recursion counts once"
    assert found["moved"].with_callees == pytest.approx(0.4)


def test_what_the_recorder_costs_is_no_functions_time() -> None:
    assert user_lines([(sampled("replay.sample", 9, 0, 4), 0.3)], FRAMES) == []


def test_innermost_own_frame() -> None:
    assert innermost_own([MAIN, WRAPPER, SAMPLE_A, NUMPY]) is SAMPLE_A
    assert innermost_own([NUMPY]) is None
    assert innermost_own([]) is None
