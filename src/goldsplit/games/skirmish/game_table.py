"""N games of one scenario and what is asked of them: the part that the fast and the batch twin share."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldsplit.games.dice import seeded
from goldsplit.games.skirmish.board_tables import ENDED, SIDE, Answers, build, new_answers, new_games
from goldsplit.games.skirmish.game_calls import play
from goldsplit.games.skirmish.game_terms import Policy, SkirmishCallError
from goldsplit.games.skirmish.scenario_file import load

Observations = NDArray[np.float32]

#: Parts of `Games` that only mean something inside a call.
_SCRATCH = ("steps", "queue", "slots")


def game_seeds(seed: int | Sequence[int], count: int) -> list[int]:
    """The seed of each game: counted up from one seed, or as given."""
    if isinstance(seed, int | np.integer):
        return [int(seed) + game for game in range(count)]
    if len(seed) != count:
        raise SkirmishCallError(f"{len(seed)} seeds for {count} games", "pass one seed, or one for each game")
    return [int(one) for one in seed]


class GameTable:
    """The games as arrays. Every call leaves fresh observations, rewards and information in `answers`."""

    def __init__(self, scenario: str | Path, num_games: int) -> None:
        if num_games < 1:
            raise SkirmishCallError(f"a batch of {num_games} has no game", "choose num_envs of 1 or more")
        self.scenario = load(scenario)
        self.board = build(self.scenario)
        self.games = new_games(self.board, num_games)
        self.answers: Answers = new_answers(num_games)
        self._board_mark = zlib.crc32(b"".join(table.tobytes() for table in self.board))
        self._all = np.arange(num_games)
        self.opponent: Policy | None = None
        self.has_dice = False
        self.started = False

    def seed(self, seeds: Sequence[int]) -> None:
        """The dice of each game."""
        self.games.dice[:] = [seeded(seed) for seed in seeds]
        self.has_dice = True

    def start(self) -> None:
        """Begin all games."""
        self.answers.ended[:] = True
        self.step(np.zeros(len(self._all), np.int64))
        self.started = True

    def step(self, actions: NDArray[np.int64]) -> None:
        """One decision in every game, or the beginning of the next game after an end."""
        self._fresh()
        self._play(self._all, actions)
        if self.opponent is not None:
            self._oppose(self.opponent)

    def _play(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        play(self.board, self.games, self.answers, rows, actions, self.opponent is not None)

    def _fresh(self) -> None:
        """New arrays for what the player keeps; mask and ends stay, because the next call reads them."""
        answers = self.answers
        self.answers = answers._replace(
            observation=np.empty_like(answers.observation),
            reward=np.empty_like(answers.reward),
            info=np.empty_like(answers.info),
        )

    def _oppose(self, policy: Policy) -> None:
        """Ask the opponent from outside until it is the agent's turn in every game."""
        facts = self.games.facts
        while True:
            rows = np.flatnonzero((facts[:, SIDE] == 1) & (facts[:, ENDED] == 0))
            if not len(rows):
                return
            chosen = policy(self.answers.observation[rows], self.answers.mask[rows])
            actions = np.ascontiguousarray(chosen, np.int64)
            if actions.shape != rows.shape:
                raise SkirmishCallError(
                    f"the opponent's policy gave actions of shape {actions.shape} for {len(rows)} games",
                    "it must give one action for each row of the observations",
                )
            self._play(rows, actions)

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that decides what happens next, as arrays of its own; the opponent is not among it."""
        if not self.started:
            raise SkirmishCallError("there is no game to save", "call reset() first")
        return {"board": np.array([self._board_mark]), **{name: part.copy() for name, part in self._kept()}}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `state` gave."""
        self._fresh()
        if "board" not in state or int(state["board"][0]) != self._board_mark:
            raise SkirmishCallError(
                f"the state is not of the scenario {self.scenario.name!r}",
                "restore it into the same scenario",
            )
        for name, part in self._kept():
            if name not in state or state[name].shape != part.shape or state[name].dtype != part.dtype:
                raise SkirmishCallError(
                    f"the state does not fit these games: its {name!r} is missing or has another shape",
                    "restore it into the same number of games",
                )
        for name, part in self._kept():
            part[...] = state[name]
        self.has_dice = self.started = True

    def _kept(self) -> list[tuple[str, NDArray[Any]]]:
        """The arrays of a state, by name."""
        parts = {**self.games._asdict(), **self.answers._asdict()}
        return [(name, part) for name, part in parts.items() if name not in _SCRATCH]
