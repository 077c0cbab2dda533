"""goldsplit export: a run in a format of another program."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from pathlib import Path

import click

from goldsplit.cli import completion
from goldsplit.cli.options import config_option, mapping_in, out_option, run_root
from goldsplit.cli.output_file import output_option, write_output
from goldsplit.errors import ConfigError

FORMATS = ("csv", "flamegraph", "json", "markdown", "perfetto", "speedscope")
TABLES = ("stages", "hotspots", "lanes", "windows", "findings")


@click.command()
@click.option(
    "--format",
    "wanted",
    metavar="FORMAT",
    required=True,
    shell_complete=completion.one_of(FORMATS),
    help=f"One of {', '.join(FORMATS)}.",
)
@output_option
@click.option(
    "--table",
    metavar="TABLE",
    shell_complete=completion.one_of(TABLES),
    help=f"For csv: {', '.join(TABLES)}.  [default: stages]",
)
@config_option
@out_option
@click.argument("run", default="last", shell_complete=completion.runs)
def export(
    wanted: str,
    output: Path | None,
    table: str | None,
    config: Path | None,
    out: Path | None,
    run: str,
) -> None:
    """Write RUN (an id, a name, a path, or `last`, the default) for other programs.

    \b
    flamegraph   an SVG for any browser
    speedscope   stacks for https://www.speedscope.app
    perfetto     a timeline for https://ui.perfetto.dev or chrome://tracing
    json         the whole report, as `goldsplit show --json`
    csv          one table of it
    markdown     the table for a pull request
    """
    from goldsplit.store.directory import find_run

    wanted = chosen(wanted, FORMATS, "format")
    if table is not None and wanted != "csv":
        raise ConfigError(f"--table is for --format csv, not for {wanted}", "leave --table out")
    table = chosen(table, TABLES, "table") if table is not None else "stages"
    run_dir = find_run(run, run_root(out)).path
    write_output(rendered(run_dir, wanted, table, mapping_in(config)), output)


def chosen(wanted: str, known: Sequence[str], what: str) -> str:
    """One of the known words; otherwise an error with the closest match."""
    if wanted in known:
        return wanted
    close = difflib.get_close_matches(wanted.lower(), known, n=1, cutoff=0.4)
    hint = f"did you mean {close[0]}? " if close else ""
    raise ConfigError(f"unknown {what} {wanted!r}", f"{hint}there are: {', '.join(known)}")


def rendered(run_dir: Path, wanted: str, table: str, mapping: dict[str, str]) -> str:
    """The run in one of the formats; stacks and spans are read for those that show them."""
    from goldsplit import pipeline
    from goldsplit.report.formats.csv import CsvRenderer
    from goldsplit.report.formats.flamegraph import FlamegraphRenderer
    from goldsplit.report.formats.perfetto import PerfettoRenderer
    from goldsplit.report.formats.speedscope import SpeedscopeRenderer
    from goldsplit.report.markdown import MarkdownRenderer

    if wanted == "flamegraph":
        return FlamegraphRenderer().render(*pipeline.report_closely(run_dir, mapping=mapping))
    if wanted == "perfetto":
        return PerfettoRenderer().render(
            *pipeline.report_closely(run_dir, single_spans=True, mapping=mapping)
        )
    if wanted == "speedscope":
        return SpeedscopeRenderer().render(*pipeline.report_closely(run_dir, mapping=mapping))
    report = pipeline.report(run_dir, mapping)
    if wanted == "json":
        return json.dumps(report.to_json(), indent=1) + "\n"
    if wanted == "csv":
        return CsvRenderer(table).render(report)
    return MarkdownRenderer().render(report, pipeline.plan(report))
