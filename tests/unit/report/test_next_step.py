"""What to say where much of the time belongs to no stage, or where there was no loop to judge."""

from __future__ import annotations

import dataclasses

import pytest

from goldsplit.model.device.device_use import DeviceUse
from goldsplit.model.finding import Finding, Place
from goldsplit.model.profile import Hotspot, Profile
from goldsplit.model.recording import NOTHING_RECORDED
from goldsplit.model.report import Report
from goldsplit.model.stage import category_of
from goldsplit.report.bottleneck import bottleneck
from goldsplit.report.finding_text import where
from goldsplit.report.next_step import next_step
from goldsplit.report.verdict import doubts, warnings, what_next


def spot(function: str, own: float, stage: str, library: str | None = None) -> Hotspot:
    kind = "yours" if library is None else "library"
    return Hotspot(function, "/home/me/train.py", 12, stage, own, own, 40, None, kind, library)


def led_by(reports: dict[str, Report], leading: list[tuple[str, float]], *spots: Hotspot) -> Profile:
    whole = reports["single"].profile
    rows = [
        dataclasses.replace(whole.stages[0], stage=stage, category=category_of(stage), wall_share=share)
        for stage, share in leading
    ]
    return dataclasses.replace(whole, stages=rows, hotspots=list(spots), deep=None)


def test_it_looks_inside_the_category_that_leads(reports: dict[str, Report]) -> None:
    stages = [("env.step", 0.3), ("learn.backward", 0.25), ("learn.forward", 0.2), ("learn.loss", 0.2)]
    spots = (spot("Game.step", 0.28, "env.step"), spot("Agent.learn", 0.1, "learn.forward"))
    assert next_step(led_by(reports, stages, *spots)).text.startswith("look at Agent.learn (train.py:12),")
    assert next_step(led_by(reports, stages, spots[0])).text.startswith("record every call of your own code")


def test_a_function_that_calls_a_library_is_told_with_it(reports: dict[str, Report]) -> None:
    fit = spot("fit", 0.8, "learn.backward", "backward")
    text = next_step(led_by(reports, [("learn.backward", 0.9)], fit)).text
    assert text.startswith("look at fit (train.py:12), mostly in backward, change it, and compare:")


@pytest.mark.parametrize("elsewhere", ["learn.loss", "act.value"])
def test_a_fault_comes_before_the_line_that_only_starts_the_library(
    reports: dict[str, Report], elsewhere: str
) -> None:
    lines = [spot("<module>", share, stage, "learn") for stage, share in (("act", 0.5), (elsewhere, 0.2))]
    lines = [dataclasses.replace(one, ceiling_speedup=1.9) for one in lines]
    profile = led_by(reports, [("act", 0.5), ("learn.loss", 0.3)], *lines)
    fault = Finding(
        "thread-oversubscription", "threads", None, "learn.loss", {}, 0.3, None, "medium", "one", ""
    )
    told = what_next(Report(profile, (fault,))).text
    if elsewhere == "learn.loss":
        assert told.startswith("one")
    else:  # all of it is choosing actions: that line may have a cheaper way
        assert told.startswith("look at <module> (train.py:12), mostly in learn: 1.90x at most")


def test_more_samples_are_asked_for_where_there_are_some(reports: dict[str, Report]) -> None:
    whole = led_by(reports, [("env.step", 0.1)])
    rest = dataclasses.replace(whole.unattributed, wall_share=0.9)
    for samples, wanted in ((85, "with more stack samples:"), (0, "with stack samples:")):
        trust = dataclasses.replace(whole.trust, samples=samples)
        line = next_step(dataclasses.replace(whole, unattributed=rest, trust=trust, categories=[]))
        assert line.text == f"record longer, {wanted}"
        assert " record --rate 50 -- " in (line.command or "")


def test_a_device_that_was_not_looked_at_comes_first_unless_the_game_leads(
    reports: dict[str, Report],
) -> None:
    unseen = DeviceUse("cuda", None, "", False, "device not measured", None)
    for leading, expected in (("act", True), ("learn.loss", True), ("env.step", False)):
        profile = dataclasses.replace(led_by(reports, [(leading, 0.9)]), devices=[unseen])
        line = next_step(profile)
        assert (line.text == "see what the device does meanwhile:") is expected
        assert (" record --gpu -- " in (line.command or "")) is expected
    seen = dataclasses.replace(unseen, asked=True)
    assert "device" not in next_step(dataclasses.replace(profile, devices=[seen])).text


def test_a_loops_own_lines_have_no_function_to_map(reports: dict[str, Report]) -> None:
    profile = led_by(reports, [("train.py:12", 0.9)])
    row = dataclasses.replace(profile.stages[0], place=Place("/home/me/train.py", 12, "<module>"))
    text = next_step(dataclasses.replace(profile, stages=[row])).text
    assert text.startswith('name the parts of train.py:12 with goldsplit.stage("NAME"), then:')


def test_a_place_at_the_top_level_is_told_by_its_line() -> None:
    assert where(Place("/home/me/train.py", 4, "<module>")) == "train.py:4"
    assert where(Place("/home/me/train.py", 4, "push")) == "push (train.py:4)"


def test_an_error_before_the_first_step_leaves_no_bottleneck_to_name(reports: dict[str, Report]) -> None:
    whole = reports["single"].profile
    run = dataclasses.replace(whole.run, status="crashed")
    nothing = dataclasses.replace(whole.throughput, env_steps=None, updates=None)
    (line,) = bottleneck(dataclasses.replace(whole, run=run, throughput=nothing))
    assert line.text == "not measured: the run ended with an error before its first environment step"
    assert "takes" in bottleneck(dataclasses.replace(whole, run=run))[0].text


def test_why_a_recording_is_empty_is_what_holds_it_back(reports: dict[str, Report]) -> None:
    whole = reports["nothing"].profile
    trust = dataclasses.replace(whole.trust, notes=[f"{NOTHING_RECORDED}: -E does not load it", "other"])
    empty = dataclasses.replace(whole, stages=[], trust=trust)
    assert bottleneck(empty)[0].text == "not measured: -E does not load it"
    assert next_step(empty).text.startswith("change that, and record again; this says what else recording")
    assert [line.text for line in doubts(empty)] == ["other"]


def test_a_program_that_ends_at_once_is_the_cause(reports: dict[str, Report]) -> None:
    whole = reports["single"].profile
    profile = dataclasses.replace(
        whole,
        phases=dataclasses.replace(whole.phases, steady_seconds=0.13),
        throughput=dataclasses.replace(whole.throughput, env_steps=None, updates=None),
        unattributed=dataclasses.replace(whole.unattributed, wall_share=1.0),
        trust=dataclasses.replace(whole.trust, samples=0, waited_for_cpu_share=1.0, notes=[]),
    )
    assert bottleneck(profile)[0].text.startswith("not measured: the program ended after 0.13 s of its own")
    assert next_step(profile).text.startswith("give it the arguments with which it trains")
    assert not any("had no core" in line.text for line in warnings(profile))
