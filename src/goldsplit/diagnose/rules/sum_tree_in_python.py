"""Prioritised replay uses a sum tree written in plain Python.

## What it sees

Methods of a class named like a tree of sums or segments (`SumTree`, `SegmentTree`, `MinTree`), or the
recursion of the usual recipe (`_propagate`, `_retrieve`), that are called dozens of times per batch, and
the time spent in their own Python code.

## Why it is slow

A batch of 256 needs 256 walks down and, after the update, 256 walks up a tree of about 17 levels: 9,000
Python operations, about two milliseconds each way. It replaces an O(N) operation of NumPy that is often
*faster* at usual sizes: 1.4-6x in measurements.

## Example

```python
for i in range(batch_size):  # slow: one walk per item
    index, priority, data = self.tree.get(random.uniform(a + i * segment, a + (i + 1) * segment))

from goldsplit.fast.replay import Field, PrioritizedReplay  # fast: all walks in one compiled call

replay = PrioritizedReplay(100_000, {"obs": Field((84,), np.float32)}, alpha=0.6)
batch = replay.sample(256)
replay.update_priorities(batch.indices, np.abs(td_errors) + 1e-6)
```

## What to do

`goldsplit.fast.replay.PrioritizedReplay` has the same arithmetic compiled. Without it: walk all 256 items
at once, level by level, with NumPy index arrays.

## When not

If the ceiling is small. In a real project sampling was 2.3 % of wall time: no tree could have given the
planned speed-up of 10 %.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import cost_of_several
from goldsplit.diagnose.rule import Rule, percent, record_again
from goldsplit.model.deep import DeepFunction
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

_TREE = re.compile(r"(sum|min|segment|priority|fenwick)_?tree", re.IGNORECASE)
_RECIPE = re.compile(r"_?(propagate|retrieve)$")
#: Fewer calls than this in the windows are not a loop over a batch.
LEAST_CALLS = 200


def check(profile: Profile) -> Iterator[Finding]:
    """One finding for all methods of the tree."""
    functions = profile.deep.functions if profile.deep is not None else []
    methods = [function for function in functions if is_of_a_tree(function)]
    calls = sum(function.calls for function in methods)
    if calls < LEAST_CALLS:
        return
    cost = cost_of_several(profile, [(one.place, one.stage, one.self_share, "") for one in methods])
    if not cost.worth_mentioning:
        return
    worst = max(methods, key=lambda function: function.self_share)
    owner = worst.place.function.rpartition(".")[0] or worst.place.function
    yield Finding(
        code=RULE.code,
        title=f"{owner} walks its tree in Python: {percent(cost.share)} of wall time",
        where=worst.place,
        stage=worst.stage,
        evidence={
            "calls": calls,
            "calls_per_env_step": sum(one.calls_per_env_step or 0.0 for one in methods),
            "methods": sorted(one.place.function for one in methods),
            "self_share_of_windows": sum(one.self_share for one in methods),
        },
        **cost.figures,
        confidence="high",
        remedy="use goldsplit.fast.replay.PrioritizedReplay: the same tree compiled, a whole batch per call",
        verify=record_again(profile, deep=True),
        effort="hours",
        overlays=("fast:replay",),
        risk="priorities and weights follow the same formulas, drawn numbers differ",
    )


def is_of_a_tree(function: DeepFunction) -> bool:
    """Whether a function is a method of a sum tree."""
    owner, _, name = function.place.function.rpartition(".")
    return _TREE.search(owner) is not None or (bool(owner) and _RECIPE.fullmatch(name) is not None)


RULE = Rule("sum-tree-in-python", check, needs_deep=True)
