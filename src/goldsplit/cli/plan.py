"""goldsplit plan: the performance document, written from a recording."""

from __future__ import annotations

from pathlib import Path

import click

from goldsplit.cli import completion
from goldsplit.cli.options import config_option, mapping_in, out_option, run_root
from goldsplit.cli.output_file import output_option, write_output


@click.command()
@output_option
@config_option
@out_option
@click.argument("run", default="last", shell_complete=completion.runs)
def plan(output: Path | None, config: Path | None, out: Path | None, run: str) -> None:
    """Write a plan for RUN: an id, a name, a path, or `last` (the default).

    Baseline, where the time goes, hot spots, steps in order with how much each can save at most and the
    command that proves it, what is not worth doing, and what remains. In Markdown.
    """
    from goldsplit import pipeline
    from goldsplit.report.plan import PlanRenderer
    from goldsplit.store.directory import find_run

    report = pipeline.report(find_run(run, run_root(out)).path, mapping_in(config))
    write_output(PlanRenderer().render(report, pipeline.plan(report)), output)
