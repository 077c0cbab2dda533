"""goldsplit map: the stages that a run was explained with, as a file to correct."""

from __future__ import annotations

from pathlib import Path

import click

from goldsplit.cli.options import out_option, run_root
from goldsplit.cli.output_file import is_stdout, write_output
from goldsplit.errors import OutputError


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
@click.argument("run", default="last")
def map_command(output: Path, force: bool, out: Path | None, run: str) -> None:
    """Write what the functions of RUN were taken for as a mapping to correct.

    RUN is an id, a name, a path, or `last` (the default). Each line has its reason as a comment. Then
    `goldsplit show RUN --config FILE` explains the same recording with the corrected file.
    """
    from goldsplit import pipeline
    from goldsplit.report.mapping_file import MappingRenderer
    from goldsplit.store.directory import find_run

    entry = find_run(run, run_root(out))
    if not is_stdout(output) and output.exists() and not force:
        raise OutputError(f"{output} is there already", "give another file with -o, or replace it: --force")
    write_output(MappingRenderer().render(entry.id, pipeline.functions(entry.path)), output)
