"""Updates run on so few rows that their fixed cost is most of their cost.

## What it sees

The rows of the batches that forward passes learn from (every 67th is sampled), a forward pass so short that
calling it is most of its cost, and learning that takes at least 15 % of the wall time.

## Why it is slow

A forward pass, a backward pass and an optimizer step of a small network cost some hundred microseconds of
Python and dispatch before the first number is multiplied. On 4 rows this is nearly all of the cost; 64 rows
cost about the same.

## Example

```python
for transition in rollout:  # slow: one update per transition
    loss = agent.loss(transition.obs[None], transition.target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

for obs, target in minibatches(rollout, 64):  # fast: the same rows, 1/64 of the calls
    loss = agent.loss(obs, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## What to do

Collect rows and update on 64 or more at once. There are fewer updates then: raise the learning rate with
care. The ceiling here assumes that a batch of 64 rows costs as much as one batch now.

## When not

If the method learns from each step by design (online learning). Networks so large that the rows themselves
are expensive are left out by the limit on the cost of a forward pass.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.analyse.predict.ceilings import speedup_if
from goldsplit.diagnose.rule import Rule, fact_place, percent, record_again, row_of, saved_if, share_of
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import LEARN_BACKWARD, LEARN_FORWARD, LEARN_LOSS, LEARN_OPTIMIZER

MOST_ROWS = 16
TARGET_ROWS = 64
#: In a forward pass that takes longer than this, the rows are expensive, not the call.
MOST_FORWARD_US = 2_000.0
LEAST_SHARE = 0.15
#: So many forward passes for one update are a sequence that is fed row by row: the update itself is not tiny.
MANY_FORWARDS = 8.0
LEAST_SAMPLES = 5
_LEARNING = (LEARN_FORWARD, LEARN_LOSS, LEARN_BACKWARD, LEARN_OPTIMIZER)


def check(profile: Profile) -> Iterator[Finding]:
    """At most one finding."""
    sampled = [fact for fact in profile.facts if fact.kind == FactKind.FORWARD_ROWS]
    number = sum(fact.count for fact in sampled)
    forward = row_of(profile, LEARN_FORWARD)
    learning = share_of(profile, *_LEARNING)
    if number < LEAST_SAMPLES or forward is None or forward.mean_us is None or learning < LEAST_SHARE:
        return
    rows = sum(fact.amount for fact in sampled) / number
    passes = forwards_per_update(profile)
    if rows > MOST_ROWS or forward.mean_us > MOST_FORWARD_US:
        return
    if passes is not None and passes >= MANY_FORWARDS:
        yield fed_row_by_row(profile, rows, passes, learning)
        return
    kept = rows / TARGET_ROWS
    yield Finding(
        code=RULE.code,
        title=f"updates run on {rows:.0f} rows each: their fixed cost "
        f"is most of {percent(learning)} of wall time",
        where=fact_place(profile, FactKind.FORWARD_ROWS),
        stage=LEARN_FORWARD,
        evidence={
            "rows_per_forward": rows,
            "forward_passes_sampled": int(number),
            "forward_mean_us": forward.mean_us,
            "learning_share": learning,
        },
        share=learning * (1.0 - kept),
        ceiling_speedup=speedup_if(profile, dict.fromkeys(_LEARNING, kept)),
        saves=saved_if(profile, dict.fromkeys(_LEARNING, kept)),
        confidence="medium",
        remedy=f"learn from {TARGET_ROWS} rows or more at once: the same rows in fewer updates",
        verify=record_again(profile),
        effort="minutes",
        risk="fewer, larger updates need another learning rate",
    )


def forwards_per_update(profile: Profile) -> float | None:
    """Forward passes that learn, for each update; None: not counted."""
    forward, updates = row_of(profile, LEARN_FORWARD), profile.throughput.updates
    return forward.calls / updates if forward is not None and forward.calls and updates else None


def fed_row_by_row(profile: Profile, rows: float, passes: float, learning: float) -> Finding:
    """One update over a long sequence, whose rows go through the network one by one."""
    kept = {LEARN_FORWARD: 1.0 / passes}
    forward = share_of(profile, LEARN_FORWARD)
    return Finding(
        code=RULE.code,
        title=f"each update makes {passes:.0f} forward passes of {rows:.0f} rows: "
        f"{percent(forward)} of wall time",
        where=fact_place(profile, FactKind.FORWARD_ROWS),
        stage=LEARN_FORWARD,
        evidence={
            "forward_passes_per_update": passes,
            "rows_per_forward": rows,
            "forward_share": forward,
            "learning_share": learning,
        },
        share=forward * (1.0 - 1.0 / passes),
        ceiling_speedup=speedup_if(profile, kept),
        saves=saved_if(profile, kept),
        confidence="medium",
        remedy="stack rows (torch.stack, pad_sequence) and make one forward pass per update: the updates are "
        "large enough, but their rows go through the network one by one",
        verify=record_again(profile),
        effort="hours",
        risk="a network with a state of its own (LSTM) needs whole sequences: give it the time axis",
    )


RULE = Rule("tiny-batches", check)
