"""What to say where much of the time belongs to no stage, or where there was no loop to judge."""

from __future__ import annotations

import dataclasses

from goldsplit.model.finding import Place
from goldsplit.model.profile import Hotspot, Profile, Unattributed
from goldsplit.model.report import Report
from goldsplit.report.finding_text import where
from goldsplit.report.next_step import next_step
from goldsplit.report.verdict import bottleneck


def spot(function: str, total: float, stage: str | None = None) -> Hotspot:
    return Hotspot(function, "/home/me/train.py", 12, stage, 0.02, total, 40, None, "yours")


def without_stage(reports: dict[str, Report], *spots: Hotspot) -> Profile:
    return dataclasses.replace(
        reports["single"].profile, unattributed=Unattributed(4.0, 0.4), hotspots=list(spots)
    )


def test_the_function_to_map_is_the_largest_inside_the_unexplained_time(reports: dict[str, Report]) -> None:
    inner = (spot("Agent.look", 0.3), spot("Agent.pick", 0.1), spot("Agent.play", 0.35, "act"))
    profile = without_stage(reports, spot("main", 0.9), *inner)
    assert 'record --stage "train:Agent.look=STAGE" -- python train.py' in next_step(profile)


def test_what_has_no_name_cannot_be_mapped(reports: dict[str, Report]) -> None:
    for profile in (
        without_stage(reports, spot("<module>", 0.3), spot("f.<locals>.<lambda>", 0.1)),
        without_stage(reports, spot("main", 0.9)),
    ):
        text = next_step(profile)
        assert text.startswith(
            'name the parts of train.py:12 with goldsplit.stage("NAME"), then: goldsplit record -- '
        )
        assert "--stage" not in text


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
