"""What is being tried and when it ends, on stderr while an experiment runs."""

from __future__ import annotations

import shutil
import sys

import click

from goldsplit.experiment.carry_out import Progress
from goldsplit.experiment.comparison import plan_notes
from goldsplit.model.experiment.design import Plan
from goldsplit.model.experiment.trial import Trial
from goldsplit.report.words import clip


class ProgressLine:
    """One line for each trial; on a terminal the line of a running trial is replaced by its result."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.on_terminal = sys.stderr.isatty()

    def begin(self, plan: Plan) -> None:
        """What is wrong with the plan is said before hours are spent on it."""
        for note in plan_notes(plan):
            click.echo(f"warning: {note}", err=True)

    def before(self, progress: Progress) -> None:
        """A trial begins."""
        left = "" if progress.seconds_left is None else f", about {spoken(progress.seconds_left)} left"
        which = f"{progress.variant}, block {progress.block + 1}"
        text = f"trial {progress.number} of {progress.total}: {which}{left}"
        if not self.quiet and self.on_terminal:
            click.echo(f"\r\x1b[K{one_row(text)}", err=True, nl=False)
        elif not self.quiet:
            click.echo(text, err=True)

    def after(self, trial: Trial) -> None:
        """It has ended."""
        if self.on_terminal and not self.quiet:
            click.echo("\r\x1b[K", err=True, nl=False)
        if not trial.complete:
            click.echo(f"trial failed: {trial.variant}, block {trial.block + 1}: {trial.problem}", err=True)


def one_row(text: str) -> str:
    """So much of it as fits: a line that wraps could not be taken back, and would stay for every trial."""
    width = shutil.get_terminal_size().columns
    return clip(f"{text} …", width - 1)


def spoken(seconds: float) -> str:
    """A duration, roughly."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
