"""goldsplit runs: what has been recorded here."""

from __future__ import annotations

import time
from pathlib import Path

import click

from goldsplit.cli.options import out_option, run_root


@click.command()
@out_option
def runs(out: Path | None) -> None:
    """List the recorded runs, oldest first."""
    from goldsplit.model.wire import Header
    from goldsplit.store.directory import list_runs

    root = run_root(out)
    entries = list_runs(root)
    if not entries:
        click.echo(f"no runs in {root}; record one: goldsplit record -- python train.py", err=True)
        return
    width = max(len(entry.id) for entry in entries)
    for entry in entries:
        header = entry.header
        begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(header.get(Header.STARTED, 0)))
        start, end = header.get(Header.START_NS), header.get(Header.END_NS)
        seconds = f"{(end - start) / 1e9:8.1f} s" if start is not None and end is not None else "         –"
        command = " ".join(" ".join(header.get(Header.COMMAND, [])).split())[:60]
        status = header.get(Header.STATUS, "?")
        click.echo(f"{entry.id:<{width}}  {begun}  {seconds}  {status:<11}  {command}")
