from __future__ import annotations

import dataclasses
import json
from typing import Any

from goldsplit.model.device.device_use import DeviceCopy, DeviceIdle, DeviceStage, DeviceUse, DeviceWait
from goldsplit.model.finding import Place
from goldsplit.model.report import Report
from goldsplit.report.device_text import device_lines
from goldsplit.report.formats.speedscope import SpeedscopeRenderer
from goldsplit.report.next_step import device_is_missing

USE = DeviceUse(
    "cuda",
    0,
    "RTX",
    True,
    "",
    0.6,
    mark_windows=9,
    kernel_windows=4,
    window_seconds=0.5,
    busy_share=0.78,
    stages=[DeviceStage("learn.backward", 0.7, 40.0, 900.0)],
    idle=[DeviceIdle("environments", "env.step", 0.15)],
    copies=[DeviceCopy("HtoD", "pageable", 1.0, 4096.0, 0.02)],
    waits=[DeviceWait("item", Place("/game/train.py", 12, "act"), 0.9)],
    memory_peak_bytes=3 << 30,
    utilisation=0.97,
)


def text_of(report: Report, use: DeviceUse) -> str:
    profile = dataclasses.replace(report.profile, devices=[use])
    return "\n".join(line.text for line in device_lines(profile))


def test_a_measured_device_in_words(reports: dict[str, Any]) -> None:
    text = text_of(reports["deep"], USE)
    for part in (
        "busy 78 % of wall time",
        "waited for it 60 %",
        "worked for learn.backward 70 %",
        "environments worked (env.step) 15 %",
        "train.py:12 (90 %)",
        "HtoD pageable",
        "by torch's allocator",
        "NVML: a kernel was resident 97 % of the time",
    ):
        assert part in text


def test_copies_whose_size_is_not_known(reports: dict[str, Any]) -> None:
    unknown = dataclasses.replace(USE, copies=[DeviceCopy("DtoH", "pinned", 1.0, None, 0.02)])
    assert "Copies: DtoH pinned: 2.0 % of the windows." in text_of(reports["deep"], unknown)


def test_what_was_not_measured_is_never_a_figure(reports: dict[str, Any]) -> None:
    use = DeviceUse("cuda", None, "", False, "device not measured: record with --gpu", 0.4)
    text = text_of(reports["deep"], use)
    assert text == "cuda: device not measured: record with --gpu; the driver waited for it 40 % of wall time"
    assert "busy" not in text


def test_the_device_is_a_profile_of_speedscope(reports: dict[str, Any], details: dict[str, Any]) -> None:
    report = reports["deep"]
    changed = dataclasses.replace(report, profile=dataclasses.replace(report.profile, devices=[USE]))
    document = json.loads(SpeedscopeRenderer().render(changed, details["deep"]))
    device = document["profiles"][-1]
    assert device["name"] == "device: RTX"
    names = [document["shared"]["frames"][sample[0]]["name"] for sample in device["samples"]]
    assert names == ["[learn.backward]"]


def test_only_a_wait_for_a_device_that_was_not_looked_at_asks_for_it(reports: dict[str, Any]) -> None:
    assert not device_is_missing(reports["deep"].profile)
