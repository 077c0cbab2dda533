"""Something is printed or logged at every step.

## What it sees
The stage `log` (print, logging, TensorBoard) takes at least 2 % of the wall time and runs at least once per
five environment steps.

## Why it is slow
Formatting a line takes microseconds, writing and flushing it is a system call, and a terminal takes far
longer; TensorBoard makes an event of each value. At thousands of steps per second no one can read it anyway.

## Example
```python
# slow
print(f"step {step} reward {reward:.2f}", flush=True)

# fast
total += reward
if step % 1000 == 0:
    print(f"step {step} mean reward {total / 1000:.2f}")
```

## What to do
Add up what you want to know and write it every thousand steps or every few seconds. Before you format a
message for the logger, ask `logger.isEnabledFor(level)`.

## When not
While you search for a bug. Remember to remove it afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.diagnose.rule import Rule, ceiling, line_in, percent, record_again, row_of
from goldsplit.diagnose.workers import measured
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import WORTHWHILE_SHARE, Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import LOG

LEAST_CALLS_PER_STEP = 0.2


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    row, steps = row_of(profile, LOG), profile.throughput.env_steps
    if row is None or not row.calls or not steps or row.wall_share < WORTHWHILE_SHARE:
        return
    per_step = row.calls / steps
    if per_step < LEAST_CALLS_PER_STEP:
        return
    written = [fact for fact in profile.facts if fact.kind == FactKind.OUTPUT and fact.place is not None]
    most = max(written, key=lambda fact: fact.count, default=None)
    share, speedup = ceiling(profile, LOG, 1.0)
    yield Finding(
        code=RULE.code,
        title=f"output takes {percent(row.wall_share)} of the time, "
        f"{per_step:.1f} times per environment step",
        where=most.place if most is not None else line_in(profile, LOG),
        stage=LOG,
        evidence=measured(
            calls=row.calls,
            calls_per_env_step=per_step,
            us_per_call=row.mean_us,
            by=most.detail if most is not None else None,
        ),
        share=share,
        ceiling_speedup=speedup,
        confidence="high",
        remedy="write a summary every thousand steps or every few seconds instead of a line per step",
        verify=record_again(profile),
        effort="minutes",
        overlays=("quiet",),
    )


RULE = Rule("output-in-loop", check)
