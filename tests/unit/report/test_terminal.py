"""The terminal report against golden files, made from the hand-written reports in conftest.py.

After a wanted change, look at the difference and write the files again:

    GOLDSPLIT_REGENERATE=1 python -m pytest tests/unit/report/test_terminal.py
"""

from __future__ import annotations

import dataclasses
import io
import os
from pathlib import Path

import pytest

from goldsplit.model.finding import Place
from goldsplit.model.profile import Profile, Unattributed
from goldsplit.model.report import Report
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.report.words import wrap

GOLDEN = Path(__file__).parents[2] / "golden"
#: golden file → kind of run and width
CASES = {
    "subprocess": ("subprocess", 80),
    "subprocess-wide": ("subprocess", 120),
    "single": ("single", 100),
    "attached": ("attached", 80),
    "crashed": ("crashed", 80),
    "nothing": ("nothing", 80),
    "deep": ("deep", 80),
}
Reports = dict[str, Report]


@pytest.mark.parametrize("name", CASES)
def test_matches_its_golden_file(name: str, reports: Reports) -> None:
    kind, width = CASES[name]
    text = TerminalRenderer(width=width).render(reports[kind])
    golden = GOLDEN / f"terminal-{name}.txt"
    if os.environ.get("GOLDSPLIT_REGENERATE"):
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("name", ["subprocess", "single", "attached", "crashed", "nothing", "deep", "nasty"])
@pytest.mark.parametrize("width", [72, 80, 100, 120])
def test_no_line_is_wider_than_the_terminal(name: str, width: int, reports: Reports) -> None:
    text = TerminalRenderer(width=width).render(reports[name])
    assert text.endswith("\n")
    assert [line for line in text.splitlines() if len(line) > width] == []


def test_the_verdict_names_stage_interval_waiting_ceiling_and_the_slowest_worker(reports: Reports) -> None:
    flat = " ".join(TerminalRenderer(width=80).render(reports["subprocess"]).split())
    assert "environment takes 62 % (58–66 %) of wall time. Even if this took no time, the run would" in flat
    assert "All of it is env.step (one step of the game)." in flat
    assert "waits while 4 env-worker processes do it. The slowest is pid 105" in flat
    assert "The other workers sit idle 31 % to 35 % of the time" in flat
    assert "learn.optimizer, log: each below 2 %" in flat
    assert "slows down: 35 % fewer env steps/s" in flat
    assert "200 env steps/s · 5.00 s per 1000 env steps · 0.032 updates/step" in flat


def test_what_was_not_measured_is_never_zero(reports: Reports) -> None:
    text = TerminalRenderer(width=80).render(reports["attached"])
    assert "not measured: no environment step was counted" in " ".join(text.split())
    assert "recording cost not measured" in text
    env_step = next(line for line in text.splitlines() if line.startswith("env.step*"))
    assert env_step.split()[-4:] == ["–", "–", "–", "1.79x"]


def test_time_in_no_stage_is_the_bottleneck_when_it_is_largest(reports: Reports) -> None:
    profile = reports["attached"].profile
    unknown = dataclasses.replace(profile, unattributed=Unattributed(20.0, 0.7), stages=profile.stages[1:])
    text = TerminalRenderer(width=100).render(Report(unknown))
    assert "not measured: 70 % of wall time is in no known stage, and no stack shows your code" in text
    assert "record --rate 50 -- python train.py" in text
    assert "unknown" not in text


def own_row(profile: Profile, share: float, spread: float = 0.0) -> Profile:
    """The profile of a run with so much time under a function of the user's own."""
    row = dataclasses.replace(
        profile.stages[0],
        stage="learn() train.py:45",
        category="your code",
        source="sampled",
        wall_share=share,
        wall_share_low=share - spread,
        wall_share_high=share + spread,
        ceiling_speedup=1 / (1 - share),
        waited_share=0.0,
        samples=90,
        place=Place("/home/me/train.py", 45, "learn"),
        map_with="train:learn=learn.loss",
    )
    trust = dataclasses.replace(profile.trust, own_function_share=share)
    return dataclasses.replace(profile, stages=[row, *profile.stages[1:]], trust=trust)


def test_time_under_the_users_own_function_has_a_ready_option(reports: Reports) -> None:
    profile = own_row(reports["attached"].profile, 0.6)
    text = " ".join(TerminalRenderer(width=200).render(Report(profile)).split())
    assert "your code in no known stage takes 60 % of wall time. Even if this took no time, the run" in text
    assert "learn() train.py:45" in text
    assert "60 % of wall time is in no known stage; this gives it one: goldsplit record --stage" in text
    assert "goldsplit record --stage train:learn=learn.loss -- python" in text
    assert "(60 % by your functions' names only)" in text


def test_a_headline_that_is_hardly_known_says_what_would_help(reports: Reports) -> None:
    profile = own_row(reports["attached"].profile, 0.6, spread=0.14)
    text = " ".join(TerminalRenderer(width=200).render(Report(profile)).split())
    assert "known only to ±14 points" in text
    assert "record longer, or with a higher --rate" in text
    assert "known only to" not in TerminalRenderer(width=200).render(reports["single"])


def test_colour_only_paints(reports: Reports) -> None:
    plain = TerminalRenderer(width=80).render(reports["crashed"])
    painted = TerminalRenderer(colour=True, width=80).render(reports["crashed"])
    assert "\x1b[" not in plain
    assert "\x1b[33m" in painted
    for code in ("1", "2", "32", "33", "0"):
        painted = painted.replace(f"\x1b[{code}m", "")
    assert painted == plain


def test_a_stream_that_cannot_write_unicode_gets_ascii(reports: Reports) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    renderer = TerminalRenderer.for_stream(stream)
    stream.write(renderer.render(reports["subprocess"]))
    stream.flush()
    assert not renderer.colour


def test_no_colour_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert TerminalRenderer.for_stream(Terminal()).colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not TerminalRenderer.for_stream(Terminal()).colour


@pytest.mark.parametrize("width", range(12, 40))
def test_a_number_is_never_separated_from_its_unit(width: int) -> None:
    lines = wrap("start-up 14.4 s (split off), replay 1.5 %, memory 900 MiB, 3 stages", width)
    assert not any(line.startswith(("s (", "%", "MiB")) for line in lines)
    assert " ".join(lines) == "start-up 14.4 s (split off), replay 1.5 %, memory 900 MiB, 3 stages"


def test_communication_that_only_waits_is_told(reports: Reports) -> None:
    profile = reports["single"].profile
    idle = dataclasses.replace(
        profile.stages[0], stage="vec.send", category="communication", thread_seconds=20.0, cpu_seconds=1.0
    )
    text = TerminalRenderer(width=100).render(Report(dataclasses.replace(profile, stages=[idle])))
    assert "It mostly waits: the threads in it used a core for only 5.0 % of that time." in text
    assert "It mostly waits" not in TerminalRenderer(width=100).render(reports["single"])


def test_findings_have_place_gain_remedy_and_check_and_the_first_one_leads(reports: Reports) -> None:
    text = TerminalRenderer(width=80).render(reports["deep"])
    flat = " ".join(text.split())
    verdict, _, section = flat.partition("Findings (")
    assert "in has_line_of_sight (sight.py:120): 1.45x at most, confidence high" in verdict
    assert "(finding 1, sight.py:120), then check: goldsplit record" in verdict
    assert "where has_line_of_sight (sight.py:120) · stage env.step" in section
    assert "saves 1.45x at most · 31 % of wall time · confidence high · effort: minutes" in section
    assert "risk only right while no cell is opaque" in section
    assert "do keep the results of the turn in a dict; it is emptied when a unit moves" in section
    assert "Not worth your time: printing of has_line_of_sight (1.00x at most)" in section
    assert "4. another program held a core" in section
    assert "saves not measured · confidence low" in section


def test_a_finding_without_a_place_leads_with_its_remedy(reports: Reports) -> None:
    report = reports["deep"]
    larger = dataclasses.replace(report.findings[2], ceiling_speedup=9.0)
    text = TerminalRenderer(width=80).render(Report(report.profile, (larger,)))
    assert "Next send what the trainer reads (finding 1), then check:" in " ".join(text.split())


def test_a_small_finding_elsewhere_does_not_lead_away_from_the_bottleneck(reports: Reports) -> None:
    report = reports["deep"]
    small = dataclasses.replace(report.findings[2], stage="vec.send", ceiling_speedup=1.03)
    text = TerminalRenderer(width=80).render(Report(report.profile, (small,)))
    assert "Next         look at has_line_of_sight" in text


def test_findings_that_are_not_worth_it_change_nothing_but_one_line(reports: Reports) -> None:
    report = reports["deep"]
    text = TerminalRenderer(width=80).render(Report(report.profile, report.findings[4:]))
    assert "Finding 1" not in text
    assert "Next         look at has_line_of_sight" in text
    assert "Not worth your time: printing" in text


def test_many_findings_are_counted(reports: Reports) -> None:
    report = reports["deep"]
    text = TerminalRenderer(width=80).render(Report(report.profile, report.findings[:1] * 11))
    assert "… and 3 more; --json has all of them" in text
    assert "9. has_line" not in text


def test_hot_spots_have_calls_per_env_step_where_they_were_counted(reports: Reports) -> None:
    lines = TerminalRenderer(width=80).render(reports["deep"]).splitlines()
    assert any(line.split()[-4:] == ["62", "%", "474", "yours"] for line in lines)
    assert any(line.split()[-4:] == ["14", "%", "–", "library"] for line in lines)
    assert " /step" not in TerminalRenderer(width=80).render(reports["subprocess"])


def test_a_deep_look_says_what_it_cost(reports: Reports) -> None:
    text = " ".join(TerminalRenderer(width=80).render(reports["deep"]).split())
    assert "12 windows with 480 env steps in 2.40 s · 1.31x slower inside · cost 0.8 % of the run" in text


@pytest.mark.parametrize("without", [0.34, 0.0, None])
def test_time_without_a_core_is_not_told_as_busy(reports: Reports, without: float | None) -> None:
    report = reports["single"]
    driver = dataclasses.replace(
        report.profile.lanes[0], busy_share=1.0, wait_share=0.0, no_core_share=without
    )
    profile = dataclasses.replace(report.profile, lanes=[driver])
    text = TerminalRenderer(width=100).render(Report(profile, ()))
    lanes = text[text.index("Processes and threads") :].splitlines()
    assert ("no core" in lanes[1]) is bool(without), "a column only where it says something"
    assert ("66 %" in lanes[2] and "34 %" in lanes[2]) is bool(without)
    assert ("100 %" in lanes[2]) is not bool(without)
