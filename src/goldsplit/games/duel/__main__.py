"""`python -m goldsplit.games.duel`: a small training. Battles in parallel, then an update, and again.

By default as seed 002's author runs it: the plain twin in a thread pool. Each round plays some battles with a
fixed agent, learns from them and says how they ended.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from goldsplit.errors import GoldsplitError
from goldsplit.games.duel.errors import DuelError
from goldsplit.games.duel.formulas import compiled
from goldsplit.games.duel.league import TWINS, League, Result
from goldsplit.games.duel.linear_policy import LinearPolicy


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    try:
        train(options)
    except GoldsplitError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 0


def parser() -> argparse.ArgumentParser:
    """The options."""
    known = argparse.ArgumentParser(
        prog="python -m goldsplit.games.duel",
        description=(__doc__ or "").partition(": ")[2],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    known.add_argument("--battles", type=int, default=40, help="how many in all")
    known.add_argument("--round", type=int, default=10, help="battles between two updates of the agent")
    known.add_argument("--threads", type=int, default=4, help="battles at once; rows of the batch twin")
    known.add_argument("--twin", choices=TWINS, default="plain", help="which environments play")
    known.add_argument("--seed", type=int, default=0, help="battle k is played with seed + k")
    return known


def train(options: argparse.Namespace) -> None:
    """All rounds, and a summary."""
    if options.battles < 1 or options.round < 1:
        raise DuelError("there is nothing to play", "--battles and --round are 1 or more")
    policy = LinearPolicy(features=compiled()[1])
    results: list[Result] = []
    began = time.perf_counter()
    with League(options.twin, options.threads) as league:
        for first in range(0, options.battles, options.round):
            numbers = range(first, min(first + options.round, options.battles))
            played = league.play(numbers, policy, options.seed)
            policy.update([result.decisions for result in played])
            results += played
            print(f"battles {numbers[0]}-{numbers[-1]}: {summary(played)}", flush=True)
    seconds = time.perf_counter() - began
    decisions = sum(len(result.decisions) for result in results)
    print(f"all {len(results)} battles: {summary(results)}")
    print(f"{decisions} decisions in {seconds:.1f} s, {decisions / seconds:.0f} per second")


def summary(results: Sequence[Result]) -> str:
    """How battles ended, in one line."""
    winners = [result.winner for result in results]
    turns = sum(result.turns for result in results) / len(results)
    won = winners.count("me")
    undecided = len(winners) - won - winners.count("foe")
    return f"won {won}, lost {winners.count('foe')}, undecided {undecided}, {turns:.1f} turns on average"


if __name__ == "__main__":
    sys.exit(main())
