"""`python -m goldsplit.games snake`: do the twins of a game answer alike?

Plays the plain twin, the fast twin and a row of the batch twin from one seed with the same random valid
actions, and compares the hashes of all that they answered. Exits with 1 where they differ.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import gymnasium

from goldsplit.errors import GoldsplitError
from goldsplit.games import GAMES
from goldsplit.games.trajectory import Trajectory, played, played_rows

#: Games side by side in the batch; the first of them is compared.
BATCH_ROWS = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    asked = parser().parse_args(arguments)
    try:
        found = trajectories(asked.game, asked.seed, asked.episodes)
    except GoldsplitError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    for twin, trajectory in found.items():
        print(f"{twin:5}  {trajectory.episodes} episodes  {trajectory.steps:6} steps  {trajectory.digest()}")
    equal = len({trajectory.digest() for trajectory in found.values()}) == 1
    print("equal" if equal else "DIFFERENT")
    return 0 if equal else 1


def parser() -> argparse.ArgumentParser:
    """The options."""
    known = argparse.ArgumentParser(
        prog="python -m goldsplit.games",
        description=(__doc__ or "").partition("\n\n")[2],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    known.add_argument("game", choices=GAMES)
    known.add_argument("--episodes", type=_positive, default=5, help="whole games that each twin plays")
    known.add_argument("--seed", type=int, default=1, help="of the first game, and of the actions")
    return known


def trajectories(game: str, seed: int, episodes: int) -> dict[str, Trajectory]:
    """What each twin answered."""
    name = f"goldsplit/{game.capitalize()}"
    found = {}
    for twin in ("plain", "fast"):
        env = gymnasium.make(f"{name}-{twin}-v0")
        found[twin] = played(env, seed, episodes)
        env.close()
    batch = gymnasium.make_vec(f"{name}-batch-v0", num_envs=BATCH_ROWS)
    found["batch"] = played_rows(batch, seed, episodes)[0]
    batch.close()
    return found


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("give 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
