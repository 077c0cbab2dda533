"""A training on disk: network, optimizer, memory, random states and games; it goes on as if never stopped.

On the CPU, with games in this process and without `prefetch`, a training that is resumed is bit for bit the
one that ran through. Games that cannot be saved (in other processes) begin anew, and the trainer says so.

The file itself is plain data (`state_file`), but a trainer may put bytes into it that it unpickles when it
goes on: games and replay memories are such bytes. So resume only from files that you wrote yourself. Reading
a header, as the command does to learn the options, runs nothing.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, NamedTuple

import torch

import goldsplit
from goldsplit.train.checkpoints.state_file import DamagedError, read_header, read_state, write_state
from goldsplit.train.errors import TrainError
from goldsplit.train.options import KINDS, TrainOptions
from goldsplit.train.settings.option_values import read, wrong
from goldsplit.train.settings.settling import check_kept

FORMAT = "goldsplit-training"
FILE_NAME = "checkpoint.zip"
# Format history, newest first; only the newest can be read.
#   1  header: format, version, goldsplit, kind ("dqn" or "ppo"), steps, options;
#      state: "trainer" as the trainer gave it, "run" as the loop around it did
VERSION = 1


class Checkpoint(NamedTuple):
    """What a file holds: `state` is the trainer's, `run` that of the loop around it."""

    kind: str
    options: TrainOptions
    state: dict[str, Any]
    run: dict[str, Any] = {}  # noqa: RUF012  never changed


class Header(NamedTuple):
    """What can be known without reading the state."""

    kind: str
    steps: int
    options: TrainOptions


def save(path: Path, checkpoint: Checkpoint) -> Path:
    """Write it; a crash while writing leaves what was there before."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "goldsplit": goldsplit.__version__,
        "kind": checkpoint.kind,
        "steps": int(checkpoint.state.get("steps", 0)),
        "options": asdict(checkpoint.options),
    }
    try:
        write_state(path, header, {"trainer": checkpoint.state, "run": checkpoint.run})
    except OSError as error:
        raise TrainError(
            f"the checkpoint {path} cannot be written: {error.strerror or error}",
            "is there room, and may you write there?",
        ) from error
    return path


def find(place: Path) -> Path:
    """The checkpoint that is meant: a file, or the one in a training's folder."""
    path = place / FILE_NAME if place.is_dir() else place
    if path.is_file():
        return path
    if place.is_dir():
        raise TrainError(
            f"the folder {place} has no {FILE_NAME}",
            "a training with --folder writes it at its end, at Ctrl-C and every checkpoint_every steps",
        )
    raise TrainError(f"there is no checkpoint {place}", "name a file, or the folder of a training")


def head(place: Path) -> Header:
    """Which training a checkpoint is of; an error that says what else the file is."""
    path = find(place)
    try:
        found = read_header(path)
    except DamagedError as error:
        raise _unreadable(path, error) from error
    except OSError as error:
        raise TrainError(f"{path} cannot be read: {error.strerror}", "name a checkpoint") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise TrainError(f"{path} is not the checkpoint of a training", "name a file that --folder received")
    version = found.get("version")
    if version != VERSION:
        writer = found.get("goldsplit", "of another version")
        raise TrainError(
            f"{path} has format version {version}, this goldsplit ({goldsplit.__version__}) reads {VERSION}",
            f"go on with the goldsplit that wrote it: {writer}",
        )
    if found.get("kind") not in KINDS:
        raise TrainError(f"{path} holds a training of {found.get('kind')!r}", f"known: {', '.join(KINDS)}")
    return Header(found["kind"], int(found.get("steps", 0)), _options(path, found))


def load(place: Path, kind: str) -> Checkpoint:
    """Read a checkpoint of this kind of trainer, or say what the file is instead."""
    path = find(place)
    header = head(path)
    if header.kind != kind:
        raise TrainError(f"{path} holds a {header.kind} training", f"use: goldsplit train {header.kind}")
    try:
        content = read_state(path)
        return Checkpoint(kind, header.options, content["trainer"], content["run"])
    except (DamagedError, KeyError, TypeError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> TrainError:
    return TrainError(
        f"{path} cannot be read as a checkpoint: {error}",
        "is it the checkpoint of a training, and was it copied as a whole?",
    )


def _options(path: Path, header: dict[str, Any]) -> TrainOptions:
    """The saved options; one that this version does not know, or knows otherwise, is an error."""
    kind, saved = KINDS[header["kind"]], header.get("options")
    known = {one.name: one for one in fields(kind)}
    if not isinstance(saved, dict):
        raise TrainError(f"{path} has no options", "is it the checkpoint of a training?")
    values = {}
    for name, raw in saved.items():
        value = read(known[name], raw) if name in known else raw
        if name not in known or wrong(known[name], value):
            raise TrainError(
                f"{path} was trained with {name} = {raw!r}, which this goldsplit does not know",
                f"go on with the goldsplit that wrote it: {header.get('goldsplit', 'another version')}",
            )
        values[name] = value
    return kind(**values)


def check_same(saved: TrainOptions, wanted: TrainOptions) -> None:
    """Refuse options with which the saved state would not fit."""
    kind = next(name for name, options in KINDS.items() if isinstance(saved, options))
    check_kept(kind, saved, {one.name: getattr(wanted, one.name, None) for one in fields(saved)}, {})


def random_states() -> dict[str, Any]:
    """The states of torch's generators; those of games, memory and exploration are kept by their owners."""
    states = {"torch": torch.get_rng_state()}
    if torch.cuda.is_available():
        states["cuda"] = torch.cuda.get_rng_state()
    return states


def restore_random(states: dict[str, Any]) -> None:
    """Set torch's generators as they were."""
    torch.set_rng_state(states["torch"])
    if "cuda" in states and torch.cuda.is_available():
        torch.cuda.set_rng_state(states["cuda"])
