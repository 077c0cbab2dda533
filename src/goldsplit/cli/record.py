"""goldsplit record: run a training command and say where its wall time went."""

from __future__ import annotations

import difflib
import os
import signal
import sys
from pathlib import Path

import click

from goldsplit.cli import completion
from goldsplit.cli.options import name_option, out_option, run_root
from goldsplit.cli.verdict_screen import print_verdict
from goldsplit.errors import CommandError


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@name_option
@click.option(
    "--stage",
    "stage_texts",
    multiple=True,
    metavar="TARGET=STAGE",
    shell_complete=completion.stages,
    help="Map a function to a stage, e.g. core.env:Battle.enemy_turn=env.opponent; =count:NAME counts calls.",
)
@click.option(
    "--progress",
    metavar="TARGET",
    help="One call of this function is one step: for programs whose steps goldsplit does not recognise.",
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
    help="Also take a deep look: watch the calls of your own hot functions, and single lines.",
)
@click.option(
    "--with",
    "overlays",
    multiple=True,
    metavar="OVERLAY[:ARGUMENT]",
    help="Change the run from outside, e.g. threads:1; `goldsplit overlays` lists what there is.",
)
@click.option(
    "--profile",
    "profile_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Settings, variables and overlays that `goldsplit tune` found: speed.toml, balance.toml.",
)
@click.option(
    "--trajectory",
    is_flag=True,
    help="Also hash what environments return, to compare the play of two runs.",
)
@click.option(
    "--gpu",
    is_flag=True,
    help="Also look at the GPU: its clock at borders of stages, and short windows of torch's profiler. A "
    "program that only launches small kernels becomes a little slower.",
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
@click.argument("command", nargs=-1, type=click.UNPROCESSED, required=True, shell_complete=completion.command)
def record(
    name: str,
    stage_texts: tuple[str, ...],
    progress: str | None,
    config: Path | None,
    rate: int | None,
    deep: bool,
    overlays: tuple[str, ...],
    profile_file: Path | None,
    trajectory: bool,
    gpu: bool,
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
    from goldsplit.cli.experiments.profile_places import filled, keep_profile
    from goldsplit.cli.live.display import make_tick
    from goldsplit.model.overlays.overlay import STOPPED
    from goldsplit.model.overlays.written import parse_overlays
    from goldsplit.record.outside.launch import RecordOptions
    from goldsplit.store.beside_runs.settings_profile import SettingsProfile, read_profile
    from goldsplit.store.config import load_stages
    from goldsplit.store.directory import clean_name

    _check_options(command)
    stages = load_stages(config, stage_texts, progress)
    profile = SettingsProfile() if profile_file is None else read_profile(profile_file)
    if profile_file is not None:
        command = filled(command, profile, profile_file)
    options = RecordOptions(
        stages=stages,
        rate_hz=rate,
        stacks=not no_stacks,
        duration_seconds=duration,
        deep=deep,
        overlays=tuple(one.text for one in parse_overlays((*profile.overlays, *overlays))),
        trajectory=trajectory,
        gpu=gpu,
        live=live,
        environment=profile.environment,
    )
    root = run_root(out)
    name = name or clean_name(_guess_name(command))
    tick = make_tick(live=live, quiet=quiet)
    try:
        run_dir, end = pipeline.record(command, root, name, options, tick)
    finally:
        tick.close()
    if profile_file is not None:
        keep_profile(run_dir, profile, profile_file)
    if not quiet:
        print_verdict(run_dir)
    if end.status == STOPPED:
        print(f"goldsplit: {end.notes[0]}", file=sys.stderr)
    if end.as_asked:  # --duration: that is no failure
        sys.exit(0)
    if end.signal is not None:
        _die_by(end.signal)
    if end.exit_code == 0 and stages:
        pipeline.check_stages(run_dir)
    sys.exit(end.exit_code)


def _check_options(command: tuple[str, ...]) -> None:
    """A misspelt option looks like the command's first word."""
    word = command[0].partition("=")[0]
    if word.startswith("-"):
        known = [name for option in record.params for name in option.opts if name.startswith("-")]
        close = difflib.get_close_matches(word, [*known, "--help"], n=1)
        hint = f"did you mean {close[0]}?" if close else "`goldsplit record --help` lists the options"
        raise CommandError(f"no such option: {word}", f"{hint} the command itself goes after `--`")


def _guess_name(command: tuple[str, ...]) -> str:
    """A run is named after its script."""
    for place, part in enumerate(command):
        if part.endswith(".py"):
            return Path(part).stem
        if part == "-m" and place + 1 < len(command):
            return command[place + 1]
    return Path(command[0]).name


def _die_by(number: int) -> None:
    """End as the command ended, so that a calling shell sees the same signal."""
    signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
    sys.stderr.flush()
    os.kill(os.getpid(), number)
