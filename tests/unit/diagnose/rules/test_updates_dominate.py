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
