"""goldsplit stages: the vocabulary, and why the functions of a run have the stages that they have."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import click

from goldsplit.cli import completion
from goldsplit.cli.options import config_option, mapping_in, out_option, run_root
from goldsplit.model.pasting import our_command
from goldsplit.model.stage import VOCABULARY


@click.command()
@click.option(
    "--explain", is_flag=True, help="List the functions of RUN instead: their stages, why, and how hot."
)
@config_option
@out_option
@click.option("--json", "as_json", is_flag=True, help="With --explain: print the functions as JSON.")
@click.argument("run", required=False, shell_complete=completion.runs)
def stages(explain: bool, config: Path | None, out: Path | None, as_json: bool, run: str | None) -> None:
    """List the stages that goldsplit knows; your own names (game.pathfinding) are welcome too.

    With --explain: what each function of RUN (an id, a name, a path, or `last`, the default) was taken for.
    """
    if explain:
        _explain(run or "last", config, out, as_json)
        return
    if run is not None or as_json or config is not None:
        raise click.UsageError(
            f"RUN, --config and --json go with --explain: {our_command('stages --explain last')}"
        )
    width = max(len(stage.name) for stage in VOCABULARY)
    category_width = max(len(stage.category) for stage in VOCABULARY)
    for stage in VOCABULARY:
        click.echo(f"{stage.name:<{width}}  {stage.category:<{category_width}}  {stage.meaning}")


def _explain(run: str, config: Path | None, out: Path | None, as_json: bool) -> None:
    from goldsplit import pipeline
    from goldsplit.model.wire import Header
    from goldsplit.report.function_table import FunctionTableRenderer
    from goldsplit.store.directory import find_run

    entry = find_run(run, run_root(out))
    rows = pipeline.functions(entry.path, mapping_in(config))
    if as_json:
        print(json.dumps([dataclasses.asdict(row) for row in rows], indent=1))
    else:
        started = (entry.header.get(Header.COMMAND, []), entry.header.get(Header.FOLDER, ""))
        print(FunctionTableRenderer.for_stream(sys.stdout).render(entry.id, rows, *started), end="")
