"""The loop around any trainer: progress, evaluations, checkpoints, self-play, Ctrl-C, and the outcome."""

from __future__ import annotations

import copy
import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from goldsplit.api import stage
from goldsplit.model.stage import CHECKPOINT, EVAL, LOG
from goldsplit.train.checkpoints import FILE_NAME, Checkpoint, save
from goldsplit.train.errors import TrainError
from goldsplit.train.evaluation import evaluate
from goldsplit.train.options import TrainOptions
from goldsplit.train.progress import Pace, Point, Recent, Telling, duration
from goldsplit.train.settings.options_file import write_options
from goldsplit.train.surroundings import make_world
from goldsplit.train.training_outcome import Outcome
from goldsplit.train.worlds import Actions, Episode, Masks, Observations, World

__all__ = ["Greedy", "Outcome", "Trainer", "TrainingRun", "claim_folder", "free_name"]

EVALUATED_AT_ONCE = 64
OUTCOME_FILE = "outcome.json"
#: A bar that changes more often cannot be read.
TICK_SECONDS = 0.5


class Trainer(Protocol):
    """What a trainer offers to the loop."""

    kind: str
    world: World
    device: torch.device
    network: nn.Module
    steps: int
    updates: int

    @property
    def options(self) -> TrainOptions:
        """Those of its kind: DqnOptions, PpoOptions."""

    def iterate(self) -> list[Episode]:
        """A little of the training; the games that ended in it."""

    def figures(self) -> dict[str, float]:
        """Losses and the like, as they are now; asked for rarely, so that it may wait for the device."""

    def state(self) -> dict[str, Any]:
        """Everything that decides how the training goes on."""


class Greedy:
    """The policy that takes the best valid action; a copy of it can be sent to other processes."""

    def __init__(self, network: nn.Module, device: torch.device) -> None:
        self.network = network
        self.device = device

    def __call__(self, obs: Observations, masks: Masks) -> Actions:
        scores = getattr(self.network, "logits", self.network)
        with torch.no_grad():
            values = scores(torch.as_tensor(np.asarray(obs), device=self.device)).float().cpu().numpy()
        best: Actions = np.where(masks, values, -np.inf).argmax(axis=1)
        return best

    def frozen(self) -> Greedy:
        """A copy on the CPU that the training does not change any more."""
        return Greedy(copy.deepcopy(self.network).cpu(), torch.device("cpu"))


class TrainingRun:
    """Drives one trainer to the number of steps in its options."""

    def __init__(self, trainer: Trainer, *, quiet: bool = False, resumed: Checkpoint | None = None) -> None:
        self.trainer, self.options, self.quiet = trainer, trainer.options, quiet
        self.policy = Greedy(trainer.network, trainer.device)
        self.outcome = Outcome(
            trainer.kind, trainer.options, network=trainer.network, device=str(trainer.device)
        )
        self._before = (trainer.steps, trainer.updates)
        self._is_resumed = resumed is not None
        self._resumed: dict[str, Any] = resumed.run if resumed is not None else {}
        self.recent = Recent(Episode(*row) for row in self._resumed.get("recent", []))
        self._pace = Pace(trainer.steps)
        self._began = time.perf_counter()
        self._apart = 0.0
        self._arena: World | None = None
        self._opponent: Greedy | None = None
        self._stop = False

    def go(self) -> Outcome:
        """Train until the steps are done, or until Ctrl-C."""
        options, trainer = self.options, self.trainer
        try:
            self._prepare()
            with Telling(options, quiet=self.quiet, first_step=trainer.steps) as telling, self._interrupts():
                self._began = time.perf_counter()
                self._loop(telling)
                self._point(telling)
                self._finish(telling)
        finally:
            if self._arena is not None:
                self._arena.close()
            trainer.world.close()
        return self.outcome

    def _prepare(self) -> None:
        """The folder, and the opponent where that is the agent itself."""
        if self.options.folder:
            claim_folder(Path(self.options.folder), resumed=self._is_resumed)
        if self.options.folder and self.trainer.steps < self.options.steps:
            write_options(self.trainer.kind, self.options, Path(self.options.folder))
        if self.options.self_play:
            self._set_opponent(self._resumed.get("opponent"))

    def _loop(self, telling: Telling) -> None:
        trainer, intervals = self.trainer, self._intervals()
        due = {name: _next(trainer.steps, every) for name, every in intervals.items()}
        next_tick = self._began
        while trainer.steps < self.options.steps and not self._stop:
            self.recent.add(trainer.iterate())
            now = time.perf_counter()
            if now >= next_tick:
                next_tick = now + TICK_SECONDS
                telling.tick(self._stands())
            for name in [name for name, at in due.items() if trainer.steps >= at]:
                due[name] = _next(trainer.steps, intervals[name])
                with self._aside():
                    getattr(self, name)(telling)
        telling.tick(self._stands())

    def _intervals(self) -> dict[str, int]:
        """The method for each thing that is done now and then, and every how many steps."""
        options = self.options
        wanted = {
            "_point": options.log_every,
            "_evaluate": options.evaluate_every if options.evaluate_games else 0,
            "_freeze": options.self_play,
            # after the new opponent, so that a checkpoint of this step has it
            "_save": options.checkpoint_every if options.folder else 0,
        }
        return {name: every for name, every in wanted.items() if every}

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """What is done here is not the training's own time."""
        self._stands()
        begun = time.perf_counter()
        try:
            yield
        finally:
            self._apart += time.perf_counter() - begun

    def _stands(self) -> Point:
        """Where the training is now; the outcome is brought up to it."""
        outcome, trainer, recent = self.outcome, self.trainer, self.recent
        steps, updates = self._before
        outcome.seconds = time.perf_counter() - self._began - self._apart
        outcome.steps, outcome.updates = trainer.steps - steps, trainer.updates - updates
        outcome.total_steps, outcome.episodes = trainer.steps, recent.count
        outcome.mean_return, outcome.win_rate = recent.mean_return, recent.win_rate
        pace = self._pace.now(outcome.seconds, trainer.steps)
        return Point(
            trainer.steps, outcome.seconds, trainer.updates, pace, recent.mean_return, recent.win_rate
        )

    def _point(self, telling: Telling) -> None:
        curve, trainer, outcome = self.outcome.curve, self.trainer, self.outcome
        if curve and curve[-1].steps == trainer.steps:
            return
        before = (curve[-1].steps, curve[-1].seconds) if curve else (self._before[0], 0.0)
        pace = (trainer.steps - before[0]) / max(1e-9, outcome.seconds - before[1])
        point = Point(
            trainer.steps, outcome.seconds, trainer.updates, pace, outcome.mean_return, outcome.win_rate
        )
        curve.append(point)
        with stage(LOG):
            telling.point(point, trainer.figures())

    def _evaluate(self, telling: Telling) -> None:
        """Greedy games on the fast twin, in a world of their own: the training is not touched."""
        options, outcome = self.options, self.outcome
        if outcome.evaluations and outcome.evaluations[-1][0] == self.trainer.steps:
            return
        if self._arena is None:
            fast = replace(options, surroundings="fast", subprocess=False, folder="", checkpoint_every=0)
            self._arena = make_world(fast, min(EVALUATED_AT_ONCE, options.evaluate_games))
        with stage(EVAL):  # a recording does not count these steps as training
            result = evaluate(self.policy, self._arena, options.evaluate_games, options.seed)
        outcome.evaluation = result
        outcome.evaluations.append((self.trainer.steps, outcome.seconds, result))
        figures = {"return": result.mean_return, "win_rate": result.win_rate, "length": result.mean_length}
        telling.scalars("evaluation", self.trainer.steps, figures)
        if self.trainer.steps < options.steps:  # that of the end is in the outcome
            telling.say(f"{self.trainer.steps:,} steps, {duration(outcome.seconds)} · {result}")

    def _save(self, telling: Telling) -> None:
        folder = self.options.folder
        if folder:
            path = Path(folder) / FILE_NAME
        else:
            path = free_name(Path(f"goldsplit-{self.trainer.kind}-{self.trainer.steps}.zip"))
        with stage(CHECKPOINT):
            state = self.trainer.state()
            opponent = self._opponent.network.state_dict() if self._opponent is not None else None
            run = {"recent": [tuple(row) for row in self.recent.episodes], "opponent": opponent}
            save(path, Checkpoint(self.trainer.kind, self.options, state, run))
        self.outcome.checkpoint = str(path)
        if state.get("world") is None and "games" not in self.outcome.notes:
            note = "the games themselves cannot be saved: a resumed training begins new ones"
            self.outcome.notes["games"] = note
            telling.say(note)

    def _freeze(self, _telling: Telling) -> None:
        self._set_opponent()

    def _set_opponent(self, weights: dict[str, Any] | None = None) -> None:
        """The agent as it is now plays the other side; or as it was, where a checkpoint has kept that."""
        self._opponent = self.policy.frozen()
        if weights is not None:
            self._opponent.network.load_state_dict(weights)
        self.trainer.world.set_opponent(self._opponent)

    def _finish(self, telling: Telling) -> None:
        outcome = self.outcome
        outcome.interrupted = self._stop
        # A training that was only evaluated again keeps the files of when it was trained.
        folder = self.options.folder if outcome.steps else ""
        # A program that runs many trainings, without a word and without a folder, wants no files of them.
        if folder or (self._stop and not self.quiet):
            self._save(telling)  # before the evaluation: nothing that happens there can lose it
        if self.options.evaluate_games and not self._stop:
            self._evaluate(telling)
        if folder:
            told = {**outcome.as_dict(), "curve": [point._asdict() for point in outcome.curve]}
            (Path(folder) / OUTCOME_FILE).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")

    @contextmanager
    def _interrupts(self) -> Iterator[None]:
        """Ctrl-C ends the training at the next good moment; a second one at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.getsignal(signal.SIGINT)

        def stop(number: int, frame: Any) -> None:
            if self._stop:
                raise KeyboardInterrupt
            self._stop = True

        signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _next(steps: int, every: int) -> int:
    return (steps // every + 1) * every


def claim_folder(folder: Path, *, resumed: bool) -> None:
    """Refuse a folder that holds another training, which this one would write over."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TrainError(
            f"the folder {folder} cannot be made: {error.strerror}", "choose another --folder"
        ) from error
    if (folder / FILE_NAME).exists() and not resumed:
        raise TrainError(
            f"{folder} already holds a training",
            f"go on with it: --resume {folder}; or choose another --folder",
        )


def free_name(path: Path) -> Path:
    """This name, or with a number where a file of this name exists."""
    found, number = path, 1
    while found.exists():
        number += 1
        found = path.with_stem(f"{path.stem}-{number}")
    return found
