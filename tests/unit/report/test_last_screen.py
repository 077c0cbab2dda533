"""What a recording ends with fits on a screen, and says what matters."""

from __future__ import annotations

import dataclasses

import pytest

from goldsplit.model.pasting import Shell, will_paste_in
from goldsplit.model.recording import STACKS_BY_TIMER
from goldsplit.model.report import Report
from goldsplit.report.last_screen import MOST_LINES, last_screen
from goldsplit.report.terminal import TerminalRenderer

Reports = dict[str, Report]


@pytest.mark.parametrize("run", ["single", "subprocess", "attached", "crashed", "deep", "nothing"])
@pytest.mark.parametrize("width", [80, 120])
def test_it_fits_and_leaves_out_the_least_important(reports: Reports, run: str, width: int) -> None:
    text = last_screen(reports[run], "runs/one", TerminalRenderer(width=width))
    lines = text.splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= width
    assert lines[-1] == "run: runs/one"
    assert "goldsplit show runs/one" in lines[-2]
    assert any(line.startswith("Bottleneck") for line in lines)
    assert any(line.startswith("Next") for line in lines)


def test_it_names_bottleneck_finding_and_doubt_in_this_order(reports: Reports) -> None:
    lines = last_screen(reports["deep"], "x", TerminalRenderer(width=100)).splitlines()
    labels = [line.split()[0] for line in lines if line[:1].isupper()]
    assert labels.index("Bottleneck") < labels.index("Finding") < labels.index("Next") < labels.index("Trust")


@pytest.mark.parametrize("words", range(1, 45))
def test_how_far_to_believe_it_is_said_however_long_the_finding_is(reports: Reports, words: int) -> None:
    report = reports["deep"]
    first = dataclasses.replace(report.findings[0], title="a fault " * words)
    changed = dataclasses.replace(report, findings=(first, *report.findings[1:]))
    lines = last_screen(changed, "x", TerminalRenderer(width=80)).splitlines()
    assert len(lines) <= MOST_LINES
    told = [line for line in lines if line.startswith("Trust ")]
    full = any("Speed " in line for line in lines)
    assert told or not full  # what matters less has no line that this could have had


def test_its_commands_name_goldsplit_as_it_was_started(reports: Reports) -> None:
    will_paste_in(Shell("py -m goldsplit", "/bin/py -m goldsplit", "/home/me"))
    text = last_screen(reports["attached"], "x", TerminalRenderer(width=120))
    assert "all of it: py -m goldsplit show x" in text
    assert "py -m goldsplit record" in text
    assert " goldsplit record" not in text.replace("py -m goldsplit", "")


def test_it_says_that_stacks_were_refused_whatever_else_it_warns_of(reports: Reports) -> None:
    report = reports["deep"]
    note = f"ptrace is refused here: {STACKS_BY_TIMER} in each main thread"
    figures = dataclasses.replace(
        report.profile.trust, waited_for_cpu_share=0.4, notes=[*(f"doubt {n}" for n in range(9)), note]
    )
    changed = dataclasses.replace(report, profile=dataclasses.replace(report.profile, trust=figures))
    text = last_screen(changed, "x", TerminalRenderer(width=80))
    assert " ".join(text.split()).count(note) == 1
    assert len(text.splitlines()) <= MOST_LINES


def test_an_interrupted_run_is_believed_before_its_end_is_told(reports: Reports) -> None:
    report = reports["deep"]
    run = dataclasses.replace(report.profile.run, status="interrupted", exit_code=130)
    first = dataclasses.replace(report.findings[0], title="a fault " * 32)
    profile = dataclasses.replace(report.profile, run=run)
    changed = dataclasses.replace(report, profile=profile, findings=(first, *report.findings[1:]))
    lines = last_screen(changed, "x", TerminalRenderer(width=80)).splitlines()
    assert "· interrupted ·" in lines[0]
    assert any(line.startswith("Trust ") for line in lines)
