from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.device_idle import RULE
from goldsplit.model.device.device_use import DeviceUse
from goldsplit.model.profile import Profile, SystemFigures, UserLine

STAGES = {"env.step": 0.6, "act": 0.15, "transfer": 0.05, "learn.backward": 0.1}


def with_gpu(utilisation: float) -> SystemFigures:
    gpu = {"name": "RTX", "utilisation": utilisation, "busy_share": None, "memory_peak_bytes": 10**9}
    return SystemFigures(100.0, 4, 10**9, [gpu])


@pytest.fixture
def waiting_device(make: SimpleNamespace, line: Callable[..., UserLine]) -> Profile:
    seen: Profile = make.profile(STAGES, system=with_gpu(0.08), user_lines=[line("env.step", 0.5, "search")])
    return seen


def test_the_device_waits_for_python(make: SimpleNamespace, waiting_device: Profile) -> None:
    (finding,) = make.found(RULE, waiting_device)
    assert finding.where.function == "search"
    assert finding.evidence["gpu_utilisation"] == 0.08
    assert finding.ceiling_speedup == pytest.approx(2.5)


def test_a_used_device_is_fine(make: SimpleNamespace, waiting_device: Profile) -> None:
    assert make.found(RULE, dataclasses.replace(waiting_device, system=with_gpu(0.7))) == []


def test_no_device_no_finding(make: SimpleNamespace) -> None:
    assert make.found(RULE, make.profile(STAGES)) == []


def test_a_device_that_is_not_used_at_all_is_not_judged(make: SimpleNamespace) -> None:
    assert make.found(RULE, make.profile({"env.step": 0.8}, system=with_gpu(0.0))) == []


def test_a_learner_that_dominates_is_not_idle_python(make: SimpleNamespace) -> None:
    stages = {"env.step": 0.2, "transfer": 0.1, "learn.backward": 0.6}
    assert make.found(RULE, make.profile(stages, system=with_gpu(0.2))) == []


def test_kernels_count_where_they_were_measured(make: SimpleNamespace, waiting_device: Profile) -> None:
    use = DeviceUse("cuda", 0, "RTX", True, "", 0.1, kernel_windows=5, busy_share=0.6)
    assert make.found(RULE, dataclasses.replace(waiting_device, devices=[use])) == []
    (finding,) = make.found(
        RULE, dataclasses.replace(waiting_device, devices=[dataclasses.replace(use, busy_share=0.05)])
    )
    assert finding.evidence["gpu_busy_share"] == 0.05
