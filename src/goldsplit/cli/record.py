"""goldsplit record: run a training command and say where its wall time went."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import click

from goldsplit.cli.options import name_option, out_option, run_root, shown


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@name_option
@click.option(
    "--stage",
    "stage_texts",
    multiple=True,
    metavar="TARGET=STAGE",
    help="Map a function to a stage, e.g. core.env:Battle.enemy_turn=env.opponent; =count:NAME counts calls.",
)
@click.option(
    "--config", type=click.Path(path_type=Path), help="Settings file.  [default: goldsplit.toml, if there]"
)
@click.option(
    "--rate", type=click.IntRange(1, 1000), help="Stack samples per second.  [default: from a cost budget]"
)
@click.option(
    "--deep",
    is_flag=True,
    help="Also take a deep look: short windows in which every call of your own code is seen.",
)
@click.option("--no-stacks", is_flag=True, help="Do not sample stacks; spans alone.")
@out_option
@click.option(
    "--duration",
    type=click.FloatRange(min=0.1),
    help="End the command after this many seconds (Ctrl-C to it).",
)
@click.option("--live", is_flag=True, help="Show a panel that is redrawn every few seconds.")
@click.option(
    "--quiet", is_flag=True, help="Print nothing but errors; `goldsplit show` prints the verdict later."
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED, required=True)
def record(
    name: str,
    stage_texts: tuple[str, ...],
    config: Path | None,
    rate: int | None,
    deep: bool,
    no_stacks: bool,
    out: Path | None,
    duration: float | None,
    live: bool,
    quiet: bool,
    command: tuple[str, ...],
) -> None:
    """Run COMMAND as you would, record all its processes, and print the verdict at the end.

    The command's input, output and exit code stay as they are; the verdict goes to stderr.

    \b
    goldsplit record -- python train.py --steps 100000
    goldsplit record --stage "game.env:Game.enemy_turn=env.opponent" -- python -m mygame.train
    """
    from goldsplit import pipeline
    from goldsplit.cli.live.display import make_tick
    from goldsplit.record.outside.launch import RecordOptions
    from goldsplit.store.config import load_stages
    from goldsplit.store.directory import clean_name

    stages = load_stages(config, stage_texts)
    options = RecordOptions(
        stages=stages, rate_hz=rate, stacks=not no_stacks, duration_seconds=duration, deep=deep
    )
    root = run_root(out)
    name = name or clean_name(_guess_name(command))
    tick = make_tick(live=live, quiet=quiet)
    try:
        run_dir, end = pipeline.record(command, root, name, options, tick)
    finally:
        tick.close()
    if not quiet:
        _print_verdict(run_dir)
    if end.signal is not None:
        _die_by(end.signal)
    if end.exit_code == 0 and stages:
        pipeline.check_stages(run_dir)
    sys.exit(end.exit_code)


def _guess_name(command: tuple[str, ...]) -> str:
    """A run is named after its script."""
    for place, part in enumerate(command):
        if part.endswith(".py"):
            return Path(part).stem
        if part == "-m" and place + 1 < len(command):
            return command[place + 1]
    return Path(command[0]).name


def _print_verdict(run_dir: Path) -> None:
    from goldsplit import pipeline
    from goldsplit.report.terminal import TerminalRenderer

    try:
        text = TerminalRenderer.for_stream(sys.stderr).render(pipeline.report(run_dir))
    except Exception as error:  # the run is on disk; the user's exit code matters more than our table
        print(f"goldsplit: the report could not be made: {error!r}", file=sys.stderr)
        text = ""
    print(text + f"run: {shown(run_dir)}", file=sys.stderr)


def _die_by(number: int) -> None:
    """End as the command ended, so that a calling shell sees the same signal."""
    signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
    sys.stderr.flush()
    os.kill(os.getpid(), number)
