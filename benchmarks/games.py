"""How much faster are the fast and the batch twins of the games than the plain ones?

    python benchmarks/games.py [--only snake] [--quick] [--markdown FILE]

Everything is measured per core by CPU time in one run: rounds in which every twin of a game does its work
once, in a shuffled order, and ratios taken round by round, shown as median and quartiles. Twins of Skirmish
and Snake play the same recorded actions from the same seeds, so that their work is the same move for move.
Prints a table, writes benchmarks/results/games.json, and exits with 1 where a bar is missed. `--markdown`
puts the table between the marks `<!-- figures: begin -->` and `<!-- figures: end -->` of a page.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # per core: before numpy and torch make their pools

import argparse
import importlib.util
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import goldsplit.games  # noqa: F401 - registers the ids
from games_table import (
    BEGIN,
    END,
    Floor,
    Row,
    Twin,
    Work,
    as_markdown,
    as_text,
    floors_of,
    has_marks,
    rows_of,
    write_table,
)
from goldsplit.games.dice import Dice

RESULTS = Path(__file__).parent / "results"
SEED = 1
#: A round repeats a twin's work until it has taken this much CPU time: shorter times are mostly noise.
LEAST_CPU_SECONDS = 0.05

Chooser = Callable[[NDArray[np.float32], NDArray[np.bool_], Dice], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Tape:
    """Recorded actions: one row per turn, one column per game; game g begins with `SEED + g`."""

    actions: NDArray[np.int64]


def random_actions(_: NDArray[np.float32], masks: NDArray[np.bool_], dice: Dice) -> NDArray[np.int64]:
    """A valid action for each game."""
    valid = [np.flatnonzero(mask) for mask in masks]
    return np.array([choices[dice.below(len(choices))] for choices in valid])


def snake_actions(observations: NDArray[np.float32], _: NDArray[np.bool_], dice: Dice) -> NDArray[np.int64]:
    """Towards the food and away from danger, as an agent that has learned something: snakes grow."""
    ahead, aside = observations[:, 11], observations[:, 12]
    wish = np.stack([ahead, aside, -aside], axis=1) - 10 * observations[:, :3] + 3 * observations[:, 18:21]
    actions: NDArray[np.int64] = wish.argmax(axis=1)
    for game in range(len(actions)):
        if dice.below(20) == 0:
            actions[game] = dice.below(3)
    return actions


def record(batch: Any, turns: int, choose: Chooser) -> Tape:
    """The actions of a player on a batch twin."""
    dice = Dice(SEED)
    observations, _ = batch.reset(seed=SEED)
    actions = np.zeros((turns, batch.num_envs), np.int64)
    for turn in range(turns):
        actions[turn] = choose(observations, batch.unwrapped.action_masks(), dice)
        observations = batch.step(actions[turn])[0]
    return Tape(actions)


def together(batch: Any, tape: Tape) -> Work:
    """Play all games of a tape at once; a turn in which a game only begins anew is no env step of it."""

    def play() -> int:
        batch.reset(seed=SEED)
        resets = 0
        ended = 0
        for actions in tape.actions:
            _, _, terminated, truncated, _ = batch.step(actions)
            resets += ended
            ended = np.count_nonzero(terminated | truncated)
        return tape.actions.size - resets

    return play


def one_by_one(game: Any, tape: Tape, games: int) -> Work:
    """Play the first games of a tape one after another."""
    columns = [tape.actions[:, column].tolist() for column in range(games)]

    def play() -> int:
        steps = 0
        for column, actions in enumerate(columns):
            game.reset(seed=SEED + column)
            ended = False
            for action in actions:
                if ended:
                    game.reset()
                    ended = False
                    continue
                _, _, terminated, truncated, _ = game.step(action)
                ended = terminated or truncated
                steps += 1
        return steps

    return play


def counted(call: Callable[[], None]) -> Work:
    """One call as work of one step."""

    def work() -> int:
        for _ in range(20):
            call()
        return 20

    return work


def made(name: str, **options: Any) -> Any:
    return gymnasium.make(f"goldsplit/{name}-v0", **options).unwrapped


def made_many(name: str, games: int, **options: Any) -> Any:
    return gymnasium.make_vec(
        f"goldsplit/{name}-v0", num_envs=games, vectorization_mode="vector_entry_point", **options
    )


def skirmish(quick: bool) -> dict[str, list[Twin]]:
    games, turns, alone = 64, 60 if quick else 300, 1 if quick else 2
    batch = made_many("Skirmish-batch", games)
    tape = record(batch, turns, random_actions)
    return {
        "Skirmish": [
            Twin("plain, one game", one_by_one(made("Skirmish-plain"), tape, alone)),
            Twin("fast, one game", one_by_one(made("Skirmish-fast"), tape, alone), bar=20),
            Twin(f"batch of {games}", together(batch, tape), bar=200),
        ]
    }


def snake(quick: bool) -> dict[str, list[Twin]]:
    games, turns = 256, 20 if quick else 80
    batch = made_many("Snake-batch", games, flood_fill=True)
    tape = record(batch, turns, snake_actions)
    return {
        "Snake, flood fill": [
            Twin(f"plain, {games} boards", together(made_many("Snake-plain", games, flood_fill=True), tape)),
            Twin("fast, one board", one_by_one(made("Snake-fast", flood_fill=True), tape, 32), bar=10),
            Twin(f"batch of {games}", together(batch, tape), bar=100),
        ]
    }


def retro(_: bool) -> dict[str, list[Twin]]:
    from goldsplit.games.retro.measuring import emulator_only, observation_path, whole_step

    return {
        "Retro, observation": [
            Twin("plain", counted(observation_path("plain"))),
            Twin("fast", counted(observation_path("fast")), bar=10),
        ],
        "Retro, whole step": [
            Twin("plain", counted(whole_step("plain"))),
            Twin("fast", counted(whole_step("fast")), bar=1.5),
            Twin("the emulator alone", counted(emulator_only()), is_floor=True),
        ],
    }


def duel(_: bool) -> dict[str, list[Twin]]:
    from goldsplit.games.duel.measuring import observation_path

    return {
        "Duel, observation": [
            Twin("plain", counted(observation_path("plain"))),
            Twin("fast", counted(observation_path("fast")), bar=3),
        ]
    }


GAMES: dict[str, Callable[[bool], dict[str, list[Twin]]]] = {
    "skirmish": skirmish,
    "snake": snake,
    "retro": retro,
    "duel": duel,
}


def cpu_us(work: Work, least_seconds: float = LEAST_CPU_SECONDS) -> float:
    """CPU time of one env step, over work that takes long enough to be measured."""
    steps = 0
    begin = time.process_time()
    while True:
        steps += work()
        spent = time.process_time() - begin
        if spent >= least_seconds:
            return spent / steps * 1e6


def measured(twins: Sequence[Twin], rounds: int) -> list[list[float]]:
    """CPU time per env step of each twin in each round; every twin has worked once before."""
    for twin in twins:
        twin.work()
    order, shuffle = list(range(len(twins))), random.Random(SEED).shuffle
    times: list[list[float]] = [[] for _ in twins]
    for _ in range(rounds):
        shuffle(order)
        for index in order:
            times[index].append(cpu_us(twins[index].work))
    return times


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=GAMES, help="one game; may be repeated")
    parser.add_argument("--quick", action="store_true", help="less work and fewer rounds, for a first look")
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="write the table between the page's marks"
    )
    asked = parser.parse_args()
    if asked.markdown and not has_marks(asked.markdown):
        parser.error(f"{asked.markdown} has no place for the table\nhint: write {BEGIN} and {END} into it")
    return asked


def main() -> int:
    asked = arguments()
    rows: list[Row] = []
    floors: list[Floor] = []
    for name in asked.only or GAMES:
        if name == "retro" and importlib.util.find_spec("ale_py") is None:
            print("retro left out: ale-py is not installed (pip install 'goldsplit[games]')", file=sys.stderr)
            continue
        print(f"measuring {name} …", file=sys.stderr)
        for game, twins in GAMES[name](asked.quick).items():
            times = measured(twins, rounds=3 if asked.quick else 9)
            rows += rows_of(game, twins, times)
            floors += floors_of(game, twins, times)
    command = " ".join(["python", "benchmarks/games.py", *sys.argv[1:]])
    print(as_text(rows), *floors, sep="\n")
    RESULTS.mkdir(exist_ok=True)
    found = {"rows": [asdict(row) for row in rows], "floors": [asdict(floor) for floor in floors]}
    (RESULTS / "games.json").write_text(json.dumps({"command": command, **found}))
    if asked.markdown:
        write_table(asked.markdown, as_markdown(rows, floors, command))
    return int(any(row.missed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
