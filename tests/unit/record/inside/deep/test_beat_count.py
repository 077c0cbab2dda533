"""Steps and updates in windows are counted, whether somebody listens or not."""

from __future__ import annotations

import pytest

from goldsplit.model.wire import STEP, UPDATE, Counter
from goldsplit.record.inside.deep.beat_count import BeatCount
from goldsplit.record.inside.engine import ThreadState


def go_on(state: ThreadState, steps: int, updates: int = 0) -> None:
    counts = state.counts
    counts[Counter.VECTOR_ENV_STEPS] = counts.get(Counter.VECTOR_ENV_STEPS, 0) + steps
    counts[Counter.UPDATES + "/1"] = counts.get(Counter.UPDATES + "/1", 0) + updates


def test_beats_that_nobody_heard_are_counted_by_the_counters(state: ThreadState) -> None:
    beats = BeatCount()
    beats.open()
    for _ in range(5):  # a step of eight environments each
        go_on(state, 8)
        beats.hear(STEP)
    beats.fall_silent()
    go_on(state, 160, 7)
    assert beats.close() >= 0
    assert beats.beats == [25, 7]


def test_what_happens_between_windows_is_not_counted(state: ThreadState) -> None:
    beats = BeatCount()
    for _ in range(2):
        beats.open()
        go_on(state, 1, 1)
        beats.hear(STEP)
        beats.hear(UPDATE)
        assert beats.close() == 0
        go_on(state, 1000, 1000)
    beats.open()
    beats.fall_silent()
    go_on(state, 10)
    beats.close()
    assert beats.beats == [12, 2]


@pytest.mark.parametrize(("beats", "kind"), [((), STEP), ((UPDATE,), UPDATE), ((UPDATE, STEP), STEP)])
def test_a_segment_that_did_not_end_is_a_step_if_there_are_any(beats: tuple[int, ...], kind: int) -> None:
    count = BeatCount()
    for beat in beats:
        count.hear(beat)
    assert count.usual_kind() == kind
