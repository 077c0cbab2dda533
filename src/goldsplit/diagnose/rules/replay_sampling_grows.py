"""Drawing a batch from the replay memory takes longer the more it holds.

## What it sees

The cost of one call of `replay.sample` from the first to the last quarter of the run: it rose by more than
chance while the memory filled. Only the cost of each call counts, not how often it is called.

## Why it is slow

A batch of 64 needs 64 rows, no matter how many there are. Code that touches every stored transition to draw
them (`np.random.choice(n, p=priorities)`, `random.sample` of a list made from a deque, a sort by priority)
goes through the whole memory at each update. It seems harmless in the first minutes, when the memory is
nearly empty, and costs most in the hours after.

## Example

```python
chances = self.priorities[: self.size] ** 0.6  # slow: touches all that is stored
rows = np.random.choice(self.size, 64, p=chances / chances.sum())

from goldsplit.fast.replay import PrioritizedReplay  # fast: a sum-tree, log(n) per row

batch = memory.sample(64)
```

## What to do

Uniform sampling: `np.random.randint(0, size, 64)` over preallocated arrays. Prioritised: a compiled
sum-tree (`goldsplit.fast.replay.PrioritizedReplay`). A sum-tree in plain Python does not help: it costs more
than the NumPy code until the memory is very large.

## When not

If the memory is full already and the cost stays below 2 % of the wall time. The ceiling here is for this
recording; `goldsplit horizon RUN` says what it will be in a longer run.
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
        title=f"drawing a batch takes {factor:.1f}x as long as before the memory filled: "
        f"{percent(row.wall_share)} of wall time",
        where=line_in(profile, STAGE),
        stage=STAGE,
        evidence=evidence,
        share=share,
        ceiling_speedup=gain,
        confidence="high" if grown.get("against") == "transitions stored" else "medium",
        remedy="draw only indices, without touching all that is stored: randint over preallocated arrays, or "
        "a compiled sum-tree (goldsplit.fast.replay.PrioritizedReplay)",
        verify=record_again(profile),
        effort="hours",
        overlays=("fast:replay",),
        risk="another order of random numbers: runs with the same seed differ from before",
    )


RULE = Rule("replay-sampling-grows", check, yields_to=("sum-tree-in-python",))
