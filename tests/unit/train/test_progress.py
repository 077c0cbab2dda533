"""What a training tells: figures over the last games and seconds, lines and a bar, TensorBoard scalars."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from goldsplit.train import progress
from goldsplit.train.options import TrainOptions
from goldsplit.train.progress import PACE_SECONDS, RECENT, Pace, Point, Recent, Telling, described, duration
from goldsplit.train.worlds import Episode

POINT = Point(5_000, 10.0, 250, 512.4, 1.234, 0.5)


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_recent_counts_the_last_games_only() -> None:
    recent = Recent()
    assert (recent.mean_return, recent.win_rate) == (None, None)
    recent.add(Episode(0, 100.0, 3, True) for _ in range(50))
    recent.add(Episode(0, 2.0, 3, False) for _ in range(RECENT))
    assert (recent.mean_return, recent.win_rate, recent.count) == (2.0, 0.0, 50 + RECENT)


def test_a_game_without_a_winner_has_no_win_rate() -> None:
    recent = Recent([Episode(0, 1.0, 3, None)])
    assert (recent.mean_return, recent.win_rate) == (1.0, None)
    assert "wins" not in described(POINT._replace(win_rate=None), 10_000)


def test_the_pace_is_that_of_the_last_seconds() -> None:
    pace = Pace(1_000)
    for second in range(1, 21):
        fast = pace.now(float(second), 1_000 + 100 * second)
    assert fast == pytest.approx(100.0)
    for second in range(21, 21 + int(PACE_SECONDS) + 1):
        slow = pace.now(float(second), 3_000 + second - 20)
    assert slow == pytest.approx(1.0, abs=0.01), "the fast start is forgotten"


def test_a_line_has_all_figures_and_the_time_left() -> None:
    text = described(POINT, 10_000)
    assert text == "512 steps/s · return 1.23 · wins 50% · 0.050 updates/step · 10 s left"
    assert "left" not in described(POINT, 5_000)
    assert [duration(seconds) for seconds in (0, 59.4, 60, 3_599, 7_385)] == [
        "0 s",
        "59 s",
        "1:00",
        "59:59",
        "2:03:05",
    ]


def test_without_a_terminal_a_line_every_ten_seconds() -> None:
    clock, stream = Clock(), io.StringIO()
    with Telling(TrainOptions(steps=10_000), stream=stream, clock=clock) as telling:
        for _ in range(100):
            clock.now += 0.5
            telling.tick(POINT)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("5,000 of 10,000 steps · 512 steps/s")


def test_in_a_terminal_a_bar() -> None:
    stream = Terminal()
    with Telling(TrainOptions(game="snake", steps=10_000), stream=stream) as telling:
        telling.tick(POINT)
        telling.say("a line above")
    text = stream.getvalue()
    assert "snake (fast)" in text
    assert "50%" in text
    assert "512 steps/s" in text
    assert "a line above" in text


def test_quiet_says_nothing() -> None:
    clock = Clock()
    for stream in (io.StringIO(), Terminal()):
        with Telling(TrainOptions(), quiet=True, stream=stream, clock=clock) as telling:
            clock.now += 100
            telling.tick(POINT)
            telling.say("x")
        assert stream.getvalue() == ""


def test_scalars_are_read_by_tensorboard(tmp_path: Path) -> None:
    event_accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with Telling(TrainOptions(folder=str(tmp_path)), quiet=True) as telling:
        telling.point(POINT._replace(win_rate=None), {"loss": 0.25})
        telling.scalars("evaluation", 5_000, {"win_rate": 0.75, "none": None})
    read = event_accumulator.EventAccumulator(str(tmp_path))
    read.Reload()
    found = {tag: [(one.step, one.value) for one in read.Scalars(tag)] for tag in read.Tags()["scalars"]}
    assert found["train/loss"] == [(5_000, 0.25)]
    assert found["evaluation/win_rate"] == [(5_000, 0.75)]
    assert found["train/updates_per_env_step"] == [(5_000, pytest.approx(0.05))]
    assert not {"train/win_rate", "evaluation/none"} & set(found), "not measured is left out"


def test_no_scalars_where_they_are_not_wanted(tmp_path: Path) -> None:
    with Telling(TrainOptions(folder=str(tmp_path), tensorboard=False), quiet=True) as telling:
        telling.point(POINT, {})
    assert list(tmp_path.iterdir()) == []


def test_a_missing_tensorboard_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(progress, "scalars_to", lambda folder, first: None)
    stream = io.StringIO()
    with Telling(TrainOptions(folder=str(tmp_path)), stream=stream) as telling:
        telling.point(POINT, {})
    assert "pip install tensorboard" in stream.getvalue()
