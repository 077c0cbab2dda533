"""goldsplit compare: two recordings side by side, per env step."""

from __future__ import annotations

import json
from pathlib import Path

import click

from goldsplit.cli import completion
from goldsplit.cli.options import config_option, mapping_in, out_option, run_root
from goldsplit.cli.output_file import output_option, write_output

FORMATS = ("terminal", "markdown", "html", "json")


@click.command()
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    default="terminal",
    show_default=True,
    help="How it is written.",
)
@output_option
@config_option
@out_option
@click.argument("first", metavar="A", shell_complete=completion.runs)
@click.argument("second", metavar="B", shell_complete=completion.runs)
def compare(
    kind: str, output: Path | None, config: Path | None, out: Path | None, first: str, second: str
) -> None:
    """What became cheaper from run A to run B, stage by stage and function by function.

    A and B are ids, names, paths, or `last`. Two single runs are no fair comparison: `goldsplit ab` is.
    """
    import sys

    from goldsplit import pipeline
    from goldsplit.experiment.side_by_side import side_by_side
    from goldsplit.report.experiments import side_by_side_renderers as renderers
    from goldsplit.store.directory import find_run

    mapping = mapping_in(config)
    profiles = [pipeline.profile(find_run(run, run_root(out)).path, mapping) for run in (first, second)]
    found = side_by_side(*profiles)
    if kind == "json":
        text = json.dumps(found.to_json(), indent=1) + "\n"
    elif kind == "markdown":
        text = renderers.SideBySideMarkdown().render(found)
    elif kind == "html":
        text = renderers.SideBySidePage().render(found)
    else:
        text = renderers.SideBySideRenderer.for_stream(sys.stdout).render(found)
    write_output(text, output)
