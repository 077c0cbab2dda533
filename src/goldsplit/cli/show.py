"""goldsplit show: the verdict of a recorded run, for people or for programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from goldsplit.cli import completion
from goldsplit.cli.options import config_option, mapping_in, out_option, run_root


@click.command()
@config_option
@out_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print the whole report as JSON (documented field by field)."
)
@click.argument("run", default="last", shell_complete=completion.runs)
def show(config: Path | None, out: Path | None, as_json: bool, run: str) -> None:
    """Show RUN: an id, a name, a path, or `last` (the default)."""
    from goldsplit import pipeline
    from goldsplit.report.run_list import summarised
    from goldsplit.report.terminal import TerminalRenderer
    from goldsplit.store.beside_runs.summary_file import keep_summary
    from goldsplit.store.directory import find_run

    entry = find_run(run, run_root(out))
    mapping = mapping_in(config)
    report = pipeline.report(entry.path, mapping)
    if not mapping:  # the list of runs has them as they were recorded
        keep_summary(entry.path, summarised(report))
    if as_json:
        print(json.dumps(report.to_json(), indent=1))
    else:
        print(TerminalRenderer.for_stream(sys.stdout).render(report), end="")
