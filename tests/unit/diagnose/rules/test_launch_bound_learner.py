from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.launch_bound_learner import RULE
from goldsplit.model.device.device_use import DeviceStage

sys.path.insert(0, str(Path(__file__).parents[1]))
from device_profiles import device

STAGES = {"learn.backward": 0.5, "env.step": 0.4}


def test_learning_of_which_the_device_does_little(make: SimpleNamespace) -> None:
    (finding,) = make.found(RULE, make.profile(STAGES, devices=[device()]))
    assert "GraphedUpdate" in finding.remedy
    assert finding.evidence["device_work_share"] == pytest.approx(0.1)
    assert finding.ceiling_speedup == pytest.approx(1 / 0.6)


def test_a_device_that_is_busy_with_learning(make: SimpleNamespace) -> None:
    busy = device(stages=[DeviceStage("learn.backward", 0.45, 40.0, 4000.0)])
    assert make.found(RULE, make.profile(STAGES, devices=[busy])) == []


@pytest.mark.parametrize("changes", [{"kernel_windows": 1}, {"busy_share": None}, {"idle": []}])
def test_what_was_not_measured_is_not_judged(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert make.found(RULE, make.profile(STAGES, devices=[device(**changes)])) == []


def test_no_device(make: SimpleNamespace) -> None:
    assert make.found(RULE, make.profile(STAGES)) == []
