"""The opponent's turn takes most of the environment's step.

## What it sees
The opponent's turn (stage `env.opponent`: methods such as `enemy_turn` or `opponent_move`, or yours by
`--stage`) takes at least half of all environment time, at least 20 % of the run's wall time, and a
millisecond or more each time.

## Why it is slow
The agent's own move is one action; the opponent's is often a search for each of its units: paths, lines of
sight, targets. It runs at every step, and most of its answers have not changed since the step before.

## Example
```python
# slow: one search per hunter and option
options = sorted(moves, key=lambda cell: self.distances(cell)[self.agent])

# fast: one field of distances from the agent serves all hunters
near = self.distances(self.agent)
options = sorted(moves, key=near.__getitem__)
```

## What to do
Look at the function that is named. One search per source instead of one per pair, a table where the map
does not change, or a compiled kernel (`goldsplit.fast.kernels`). `goldsplit record --deep` shows which
calls repeat.

## When not
If the opponent is a neural network. Then batch its forward passes like those of the agent.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.diagnose.rule import Rule, ceiling, function_in, percent, record_again, row_of, share_of
from goldsplit.diagnose.workers import measured
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import ENV, ENV_OPPONENT

LEAST_OF_ENVIRONMENT = 0.5
LEAST_SHARE = 0.2
#: A cheaper turn is not a search: it dominates only because everything else is even cheaper.
LEAST_TURN_US = 1000.0


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    row, environment = row_of(profile, ENV_OPPONENT), share_of(profile, ENV)
    if row is None or row.wall_share < LEAST_SHARE or row.wall_share < LEAST_OF_ENVIRONMENT * environment:
        return
    if row.mean_us is not None and row.mean_us < LEAST_TURN_US:
        return
    share, speedup = ceiling(profile, ENV_OPPONENT, 1.0)
    part = row.wall_share / environment
    yield Finding(
        code=RULE.code,
        title=f"the opponent's turn is {percent(part)} of the environment "
        f"and {percent(row.wall_share)} of the run",
        where=function_in(profile, ENV_OPPONENT),
        stage=ENV_OPPONENT,
        evidence=measured(
            opponent_share=row.wall_share,
            part_of_environment=part,
            us_per_call=row.mean_us,
            calls=row.calls,
        ),
        share=share,
        ceiling_speedup=speedup,
        confidence="high" if row.source == "span" else "medium",
        remedy=(
            "make the named function cheaper: one search per source instead of per pair, a table for "
            "what does not change, or goldsplit.fast.kernels"
        ),
        verify=record_again(profile),
        risk="the opponent must play as before: compare trajectory hashes",
    )


RULE = Rule("opponent-dominates", check, yields_to=("constant-result", "one-to-many", "repeated-calls"))
