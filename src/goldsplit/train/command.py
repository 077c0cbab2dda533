"""The command `goldsplit train`, which is also `python -m goldsplit.train`.

What is heavy (torch, numba, gymnasium) is imported only when a training really begins: mistakes in the
options are answered at once.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from goldsplit.errors import GoldsplitError
from goldsplit.model.pasting import our_command, quoted
from goldsplit.train.errors import TrainError
from goldsplit.train.options import KINDS
from goldsplit.train.settings.option_values import reads_as
from goldsplit.train.settings.settling import Settings, Wanted, settle

if TYPE_CHECKING:
    from goldsplit.train.checkpoints import Header
    from goldsplit.train.training_run import Outcome

#: As shells count a command that Ctrl-C has ended.
INTERRUPTED = 130
#: What `pip install 'goldsplit[games]'` brings.
OF_THE_EXTRA = {"ale_py", "gymnasium", "numba", "torch", "yaml"}


@click.command("train")
@click.argument("algorithm", type=click.Choice(tuple(KINDS)))
@click.option("--game", metavar="NAME", help="skirmish, snake, retro, duel, or any Gymnasium id.")
@click.option(
    "--profile", default="", metavar="NAME|FILE", help="speed, balance, or a TOML file with options."
)
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Any option by name; repeatable.")
@click.option("--steps", type=int, help="Env steps in all, over all games.")
@click.option("--seed", type=int, help="Decides games, network and exploration.")
@click.option("--envs", type=int, help="Games played side by side.")
@click.option(
    "--surroundings", metavar="plain|fast", help="As hobby authors write it, or with goldsplit.fast."
)
@click.option("--folder", metavar="DIR", help="Where checkpoints, options and TensorBoard scalars go.")
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="CHECKPOINT",
    help="Go on from this file, or from the checkpoint in this folder.",
)
@click.option("--dry-run", is_flag=True, help="Print every option and where it comes from; train nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as one line of JSON to stdout.")
@click.option("--quiet", is_flag=True, help="No progress and no summary.")
def train(
    algorithm: str,
    profile: str,
    sets: tuple[str, ...],
    resume: Path | None,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
    **named: Any,
) -> None:
    """Train an agent with ALGORITHM, dqn or ppo, and evaluate it against the game's own bot.

    Options: defaults, then --profile, then variables GOLDSPLIT_TRAIN_<KEY>, then --set, then those below;
    later wins. All keys are in docs/reference/train.md, and --dry-run prints them.

    \b
    goldsplit train dqn --game skirmish --profile speed --folder runs/first
    goldsplit train ppo --game snake --set hidden=64,64 --steps 1000000
    goldsplit train dqn --resume runs/first --steps 400000
    """
    given = {key: value for key, value in named.items() if value is not None}
    wanted = Wanted(profile, sets, given)
    saved = saved_training(algorithm, resume) if resume is not None else None
    settings = settle(algorithm, wanted, saved=None if saved is None else saved.options)
    if dry_run:
        click.echo(shown(algorithm, settings), nl=False)
        return
    outcome = carry_out(algorithm, settings, resume, quiet=quiet)
    if not quiet:
        print(summary(outcome), file=sys.stderr)
    if as_json:
        print(json.dumps(outcome.as_dict()))
        sys.stdout.flush()
    if outcome.interrupted:
        sys.exit(INTERRUPTED)


def saved_training(algorithm: str, place: Path) -> Header:
    """What a checkpoint says about itself. Its folder is where it lies now, not where it was written."""
    with_extra()
    from goldsplit.train.checkpoints import FILE_NAME, find, head

    found = head(place)
    if found.kind != algorithm:
        raise TrainError(
            f"{place} holds a {found.kind} training", f"use: goldsplit train {found.kind} --resume {place}"
        )
    path = find(place)
    if found.options.folder and path.name == FILE_NAME:
        return found._replace(options=replace(found.options, folder=str(path.parent)))
    return found


def carry_out(algorithm: str, settings: Settings, resume: Path | None, *, quiet: bool) -> Outcome:
    """Train. Imports happen here, and what is missing is said with the command that installs it."""
    with_extra()
    from goldsplit.train.checkpoints import find
    from goldsplit.train.game_ids import find_game
    from goldsplit.train.training_run import claim_folder

    try:
        find_game(settings.options.game)
    except TrainError as error:
        raise TrainError(f"{settings.places['game']}: {error.message}", error.hint) from error
    checkpoint = None if resume is None else find(resume)
    folder = settings.options.folder
    if folder:
        own = checkpoint is not None and checkpoint.parent.resolve() == Path(folder).resolve()
        claim_folder(Path(folder), resumed=own)
    options: Any = settings.options
    if algorithm == "dqn":
        from goldsplit.train import dqn

        return dqn.train(options, resume=checkpoint, quiet=quiet)
    from goldsplit.train import ppo

    return ppo.train(options, resume=checkpoint, quiet=quiet)


def with_extra() -> None:
    """Import what the extra brings, or say how to get it."""
    try:
        import gymnasium  # noqa: F401
        import numba  # noqa: F401
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name not in OF_THE_EXTRA:
            raise
        raise GoldsplitError(
            f"a training needs {error.name}, which is not installed", "pip install 'goldsplit[games]'"
        ) from error


def shown(algorithm: str, settings: Settings) -> str:
    """Every option with its value, as a profile would have it, and its place."""
    lines = [f"# goldsplit train {algorithm}: what it would train with, and where each value comes from"]
    for key, place in settings.places.items():
        lines.append(f"{key} = {reads_as(getattr(settings.options, key))}".ljust(36) + f" # {place}")
    return "\n".join(lines) + "\n"


def summary(outcome: Outcome) -> str:
    """The outcome in a few lines for a person."""
    from goldsplit.train.progress import duration

    done = "interrupted after" if outcome.interrupted else "trained"
    pace = outcome.steps_per_second
    speed = "" if pace is None else f", {pace:,.0f} steps/s"
    ratio = f", {outcome.updates / outcome.steps:.3f} updates/step" if outcome.steps else ""
    lines = [f"{done} {outcome.steps:,} steps in {duration(outcome.seconds)}{speed}{ratio}"]
    if outcome.total_steps != outcome.steps:
        lines[0] += f"; {outcome.total_steps:,} steps in all"
    if outcome.evaluation is not None:
        lines.append(f"evaluation: {outcome.evaluation}")
    if outcome.checkpoint is not None:
        lines.append(f"checkpoint: {outcome.checkpoint}")
    if outcome.interrupted and outcome.checkpoint is not None:
        place = quoted(str(outcome.checkpoint))
        lines.append(f"go on: {our_command(f'train {outcome.kind} --resume {place}')}")
    return "\n".join(lines)
