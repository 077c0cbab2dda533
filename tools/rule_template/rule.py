"""TODO: what is slow, in one sentence.

## What it sees

TODO: which measured figures the rule reads, and from which limits on it reports something.

## Why it is slow

TODO: what the computer does there, and why that takes time.

## Example

```python
...  # slow: TODO

...  # fast: TODO
```

## What to do

TODO: what to use instead.

## When not

TODO: when the remedy is unsafe, or does not help.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.diagnose.rule import Rule, ceiling, line_in, percent, record_again, row_of
from goldsplit.model.finding import WORTHWHILE_SHARE, Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import ENV_STEP


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    row = row_of(profile, ENV_STEP)
    if row is None or row.wall_share < WORTHWHILE_SHARE or not has_the_fault(profile):
        return
    share, speedup = ceiling(profile, ENV_STEP, saved=1.0)
    yield Finding(
        code=RULE.code,
        title=f"TODO: what is slow, with the most important figure: {percent(share)} of wall time",
        where=line_in(profile, ENV_STEP),
        stage=ENV_STEP,
        evidence={"env_step_share": row.wall_share},
        share=share,
        ceiling_speedup=speedup,
        confidence="medium",
        remedy="TODO: what to do, in one line",
        verify=record_again(profile),
        effort="hours",
        risk="TODO: what the remedy could break; empty if nothing",
    )


def has_the_fault(profile: Profile) -> bool:
    """TODO: whether the profile shows the fault; rule.py, workers.py and deep_reading.py have helpers."""
    return False


RULE = Rule("my-rule", check)
