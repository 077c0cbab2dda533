"""The screen that a recording ends with."""

from __future__ import annotations

import sys
from pathlib import Path

from goldsplit.cli.options import shown
from goldsplit.errors import GoldsplitError
from goldsplit.model.pasting import quoted


def print_verdict(run_dir: Path) -> None:
    """What holds the run back and what to do next, in a few lines, to stderr."""
    from goldsplit import pipeline
    from goldsplit.report.last_screen import last_screen
    from goldsplit.report.run_list import summarised
    from goldsplit.report.terminal import TerminalRenderer
    from goldsplit.store.beside_runs.summary_file import keep_summary

    try:
        run = quoted(called(run_dir))
        page = TerminalRenderer.for_stream(sys.stderr)
        report = pipeline.report(run_dir)
        text = last_screen(report, run, page, path=quoted(shown(run_dir)))
        keep_summary(run_dir, summarised(report))
    except GoldsplitError as error:  # somebody removed the run's directory
        text = f"goldsplit: no report: {error.message}\n"
    except Exception as error:  # the run is on disk; the user's exit code matters more than our table
        text = f"goldsplit: the report could not be made: {error!r}\nrun: {shown(run_dir)}\n"
    print(text, file=sys.stderr, end="")


def called(run_dir: Path) -> str:
    """What a run is called on a command line, in as few characters as possible."""
    from goldsplit.store.directory import DEFAULT_ROOT

    at_home = run_dir.parent.resolve() == DEFAULT_ROOT.resolve()
    return run_dir.name if at_home else shown(run_dir)
