"""For the tests of Skirmish: small scenarios in files, and players that do more than random moves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import goldsplit.games  # noqa: F401 - registers the ids

PLAIN, FAST, BATCH = (f"goldsplit/Skirmish-{twin}-v0" for twin in ("plain", "fast", "batch"))
TWINS = (PLAIN, FAST)
OBJECTIVE, FIRST_SLOT, PASS = 6, 7, 12

#: One squad that does everything a little; tests change what they are about.
SOLDIER = {
    "move": 4,
    "range": 12,
    "shots": 4,
    "attacks": 4,
    "skill": 4,
    "strength": 4,
    "toughness": 4,
    "save": 4,
    "damage": 1,
    "wounds": 6,
    "hold": 1,
}


def scenario_text(board: str, **changes: Any) -> str:
    """A scenario as TOML: squads of kind `ours` against `theirs`, which never move or shoot."""
    ours = {**SOLDIER, **changes.get("ours", {})}
    theirs = {**SOLDIER, **changes.get("theirs", {})}
    lines = [
        'title = "test"',
        f"rounds = {changes.get('rounds', 5)}",
        f"lead = {changes.get('lead', 100)}",
        f"missions = {changes.get('missions', ['hold'])}",
        f'map = """\n{board.strip()}\n"""',
        *("[kinds.ours]", *(f"{key} = {value}" for key, value in ours.items())),
        *("[kinds.theirs]", *(f"{key} = {value}" for key, value in theirs.items())),
        *("[agent]", f"squads = {['ours'] * changes.get('agents', 1)}"),
        *("[bot]", f"squads = {['theirs'] * changes.get('bots', 1)}"),
        f"hesitation = {changes.get('hesitation', 100)}",
    ]
    return "\n".join(lines).replace("'", '"')


def make(folder: Path, twin: str, board: str, **changes: Any) -> Any:
    """A game of a test's own scenario."""
    file = folder / "test.toml"
    file.write_text(scenario_text(board, **changes))
    return gymnasium.make(twin, scenario=file).unwrapped


def aggressive(masks: NDArray[np.bool_], turn: int) -> NDArray[np.int64]:
    """Strike where that is possible, else go to the objective, with some other moves in between."""
    wish = np.zeros(masks.shape)
    wish[:, FIRST_SLOT:PASS] = 3 - 0.1 * ((np.arange(5) + turn) % 3)
    wish[:, OBJECTIVE] = 2
    wish[:, :OBJECTIVE] = 1 + (np.arange(6) + turn) % 7 / 4
    actions: NDArray[np.int64] = np.where(masks, wish, -1).argmax(axis=1)
    return actions


class Stubborn:
    """A policy for the opponent that depends on all it is shown, and remembers what that was."""

    def __init__(self) -> None:
        self.seen: list[NDArray[np.float32]] = []

    def __call__(self, observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        self.seen += list(observations.copy())
        chosen = []
        for observation, mask in zip(observations, masks, strict=True):
            valid = np.flatnonzero(mask)
            chosen.append(valid[int(observation.astype(np.float64).sum() * 1000) % len(valid)])
        return np.array(chosen)
