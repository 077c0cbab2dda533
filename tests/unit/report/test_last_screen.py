"""What a recording ends with fits on a screen, and says what matters."""

from __future__ import annotations

import dataclasses

import pytest

from goldsplit.model.overlays.overlay import OverlayUse
from goldsplit.model.pasting import Shell, will_paste_in
from goldsplit.model.recording import STACKS_BY_TIMER
from goldsplit.model.report import Report
from goldsplit.report.bottleneck import Line
from goldsplit.report.last_screen import MOST_LINES, first_clause, last_screen
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


def changed(
    report: Report, command: list[str], title: str, function: str, status: str = "complete"
) -> Report:
    """The run of somebody with long names and a long command line."""
    first = report.findings[0]
    assert first.where is not None
    where = dataclasses.replace(first.where, function=function)
    verify = "goldsplit record --deep -- " + " ".join(command)
    first = dataclasses.replace(first, title=title, where=where, verify=verify)
    run = dataclasses.replace(report.profile.run, command=tuple(command), status=status, exit_code=1)
    profile = dataclasses.replace(report.profile, run=run)
    return dataclasses.replace(report, profile=profile, findings=(first, *report.findings[1:]))


@pytest.mark.parametrize("status", ["complete", "crashed", "interrupted"])
@pytest.mark.parametrize("most_lines", [14, MOST_LINES])
@pytest.mark.parametrize("parts", [0, 3, 10, 40, 200])
@pytest.mark.parametrize("names", [1, 4, 12])
def test_bottleneck_stage_finding_next_and_trust_are_never_left_out(
    reports: Reports, parts: int, names: int, most_lines: int, status: str
) -> None:
    command = ["python", "train.py", *(f"--set-option-{n}=0.0001" for n in range(parts))]
    report = changed(
        reports["deep"], command, "the opponent moves twice " * names, "a_long_name_" * names, status
    )
    text = last_screen(report, "x", TerminalRenderer(width=80), most_lines)
    lines = text.splitlines()
    assert len(lines) <= most_lines
    assert max(map(len, lines)) <= 80
    labels = [line.split()[0] for line in lines if line[:1].isupper()]
    assert [one for one in labels if one in ("Bottleneck", "Finding", "Next", "Trust")] == [
        "Bottleneck",
        "Finding",
        "Next",
        "Trust",
    ]
    at = next(place for place, line in enumerate(lines) if line.startswith("Bottleneck"))
    said = " ".join(" ".join(lines[at:]).split())
    assert " of it" in said[: said.index("Finding 1")] or "largest part" in said  # its stage
    assert "at most, confidence high" in said or "confidence medium" in said
    pasted = said[said.index("Next") :]
    cut = "…" in pasted  # of names as long as this one
    assert cut or ("goldsplit record --deep" in pasted) != ("under Next in goldsplit show x" in pasted)
    assert not cut or names == 12


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


@pytest.mark.parametrize("names", [1, 4, 12])
def test_the_first_doubt_is_said_however_little_room_there_is(reports: Reports, names: int) -> None:
    command = ["python", "train.py", *(f"--set-option-{n}=0.0001" for n in range(40))]
    report = changed(reports["deep"], command, "the opponent moves twice " * names, "a_name_" * names)
    trust = dataclasses.replace(report.profile.trust, waited_for_cpu_share=0.46)
    report = dataclasses.replace(report, profile=dataclasses.replace(report.profile, trust=trust))
    text = last_screen(report, "x", TerminalRenderer(width=80))
    assert len(text.splitlines()) <= MOST_LINES
    assert "had no core for 46 % of the time" in " ".join(text.split())


@pytest.mark.parametrize("many", [2, 5, 40])
def test_no_overlay_is_left_out_without_a_word(reports: Reports, many: int) -> None:
    """A run with an ablation is not the program's own."""
    report = changed(reports["deep"], ["python", "train.py"], "the opponent moves twice", "a_name")
    uses = [OverlayUse(f"memo:game:reach{n}@step", {"calls answered": 4}, {}) for n in range(many)]
    run = dataclasses.replace(report.profile.run, overlays=uses)
    report = dataclasses.replace(report, profile=dataclasses.replace(report.profile, run=run))
    text = last_screen(report, "x", TerminalRenderer(width=80))
    said = " ".join(text.split())
    named = sum(f"reach{n}@step" in said for n in range(many))
    assert len(text.splitlines()) <= MOST_LINES
    assert named == many or f"and {many - named} more" in said


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


def test_a_note_about_one_process_says_what_it_is_about() -> None:
    note = "process 412: env steps are not counted: the game is in lines of train.py, not in a function"
    line = first_clause(Line("Warning", note, "warning"))
    assert line.text == "process 412: env steps are not counted"
