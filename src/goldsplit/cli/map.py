"""goldsplit map: the stages that a run was explained with, as a file to correct."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from goldsplit.cli import completion
from goldsplit.cli.options import out_option, run_root
from goldsplit.cli.output_file import is_stdout, write_output
from goldsplit.cli.verdict_screen import called
from goldsplit.errors import OutputError
from goldsplit.model.wire import COUNT_CALLS, Header


@click.command(name="map")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("goldsplit.toml"),
    show_default=True,
    help="File to write; - for stdout.",
)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@out_option
@click.argument("run", default="last", shell_complete=completion.runs)
def map_command(output: Path, force: bool, out: Path | None, run: str) -> None:
    """Write what the functions of RUN were taken for as a mapping to correct.

    RUN is an id, a name, a path, or `last` (the default). Each line has its reason as a comment. Then
    `goldsplit show RUN --config FILE` explains the same recording with the corrected file.
    """
    from goldsplit import pipeline
    from goldsplit.report.formats.mapping_file import DEFAULT_FILE, MappingRenderer
    from goldsplit.store.directory import find_run

    entry = find_run(run, run_root(out))
    if not is_stdout(output) and output.exists() and not force:
        raise OutputError(f"{output} is there already", "give another file with -o, or replace it: --force")
    rows = pipeline.functions(entry.path)
    counters, run_called = counters_of(entry.header), called(entry.path)
    file = DEFAULT_FILE if is_stdout(output) else str(output)
    write_output(MappingRenderer().render(entry.id, rows, counters, run_called, file), output)


def counters_of(header: dict[str, Any]) -> dict[str, str]:
    """The counters that a run was recorded with: they stay in its mapping."""
    given = header.get(Header.STAGES) or {}
    return {
        str(target): str(stage).removeprefix(COUNT_CALLS)
        for target, stage in given.items()
        if str(stage).startswith(COUNT_CALLS)
    }
