"""Values of episodes from every kind of source."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from torch.utils.tensorboard import SummaryWriter

from goldsplit.experiment.quality import TrialFiles, Value, outcome, seconds_to_target, values_of
from goldsplit.model.experiment.design import GateKind, Source, SourceKind
from goldsplit.model.experiment.trial import Outcome

METRICS = {
    "win": {"count": 40.0, "mean": 0.5},
    "end:timeout": {"count": 3.0, "mean": 1.0},
    "end:win": {"count": 9.0, "mean": 1.0},
}


def files(folder: Path, since: float = 0.0) -> TrialFiles:
    return TrialFiles((folder,), since, folder / "output.txt", METRICS)


def test_recorded_metrics(tmp_path: Path) -> None:
    source = Source(SourceKind.RECORDED, "", "win")
    assert outcome(source, GateKind.RATE, files(tmp_path)) == Outcome(40, 0.5)
    assert outcome(Source(SourceKind.RECORDED, "", "loss"), GateKind.MEAN, files(tmp_path)) == Outcome(0)
    reasons = outcome(Source(SourceKind.RECORDED), GateKind.REASONS, files(tmp_path))
    assert reasons == Outcome(12, None, {"timeout": 3, "win": 9})


def test_what_libraries_know_is_taken_where_the_program_says_nothing(tmp_path: Path) -> None:
    known = {
        "episode_end:terminated": {"count": 3.0, "mean": 1.0},
        "monitor_end:terminated": {"count": 4.0, "mean": 1.0},
        "monitor_success": {"count": 4.0, "mean": 0.25},
    }
    there = dataclasses.replace(files(tmp_path), metrics=known)
    assert outcome(Source(SourceKind.RECORDED), GateKind.REASONS, there).reasons == {"terminated": 3}
    assert outcome(Source(SourceKind.RECORDED, "", "win"), GateKind.RATE, there) == Outcome(4, 0.25)
    nothing = dataclasses.replace(there, metrics={})
    assert outcome(Source(SourceKind.RECORDED), GateKind.REASONS, nothing) == Outcome(0)


def test_monitor_files(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    monitor = tmp_path / "logs" / "0.monitor.csv"
    monitor.write_text('#{"t_start": 1.0, "env_id": "x"}\nr,l,t,reason\n10,5,1.0,win\n20,5,2.5,timeout\n')
    source = Source(SourceKind.CSV, "", "r")
    assert outcome(source, GateKind.MEAN, files(tmp_path)) == Outcome(2, 15.0)
    assert values_of(source, files(tmp_path))[1] == Value("20", 2.5)
    assert outcome(Source(SourceKind.CSV, "", "reason"), GateKind.REASONS, files(tmp_path)).reasons == {
        "win": 1,
        "timeout": 1,
    }
    assert outcome(source, GateKind.MEAN, files(tmp_path, since=monitor.stat().st_mtime + 1)) == Outcome(0)


def test_output(tmp_path: Path) -> None:
    (tmp_path / "output.txt").write_text("score 3\nwon: True\nscore 5\nwon: False\nscore nan\n")
    score = Source(SourceKind.OUTPUT, r"^score (\S+)$")
    assert outcome(score, GateKind.MEAN, files(tmp_path)) == Outcome(2, 4.0)
    assert outcome(Source(SourceKind.OUTPUT, r"won: (\w+)"), GateKind.RATE, files(tmp_path)) == Outcome(
        2, 0.5
    )
    assert outcome(score, GateKind.MEAN, files(tmp_path / "none")) == Outcome(0)


def test_tensorboard(tmp_path: Path) -> None:
    writer = SummaryWriter(str(tmp_path / "runs"))
    for step, value in enumerate((1.0, 2.0, 6.0)):
        writer.add_scalar("rollout/ep_rew_mean", value, step, walltime=100.0 + step)
        writer.add_scalar("other", 7.0, step)
    writer.close()
    source = Source(SourceKind.TENSORBOARD, "", "rollout/ep_rew_mean")
    assert outcome(source, GateKind.MEAN, files(tmp_path)) == Outcome(3, 3.0)
    found = values_of(source, TrialFiles((tmp_path,), 90.0, tmp_path, {}))
    assert [value.seconds for value in found] == pytest.approx([10.0, 11.0, 12.0])


def test_when_a_target_is_reached() -> None:
    values = [Value(str(min(i, 50)), float(i)) for i in range(100)]
    assert seconds_to_target(values, 30.0) == 40.0  # the mean of 20 values lags behind by about ten
    assert seconds_to_target(values, 60.0) is None
    assert seconds_to_target(values[:10], 1.0) is None
