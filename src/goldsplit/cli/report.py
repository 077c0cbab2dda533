"""goldsplit report: a run as one HTML file that works offline."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path

import click

from goldsplit.cli import completion
from goldsplit.cli.options import config_option, mapping_in, out_option, run_root
from goldsplit.cli.output_file import is_stdout, write_output


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="File to write; - for stdout.",
)
@click.option("--open", "open_it", is_flag=True, help="Open the file in a browser.")
@config_option
@out_option
@click.argument("run", default="last", shell_complete=completion.runs)
def report(output: Path, open_it: bool, config: Path | None, out: Path | None, run: str) -> None:
    """Write RUN (an id, a name, a path, or `last`) as one HTML file to read and to share.

    The file needs no network and no other file. It holds the lines of your source that were hot.
    """
    from goldsplit import pipeline
    from goldsplit.report.html.renderer import HtmlRenderer
    from goldsplit.store.directory import find_run

    entry = find_run(run, run_root(out))
    explained, detail = pipeline.report_closely(entry.path, mapping=mapping_in(config))
    page = HtmlRenderer(pipeline.rule_pages(explained)).render(explained, detail)
    write_output(page, output)
    if open_it and not is_stdout(output) and not webbrowser.open(output.resolve().as_uri()):
        print("goldsplit: no browser was found; open the file by hand", file=sys.stderr)
