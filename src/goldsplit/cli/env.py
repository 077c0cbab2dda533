"""goldsplit env: drive an environment alone, and say how fast it is and what is slow in it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from goldsplit.cli.options import name_option, out_option, run_root
from goldsplit.errors import TargetError
from goldsplit.model.pasting import our_command, quoted

if TYPE_CHECKING:
    from goldsplit.model.env_alone.env_look import EnvLook
    from goldsplit.pipeline import Driven
    from goldsplit.record.outside.launch import RunEnd

#: Stacks are all that is sampled here, for seconds only: more often than in a long training.
RATE_HZ = 50
#: As shells count a command that Ctrl-C has ended.
INTERRUPTED = 130


@click.command()
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    help="Env steps to make.  [default: what fits into about 10 s]",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the first reset."
)
@click.option(
    "--policy",
    default="random",
    show_default=True,
    metavar="random|first|zero|MODULE:FN",
    help="Who chooses among the valid actions; a function is given the observation (and the mask).",
)
@click.option(
    "--mask",
    metavar="MODULE:FN",
    help="A function of the environment that returns its mask or valid actions.",
)
@click.option(
    "--vector",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of environments in one process, stepped in turn.",
)
@click.option("--kwargs", default="{}", metavar="JSON", help="Arguments for making the environment.")
@click.option("--hash", "with_hash", is_flag=True, help="Print the trajectory hash: equal play, equal hash.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON to stdout.")
@name_option
@out_option
@click.argument("target")
def env(
    steps: int | None,
    seed: int,
    policy: str,
    mask: str | None,
    vector: int,
    kwargs: str,
    with_hash: bool,
    as_json: bool,
    name: str,
    out: Path | None,
    target: str,
) -> None:
    """Drive TARGET alone with valid actions, and show its speed, its slow steps and what is hot.

    TARGET is a Gymnasium id, package.module:Factory or path/to/file.py:Factory; a factory is a class or a
    function that makes an environment: Gymnasium's, a vector environment, or any class with reset and step.

    \b
    goldsplit env CartPole-v1
    goldsplit env game.env:HexEnv --steps 5000 --seed 1 --hash
    goldsplit env game/env.py:make_env --kwargs '{"size": 12}' --policy first
    """
    check_arguments(kwargs)
    command = [sys.executable, "-m", "goldsplit.record.drive", target, "--seed", str(seed)]
    command += [] if policy == "random" else ["--policy", policy]
    command += [] if steps is None else ["--steps", str(steps)]
    command += [] if mask is None else ["--mask", mask]
    command += ["--vector", str(vector)] if vector > 1 else []
    command += ["--kwargs", kwargs] if kwargs != "{}" else []
    command += ["--hash"] if with_hash else []
    driven = drive(tuple(command), run_root(out), name or target)
    if driven.look is not None and driven.look.steps:
        show(driven.look, driven.run_dir, as_json)
    leave(driven.look, driven.end)


def check_arguments(kwargs: str) -> None:
    """Refuse, before anything is started, what is not a JSON object."""
    try:
        found = json.loads(kwargs)
    except ValueError as error:
        raise TargetError(
            f"--kwargs is not JSON: {error}", "quote it for the shell: --kwargs '{\"size\": 12}'"
        ) from error
    if not isinstance(found, dict):
        raise TargetError("--kwargs is not an object", "write names and values: --kwargs '{\"size\": 12}'")


def drive(command: tuple[str, ...], root: Path, name: str) -> Driven:
    """Run the driver, alone and then below the recorder with the deep look on."""
    from goldsplit import pipeline
    from goldsplit.cli.live.display import make_tick
    from goldsplit.cli.live.timing_line import make_timing_tick
    from goldsplit.record.outside.launch import RecordOptions
    from goldsplit.store.config import load_stages

    options = RecordOptions(stages=load_stages(None, ()), rate_hz=RATE_HZ, deep=True)
    timing, recording = make_timing_tick(sys.stderr), make_tick(live=False, quiet=False)

    def record_tick(run_dir: Path) -> None:
        timing.close()  # one line after the other in the same row
        recording(run_dir)

    try:
        return pipeline.drive(command, root, name, options, (timing, record_tick))
    finally:
        timing.close()
        recording.close()


def show(look: EnvLook, run_dir: Path | None, as_json: bool) -> None:
    """Print what was measured."""
    from goldsplit import pipeline
    from goldsplit.model.env_alone.env_look import to_json
    from goldsplit.report.env_terminal import EnvTerminalRenderer
    from goldsplit.report.terminal import TerminalRenderer

    report = None if run_dir is None else pipeline.report(run_dir)
    if as_json:
        print(json.dumps(to_json(look, report, None if run_dir is None else str(run_dir)), indent=1))
    else:
        page = TerminalRenderer.for_stream(sys.stdout)
        print(EnvTerminalRenderer(page).render(look, report), end="")
        if run_dir is not None:
            print(f"\nrun: {shown(run_dir)}\nmore: {our_command(f'show {quoted(shown(run_dir))}')}")
    sys.stdout.flush()


def shown(path: Path) -> str:
    """A path as the user would type it in a shell."""
    below = path.is_relative_to(Path.cwd())
    return quoted(str(path.relative_to(Path.cwd()) if below else path))


def leave(look: EnvLook | None, end: RunEnd) -> None:
    """A problem becomes a message and 2; Ctrl-C becomes 130; a process that died says by which signal."""
    failure = None if look is None else look.failure
    if failure is not None:
        print(failure.trace, file=sys.stderr, end="")
        raise TargetError(failure.message, failure.hint)
    if end.status == "interrupted":
        if look is None or look.steps == 0:
            print("goldsplit: interrupted before the first step", file=sys.stderr)
        sys.exit(INTERRUPTED)
    if end.exit_code != 0:
        how = f"by signal {end.signal}" if end.signal is not None else f"with exit code {end.exit_code}"
        raise TargetError(
            f"the environment's process ended {how}",
            "what it wrote before is above; PYTHONFAULTHANDLER=1 shows where a crash in C code happened",
        )
