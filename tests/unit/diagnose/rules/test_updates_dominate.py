from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.updates_dominate import RULE

LEARNING = {"learn.backward": 0.5, "learn.forward": 0.2, "replay.sample": 0.1, "env.step": 0.1}


def test_many_updates_that_take_most_of_the_run(make: SimpleNamespace) -> None:
    update = make.fact("update", count=40, place=make.place(88, "main"))
    busy = make.throughput(updates_per_env_step=4.0)
    (finding,) = make.found(RULE, make.profile(LEARNING, throughput=busy, facts=[update]))
    assert finding.where.line == 88
    assert finding.evidence["updates_per_env_step"] == 4.0
    kept = 0.25 / 4.0
    assert finding.share == pytest.approx(0.8 * (1 - kept))
    assert finding.ceiling_speedup == pytest.approx(1 / (1 - 0.8 * (1 - kept)))


@pytest.mark.parametrize(
    ("ratio", "stages"),
    [(1.0, LEARNING), (None, LEARNING), (4.0, {"env.step": 0.6, "learn.backward": 0.3})],
    ids=["usual ratio", "not counted", "learning is cheap"],
)
def test_no_finding(make: SimpleNamespace, ratio: float | None, stages: dict[str, float]) -> None:
    assert (
        make.found(RULE, make.profile(stages, throughput=make.throughput(updates_per_env_step=ratio))) == []
    )


def test_many_updates_for_each_step_of_many_boards(make: SimpleNamespace) -> None:
    """64 updates for one step of 256 boards: 0.25 per env step, which looks usual."""
    rows = [make.row(stage, share) for stage, share in LEARNING.items()]
    rows.append(make.row("vec.copy", 0.05, calls=100))
    flow = make.throughput(env_steps=25_600, updates_per_env_step=0.25)
    (finding,) = make.found(RULE, make.profile(rows, throughput=flow))
    assert finding.title.startswith("64 updates for each step of 256 environments")
    assert finding.share == pytest.approx(0.8 * (1 - 1 / 64))
    assert finding.overlays == ("every:64:learn.loss", "every:64:learn.optimizer")
    without_replay = [one for one in rows if one.stage != "replay.sample"]
    assert make.found(RULE, make.profile(without_replay, throughput=flow)) == []


def test_steps_before_the_steady_phase_make_no_more_boards(make: SimpleNamespace) -> None:
    """Calls are of the steady phase, so steps must be, too."""
    rows = [make.row(stage, share) for stage, share in LEARNING.items()]
    rows.append(make.row("vec.copy", 0.05, calls=100))
    flow = make.throughput(env_steps=29_700, steady_env_steps=25_600, updates_per_env_step=0.25)
    (finding,) = make.found(RULE, make.profile(rows, throughput=flow))
    assert finding.title.startswith("64 updates for each step of 256 environments")
