"""Whoever waits, the instant goes to the stage whose work the device does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from goldsplit.analyse.profile import analyse
from goldsplit.model.device.device_record import KernelRecord
from goldsplit.model.profile import Profile
from goldsplit.model.recording import RawSpans, Recording

Train = Callable[..., Recording]
LARGE = {"act_us": 100, "game_us": 500, "kernels": 10, "kernel_us": 200, "launch_us": 10}
SMALL = {"act_us": 5, "game_us": 200, "kernels": 100, "kernel_us": 2, "launch_us": 10}


def shares(profile: Profile) -> dict[str, float]:
    return {row.stage: row.wall_share for row in profile.stages}


@pytest.mark.parametrize("seen", [{"profiler": False}, {"marks": False}, {}])
def test_a_device_that_computes_updates_while_the_action_is_read(train: Train, seen: dict[str, bool]) -> None:
    recording = train(**seen, **LARGE)
    found = analyse(recording)
    # A round of 2615 us: the update's 2000 us, 100 of them while it is launched and 1900 while the action is
    # read; then the acting's own 100 us, and the game.
    row = shares(found)
    assert row["learn.backward"] == pytest.approx(2000 / 2615, abs=0.03)
    assert row["env.step"] == pytest.approx(500 / 2615, abs=0.03)
    assert row["act"] == pytest.approx(115 / 2615, abs=0.03)
    assert "transfer.wait" not in row


@pytest.mark.parametrize(("kernel_us", "is_known"), [(200, False), (2000, True)])
def test_a_host_that_is_woken_late_is_believed_where_waits_are_long(
    train: Train, kernel_us: int, is_known: bool
) -> None:
    late = LARGE | {"kernel_us": kernel_us, "wake_us": 150}
    found = analyse(train(profiler=False, **late))
    row = shares(found)
    assert ("transfer.wait" not in row) == is_known
    assert (row["learn.backward"] > 0.7) == is_known
    assert [use.mark_windows for use in found.devices] == [int(is_known)]


def test_nothing_is_known_of_a_device_that_was_not_looked_at(train: Train) -> None:
    recording = train(marks=False, profiler=False, **LARGE)
    recording.processes[0].device.settings["asked"] = False
    found = analyse(recording)
    assert shares(found)["transfer.wait"] > 0.6
    (use,) = found.devices
    assert "record with --gpu" in use.note
    assert use.busy_share is None
    assert use.waited_share is None


def test_the_devices_work_by_stage(train: Train) -> None:
    (use,) = analyse(train(**LARGE)).devices
    busy = {row.stage: row.busy_share for row in use.stages}
    assert busy["learn.backward"] == pytest.approx(2000 / 2615, abs=0.03)
    assert busy["act"] == pytest.approx(100 / 2615, abs=0.03)
    assert use.launches_per_env_step == pytest.approx(11, rel=0.05)
    assert not use.note


def test_a_learner_that_starts_kernels_too_slowly(train: Train) -> None:
    found = analyse(train(**SMALL))
    (use,) = found.devices
    assert use.busy_share == pytest.approx(0.2 * 1000 / 1230, abs=0.05)
    idle = {(row.cause, row.stage): row.share for row in use.idle}
    assert idle["launches", "learn.backward"] == pytest.approx(800 / 1230, abs=0.05)
    assert idle["environments", "env.step"] == pytest.approx(200 / 1230, abs=0.03)
    assert use.gap_us == pytest.approx(8)


def test_the_device_is_a_lane_after_the_drivers(train: Train) -> None:
    found = analyse(train(**SMALL))
    assert [lane.role for lane in found.lanes] == ["driver", "device"]
    assert found.lanes[1].thread == "cuda:0"


def test_a_wait_is_a_part_of_its_call(train: Train) -> None:
    (use,) = analyse(train(**LARGE)).devices
    rows = {row.stage: row for row in use.stages}
    assert rows["act"].launches_per_call == pytest.approx(1)
    assert rows["learn.backward"].launches_per_call == pytest.approx(10)


def cut_to_rounds(recording: Recording, first: int, last: int) -> None:
    """Short windows whose borders lie in the middle of a wait: while the device is busy with the update."""
    device = recording.processes[0].device
    whole = device.kernels[0]
    waits = [call for call in whole.calls if call.end_ns - call.start_ns > 1_000_000]
    start, end = ((waits[k].start_ns + waits[k].end_ns) // 2 for k in (first, last))
    work = [
        one._replace(asked_ns=one.asked_ns if (one.asked_ns or 0) >= start else None)
        for one in whole.work
        if one.start_ns >= start and one.end_ns <= end
    ]
    calls = [call for call in whole.calls if call.start_ns >= start and call.end_ns <= end]
    # A span is kept when it ends: what had begun before the window is in it, too.
    spans = RawSpans.of([span for span in whole.spans.rows() if start < span[2] <= end])
    device.kernels[:] = [KernelRecord(start, end, 0, work, calls, len(work), spans)] * 2


def test_work_at_the_borders_of_a_window_is_not_guessed(train: Train) -> None:
    recording = train(marks=False, **LARGE)
    cut_to_rounds(recording, 10, 13)
    row = shares(analyse(recording))
    assert row["learn.backward"] == pytest.approx(2000 / 2615, abs=0.03)
    assert row["act"] == pytest.approx(115 / 2615, abs=0.03)
