"""goldsplit report: a run as one HTML file that works offline."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path

import click

from goldsplit.cli.options import out_option, run_root
from goldsplit.errors import OutputError


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
@out_option
@click.argument("run", default="last")
def report(output: Path, open_it: bool, out: Path | None, run: str) -> None:
    """Write RUN (an id, a name, a path, or `last`) as one HTML file to read and to share.

    The file needs no network and no other file. It holds the lines of your source that were hot.
    """
    from goldsplit import pipeline
    from goldsplit.report.html.renderer import HtmlRenderer
    from goldsplit.store.directory import find_run

    entry = find_run(run, run_root(out))
    page = HtmlRenderer().render(*pipeline.report_closely(entry.path))
    if str(output) == "-":
        sys.stdout.buffer.write(page.encode("utf-8", "replace"))
        return
    write_page(output, page)
    print(f"written: {output}", file=sys.stderr)
    if open_it and not webbrowser.open(output.resolve().as_uri()):
        print("goldsplit: no browser was found; open the file by hand", file=sys.stderr)


def write_page(path: Path, text: str) -> None:
    """Write a file, or say why not."""
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(f"cannot write {path}: {reason}", "choose another file with -o") from error
