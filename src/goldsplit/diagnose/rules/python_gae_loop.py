"""Returns or advantages are computed by a Python loop over time steps, with many tiny tensor operations.

## What it sees

A function that computes returns (`compute_gae`, `compute_returns`, ... or your stage `learn.returns`) and
runs dozens of tensor or array operations on few elements per call: one set of operations per time step.

## Why it is slow

Each operation on a tensor costs some microseconds of bookkeeping, however small the tensor is. GAE needs
about six per time step. So a rollout of 2,048 steps costs tens of milliseconds, for arithmetic that takes
microseconds.

## Example

```python
for t in reversed(range(T)):  # slow: six tensor operations per time step
    delta = rewards[t] + gamma * values[t + 1] * (1 - dones[t]) - values[t]
    running = delta + gamma * lam * (1 - dones[t]) * running
    advantages[t] = running

from goldsplit.fast.returns import gae  # fast: one compiled pass

advantages, returns = gae(rewards, values, ends, last_values, gamma, lam)
```

## What to do

`goldsplit.fast.returns.gae` (and `n_step_returns`) takes and returns NumPy arrays of shape (T,) or (T, N),
100-2,200x as fast as the loop over tensors. Without it: move the rollout to NumPy once, compute all deltas
in one expression, and loop only over the one line that needs it.

## When not

If gradients must flow through the returns. If the ceiling is small: one rollout per second is not worth a
change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from goldsplit.analyse.stacks.frame_stages import wilson
from goldsplit.diagnose.certainty import FEWEST_TO_NAME
from goldsplit.diagnose.deep_ceilings import Cost, cost_of_function
from goldsplit.diagnose.deep_places import bare_name, enclosing_function, function_at
from goldsplit.diagnose.deep_reading import by_function, callees_with_lines, sites_of
from goldsplit.diagnose.rule import Rule, percent, record_again, share_of
from goldsplit.model.deep import DeepFunction, Site
from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.model.finding import Finding, Place
from goldsplit.model.profile import Hotspot, Profile
from goldsplit.model.stage import LEARN_RETURNS
from goldsplit.model.usual_names import stage_of_function

#: A vectorised version needs about ten operations, however long the rollout is.
LEAST_OPERATIONS_PER_CALL = 60
#: Operations on more elements than this are work, not bookkeeping.
MOST_ELEMENTS = 4096
#: Without operations seen, by samples alone: the least share of wall time (lower end of its interval), and
#: the least part in the function's own lines.
LEAST_SURE_SHARE = 0.05
LEAST_OWN = 0.7

_REMEDY: dict[str, Any] = {
    "remedy": "compute it in one pass: goldsplit.fast.returns.gae (or n_step_returns) on NumPy arrays",
    "effort": "minutes",
    "overlays": ("fast:gae",),
    "risk": "ends of episodes must mean the same: goldsplit.fast.returns takes `ends` of the same step",
}


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per such function. A rollout may be too long for a window; then samples must show it."""
    found = list(seen_loops(profile))
    yield from found or sampled_loops(profile)


def seen_loops(profile: Profile) -> Iterator[Finding]:
    """Functions with tiny operations that the deep look saw."""
    if profile.deep is None:
        return
    small = [
        site
        for site in sites_of(profile.deep, SiteKind.TENSOR_OP)
        if (site.amount or 0.0) <= MOST_ELEMENTS and is_about_returns(site)
    ]
    for lines in by_function(small).values():
        function = function_at(profile.deep, lines[0].place)
        if function is None or not function.calls:
            continue
        operations = sum(site.calls for site in lines) / function.calls
        cost = cost_of_function(profile, function)
        if operations >= LEAST_OPERATIONS_PER_CALL and cost.worth_mentioning:
            yield finding_of(profile, function, lines, (cost, operations))


def sure_share(spot: Hotspot) -> float:
    """The lower end of the interval around a function's sampled share of wall time."""
    return wilson(spot.samples, spot.samples / spot.total_share)[0] if spot.total_share else 0.0


def sampled_loops(profile: Profile) -> Iterator[Finding]:
    """Functions that compute returns and are expensive in their own lines; vectorised ones never are."""
    for spot in profile.hotspots:
        named = stage_of_function(enclosing_function(spot.function)) == LEARN_RETURNS
        own = spot.kind == "yours" and spot.self_share >= LEAST_OWN * spot.total_share
        if not named or not own or spot.samples < FEWEST_TO_NAME or sure_share(spot) < LEAST_SURE_SHARE:
            continue
        share = min(spot.self_share, share_of(profile, LEARN_RETURNS) or spot.self_share)
        yield Finding(
            code=RULE.code,
            title=f"{bare_name(spot.function)}() spends {percent(share)} of wall time in its Python lines",
            where=Place(spot.file, spot.line, spot.function),
            stage=LEARN_RETURNS,
            evidence={
                "self_share": spot.self_share,
                "total_share": spot.total_share,
                "samples": spot.samples,
            },
            share=share,
            ceiling_speedup=1.0 / (1.0 - share) if share < 1.0 else None,
            confidence="medium",
            **_REMEDY,
            verify=record_again(profile, deep=True),
        )


def is_about_returns(site: Site) -> bool:
    """Whether a line computes returns, by its stage or by its function's name."""
    return (
        site.stage == LEARN_RETURNS
        or stage_of_function(enclosing_function(site.place.function)) == LEARN_RETURNS
    )


def finding_of(
    profile: Profile,
    function: DeepFunction,
    lines: list[Site],
    figures: tuple[Cost, float],
) -> Finding:
    cost, operations = figures
    sizes = [site.amount for site in lines if site.amount is not None]
    return Finding(
        code=RULE.code,
        title=f"{bare_name(function.place.function)}() runs {operations:,.0f} tiny tensor operations "
        f"per call: {percent(cost.share)} of wall time",
        where=lines[0].place,
        stage=function.stage or lines[0].stage,
        evidence={
            "operations_per_call": operations,
            "mean_elements": sum(sizes) / len(sizes) if sizes else None,
            "calls": function.calls,
            "operations": callees_with_lines(lines[:6]),
        },
        **cost.figures,
        confidence="high",
        **_REMEDY,
        verify=record_again(profile, deep=True),
    )


RULE = Rule("python-gae-loop", check)
