"""goldsplit runs: what has been recorded here."""

from __future__ import annotations

import itertools
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from goldsplit.cli.options import out_option, run_root
from goldsplit.model.pasting import our_command

if TYPE_CHECKING:
    from goldsplit.store.directory import RunEntry

_TITLES = ("run", "begun", "length", "status", "speed", "bottleneck")
#: Columns for the command and the differences, however narrow the terminal is.
_LEAST_WIDTH = 30


@click.command()
@out_option
def runs(out: Path | None) -> None:
    """List the recorded runs, oldest first: speed, bottleneck, and what differs from the run above."""
    from goldsplit.report.words import plain
    from goldsplit.store.directory import scan_runs

    root = run_root(out)
    entries, unreadable = scan_runs(root)
    if not entries and not unreadable:
        again = our_command("record -- python train.py")
        click.echo(f"no runs in {root}; record one: {again}", err=True)
        return
    rows = [_TITLES, *map(_columns, entries)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_TITLES))]
    for row, last in zip(rows, ["what it is, or what differs", *_told(entries)], strict=True):
        cells = [f"{text:<{width}}" for text, width in zip(row, widths, strict=True)]
        click.echo("  ".join([*cells, _fitting(last, sum(widths) + 2 * len(widths))]))
    for one in unreadable:
        click.echo(
            f"{plain(one.path.name):<{widths[0]}}  cannot be read: {plain(one.why)} (hint: {plain(one.hint)})"
        )


def _columns(entry: RunEntry) -> tuple[str, ...]:
    from goldsplit.model.wire import Header
    from goldsplit.report import run_list, words
    from goldsplit.store.beside_runs.summary_file import read_summary

    header = entry.header
    begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(header.get(Header.STARTED, 0)))
    start, end = header.get(Header.START_NS), header.get(Header.END_NS)
    length = words.DASH if start is None or end is None else f"{(end - start) / 1e9:.1f} s"
    summary = read_summary(entry.path, header)
    speed, bottleneck = run_list.speed_text(summary), run_list.bottleneck_text(summary)
    return (
        words.plain(entry.id),
        begun,
        length,
        words.plain(header.get(Header.STATUS, "?")),
        speed,
        bottleneck,
    )


def _told(entries: list[RunEntry]) -> list[str]:
    """The command of the first run; of each other, in what it differs from the one above it."""
    from goldsplit.report import run_list

    told = [run_list.command_text(entries[0].header)] if entries else []
    for former, entry in itertools.pairwise(entries):
        told.append(", ".join(run_list.differences(former.header, entry.header)) or "nothing that is known")
    return told


def _fitting(text: str, taken: int) -> str:
    """On a terminal one line for each run; in a file, all of it."""
    from goldsplit.report.words import clip

    if not sys.stdout.isatty():
        return text
    return clip(text, max(_LEAST_WIDTH, shutil.get_terminal_size().columns - taken))
