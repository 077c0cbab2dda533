"""Drawing a batch from the replay memory costs more the more is stored in it.

## What it sees

The cost of one call of `replay.sample` from the first to the last quarter of the run: it rose by more than
chance, and the memory was filling meanwhile. That it is called more often is something else, and is not
counted here.

## Why it is slow

A batch of 64 needs 64 rows, no matter how many there are. Code that touches every stored transition to draw
them (`np.random.choice(n, p=priorities)`, `random.sample` of a list made from a deque, a sort by priority)
pays for the whole memory at each update. It looks harmless in the first minutes, when the memory is nearly
empty, and costs most in the hours after.

## Example

```python
chances = self.priorities[: self.size] ** 0.6  # slow: touches all that is stored
rows = np.random.choice(self.size, 64, p=chances / chances.sum())

from goldsplit.fast.replay import PrioritizedReplay  # fast: a sum-tree, log(n) per row

batch = memory.sample(64)
```

## What to do

Uniform sampling: `np.random.randint(0, size, 64)` over preallocated arrays. Prioritised: a compiled
sum-tree (`goldsplit.fast.replay.PrioritizedReplay`). A sum-tree in plain Python is no remedy: it costs more
than the NumPy code until the memory is very large.

## When not

If the memory is full already and the cost has settled below 2 % of the wall time. The ceiling here is of
this recording; `goldsplit horizon RUN` tells what it will be in a longer run.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.rule import Rule, ceiling, line_in, percent, record_again, row_of
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import REPLAY_SAMPLE

LEAST_FACTOR = 1.3
STAGE = REPLAY_SAMPLE


def check(profile: Profile) -> Iterator[Finding]:
    """At most one finding."""
    grown = next((row for row in profile.drift.growing_stages if row["stage"] == STAGE), None)
    row = row_of(profile, STAGE)
    if grown is None or row is None or not row.mean_us:
        return
    factor, before, after = (
        grown.get(name) for name in ("call_factor", "us_per_call_first", "us_per_call_last")
    )
    if factor is None or before is None or after is None or factor < LEAST_FACTOR:
        return
    share, gain = ceiling(profile, STAGE, max(0.0, 1.0 - before / row.mean_us))
    evidence = {
        "us_per_call_first": before,
        "us_per_call_last": after,
        "call_factor": factor,
        "replay_sample_share": row.wall_share,
    }
    if grown.get("against") is not None:
        evidence |= {"grows_with": grown["against"], "correlation": grown["correlation"]}
    yield Finding(
        code=RULE.code,
        title=f"drawing a batch became {factor:.1f}x dearer as the memory filled: "
        f"{percent(row.wall_share)} of wall time",
        where=line_in(profile, STAGE),
        stage=STAGE,
        evidence=evidence,
        share=share,
        ceiling_speedup=gain,
        confidence="high" if grown.get("against") == "transitions stored" else "medium",
        remedy="draw indices, not from all that is stored: randint over preallocated arrays, or a compiled "
        "sum-tree (goldsplit.fast.replay.PrioritizedReplay)",
        verify=record_again(profile),
        effort="hours",
        risk="another order of random numbers: runs with the same seed differ from before",
    )


RULE = Rule("replay-sampling-grows", check, yields_to=("sum-tree-in-python",))
