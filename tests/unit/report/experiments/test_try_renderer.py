"""What came of tried remedies, on a terminal; and measured gains beside predicted ones in other reports."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from goldsplit.diagnose.planning import make_plan
from goldsplit.model.experiment.tried import Candidate, Measured, Together, Tried, TryResult
from goldsplit.model.finding import MeasuredGain
from goldsplit.model.report import Report
from goldsplit.report import finding_text
from goldsplit.report.experiments.try_renderer import TryRenderer
from goldsplit.report.plan import PlanRenderer
from goldsplit.report.terminal import TerminalRenderer

GOLDEN = Path(__file__).parents[3] / "golden"
STOPPED = (
    "it would have changed an answer: overlay memo:game.bonus:bonus@run stopped the run: game.bonus:bonus "
    "with (3,) gives 7, but the kept answer was 5"
)


def a_result() -> TryResult:
    constant = Candidate(
        "constant:game.sight:sees", "constant-result", "t", 1.62, "test for it once, outside"
    )
    threads = Candidate(
        "threads:1", "", "one computing thread", None, "torch.set_num_threads(1) at the start"
    )
    memo = Candidate("memo:game.bonus:bonus@run", "repeated-calls", "t", 1.2, "keep the answers")
    quiet = Candidate("no-validation", "distribution-validation", "t", 1.08, "validate_args=False")
    rows = (
        Tried(
            constant, Measured(1.52, 1.41, 1.6, 8), "yes", "equal over 900 steps", "keep", "1.52x; the same"
        ),
        Tried(threads, Measured(1.31, 1.2, 1.44, 8), "no", "action differs in step 64", "keep", "1.31x"),
        Tried(
            quiet, Measured(1.0, None, None, 4), "yes", "equal", "drop", "no gain of 1.03x in any of 4 pairs"
        ),
        Tried(memo, Measured(), "not comparable", "its trajectory was not recorded", "drop", STOPPED),
    )
    together = Together(
        ("constant:game.sight:sees", "threads:1"), Measured(1.9, 1.8, 2.02, 8), "no", "keep", ""
    )
    command = ("python", "train.py", "--seed", "1")
    return TryResult(
        "20260101-train", command, rows, together, ("compiled-text",), ("a note",), trial_seconds=12.5
    )


@pytest.mark.parametrize("width", [80, 120])
def test_the_table(width: int) -> None:
    rendered = TryRenderer(TerminalRenderer(width=width)).render(a_result())
    assert all(len(line) <= width for line in rendered.splitlines())
    golden = GOLDEN / f"try-{width}.txt"
    if os.environ.get("GOLDSPLIT_REGENERATE"):
        golden.write_text(rendered, encoding="utf-8")
    assert rendered == golden.read_text(encoding="utf-8")


def test_nothing_to_try_and_not_measured() -> None:
    page = TryRenderer(TerminalRenderer(width=80))
    assert "nothing to try" in page.render(TryResult("run", ("python",), (), None))
    together = Together(("threads:1", "quiet"), Measured(), why="there was no time")
    late = dataclasses.replace(a_result(), together=together, interrupted=True)
    shown = " ".join(page.render(late).split())
    assert "threads:1, quiet: not measured: there was no time" in shown
    assert "interrupted" in shown


def test_findings_and_plans_show_what_was_measured(reports: dict[str, Report]) -> None:
    report = reports["deep"]
    gain = MeasuredGain("threads:1", 1.5, 1.41, 1.6, 8, "keep")
    first = dataclasses.replace(report.findings[0], measured=gain)
    assert finding_text.gain(first).endswith("x at most, measured 1.50x (1.41x to 1.60x): keep")
    untimed = dataclasses.replace(first, measured=MeasuredGain("threads:1", None, None, None, 0, "drop"))
    assert finding_text.gain(untimed).endswith("tried with threads:1: drop")
    tried = Report(report.profile, (first, *report.findings[1:]))
    written = PlanRenderer().render(tried, make_plan(tried.profile, tried.findings))
    assert "| At most | Measured | Together at most |" in written
    assert "| 1.50x (keep) |" in written
    assert "At most | Measured" not in PlanRenderer().render(
        report, make_plan(report.profile, report.findings)
    )
    assert tried.to_json()["findings"][0]["measured"]["low"] == 1.41
