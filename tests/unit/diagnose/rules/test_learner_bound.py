from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.learner_bound import RULE
from goldsplit.model.profile import ProcessFigures, Profile


@pytest.fixture
def one_thread(make: SimpleNamespace, busy: Callable[..., list[ProcessFigures]]) -> Profile:
    rows = [
        make.row("learn.backward", 0.5, mean_us=40_000.0),
        make.row("learn.forward", 0.3),
        make.row("act", 0.1),
    ]
    setting = make.fact("torch_threads", "1", place=make.place(7, "main"))
    seen: Profile = make.profile(rows, processes=busy(1.0), facts=[setting])
    return seen


def test_a_large_learner_on_one_thread(make: SimpleNamespace, one_thread: Profile) -> None:
    (finding,) = make.found(RULE, one_thread)
    assert (finding.where.line, finding.where.function) == (7, "main")
    assert finding.share == pytest.approx(0.8 * 0.75)
    assert "set_num_threads(4)" in finding.remedy


@pytest.mark.parametrize("changes", ["small", "busy", "unset", "four", "worker's", "not learning"])
def test_no_finding_without_a_remedy(
    make: SimpleNamespace,
    one_thread: Profile,
    busy: Callable[..., list[ProcessFigures]],
    changes: str,
) -> None:
    backward, forward, act = one_thread.stages
    other = {
        "small": {"stages": [dataclasses.replace(backward, mean_us=700.0), forward, act]},
        "busy": {"processes": busy(3.9)},
        "unset": {"facts": []},
        "four": {"facts": [*one_thread.facts, make.fact("torch_threads", "4")]},
        "worker's": {"facts": [make.fact("torch_threads", "1", pid=101)]},
        "not learning": {"stages": [backward, dataclasses.replace(forward, wall_share=0.05), act]},
    }[changes]
    assert make.found(RULE, dataclasses.replace(one_thread, **other)) == []
