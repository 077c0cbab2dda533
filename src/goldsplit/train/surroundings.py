"""What differs between the surroundings `plain` and `fast`: who plays the games, which memory keeps them."""

from __future__ import annotations

import logging
import os
from functools import partial
from pathlib import Path

import gymnasium
import torch

from goldsplit.train.errors import TrainError
from goldsplit.train.game_ids import GameIds, find_game
from goldsplit.train.memories import FastMemory, Memory, PlainMemory
from goldsplit.train.options import DqnOptions, TrainOptions
from goldsplit.train.plain_world import PlainWorld
from goldsplit.train.vector_world import PlainVectorWorld, VectorWorld, shared_games
from goldsplit.train.worlds import World


def make_world(options: TrainOptions, envs: int | None = None) -> World:
    """The games of these options. Plain: an object or a process per game. Fast: the batch twin, if any."""
    ids = find_game(options.game)
    count = options.envs if envs is None else envs
    if count < 1:
        raise TrainError(f"envs is {count}: nothing would be played", "choose envs of 1 or more")
    try:
        return _world(options, ids, count)
    except TypeError as error:
        if not ids.arguments:
            raise
        given = " ".join(f"{key}={value}" for key, value in ids.arguments.items())
        raise TrainError(
            f"{ids.name} takes no such options: {given} ({error})", "see its page in docs/games"
        ) from error


def _world(options: TrainOptions, ids: GameIds, count: int) -> World:
    if options.surroundings == "plain":
        if ids.vector_entry(ids.plain) and ids.plain != ids.fast:  # its author wrote one object for all games
            return PlainVectorWorld(gymnasium.make_vec(ids.plain, num_envs=count, **ids.arguments), ids.plain)
        return PlainWorld(
            partial(gymnasium.make, ids.plain, **ids.arguments),
            count,
            name=ids.plain,
            subprocess=options.subprocess,
            log=step_log(options),
        )
    if ids.has_batch and not options.subprocess:
        return VectorWorld(gymnasium.make_vec(ids.batch, num_envs=count, **ids.arguments), ids.batch)
    make = partial(gymnasium.make, ids.fast, **ids.arguments)
    return VectorWorld(shared_games(make, count, options.subprocess), ids.fast)


def make_memory(options: DqnOptions, world: World, device: torch.device) -> Memory:
    """The replay memory: a list and a draw over all of it, or `goldsplit.fast.replay`."""
    if options.surroundings == "plain":
        return PlainMemory(options, world)
    on_device = device.type == "cuda" and options.device_replay
    return FastMemory(options, world, str(device) if on_device else None)


def step_log(options: TrainOptions) -> logging.Logger:
    """The log of plain surroundings, a line per game and step: into the folder, or formatted for nobody."""
    log = logging.Logger(f"goldsplit.train.{options.game}", logging.DEBUG)
    folder = Path(options.folder) if options.folder else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    place = folder / "steps.log" if folder is not None else Path(os.devnull)
    handler = logging.FileHandler(place, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    return log


def find_device(options: TrainOptions) -> torch.device:
    """The device to learn on; threads of the CPU as the options say."""
    wanted = options.device
    if wanted == "auto":
        wanted = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(wanted)
    except RuntimeError as error:
        raise TrainError(f"torch knows no device {wanted!r}", "choose cpu, cuda or auto") from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise TrainError("no CUDA device can be used here", "choose device=cpu or device=auto")
    if device.type == "cpu":
        torch.set_num_threads(options.threads)
    return device
