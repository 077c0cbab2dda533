"""goldsplit attach: sample a training that is already running."""

from __future__ import annotations

from pathlib import Path

import click

from goldsplit.cli.options import out_option, run_root
from goldsplit.cli.verdict_screen import print_verdict

DEFAULT_RATE_HZ = 50


@click.command()
@click.option("--name", default="", help="Name of the run.  [default: attach-PID]")
@out_option
@click.option(
    "--rate",
    type=click.IntRange(1, 1000),
    default=DEFAULT_RATE_HZ,
    show_default=True,
    help="Stack samples per second.",
)
@click.option(
    "--duration", type=click.FloatRange(min=1), help="Stop after this many seconds.  [default: Ctrl-C]"
)
@click.option("--live", is_flag=True, help="Show a panel that is redrawn every few seconds, like top.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@click.argument("pid", type=int)
def attach(
    name: str, out: Path | None, rate: int, duration: float | None, live: bool, quiet: bool, pid: int
) -> None:
    """Sample the stacks of process PID and its children, and print the verdict.

    Nothing in the process is changed, so there are no exact counts: all shares are sampled, with intervals.
    """
    from goldsplit import pipeline
    from goldsplit.cli.live.display import make_tick

    root = run_root(out)
    tick = make_tick(live=live, quiet=quiet)
    try:
        run_dir = pipeline.attach(pid, root, name, rate, duration, tick)
    finally:
        tick.close()
    if not quiet:
        print_verdict(run_dir)
