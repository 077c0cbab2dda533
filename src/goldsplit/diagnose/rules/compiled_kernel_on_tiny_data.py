"""A compiled kernel is called so often on so little data that the calls cost more than the work.

## What it sees

Calls of compiled functions (Numba) from your own code, many times per environment step, on a few numbers
each, and the time that those calls take. If a function only loops over such calls, the loop counts too: it
can move into the kernel with them.

## Why it is slow

A call of compiled code checks the types of all arguments, unpacks them and packs the result: about a
microsecond, more with arrays. One distance between two cells is nanoseconds of arithmetic. The loop around
the calls stays in Python.

## Example

```python
for unit in units:  # slow: one call per pair
    for enemy in enemies:
        table[unit.id, enemy.id] = hex_distance(unit.q, unit.r, enemy.q, enemy.r)

from goldsplit.fast.kernels import hex  # fast: one call for all pairs

table = hex.distance_matrix(unit_cells, enemy_cells, layout="axial")
```

## What to do

Move the loop into the kernel: pass arrays of all cells, all boards, all units, and call it once.
`goldsplit.fast.kernels` works this way. If there is really only one small question, plain Python is as fast.

## When not

If each question depends on the answer to the one before.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import Cost, call_us, cost_of_function, cost_of_sites
from goldsplit.diagnose.deep_places import bare_name, function_at
from goldsplit.diagnose.deep_reading import by_function, calls_per_step, sites_of, verify_command
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep import DeepLook, Site
from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

LEAST_CALLS_PER_STEP = 16.0
#: Numbers per call, scalars and array elements together.
MOST_ELEMENTS = 64.0
#: A function that itself spends less than this per call, in microseconds, only loops over the calls.
MOST_US_PER_CALL = 6.0


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per function that calls kernels on tiny data."""
    if profile.deep is None:
        return
    sites = [site for site in sites_of(profile.deep, SiteKind.KERNEL) if is_tiny(site)]
    for lines in by_function(sites).values():
        per_step = calls_per_step(lines)
        if per_step is None or per_step < LEAST_CALLS_PER_STEP:
            continue
        cost = cost_of_loop(profile, profile.deep, lines)
        if not cost.worth_mentioning:
            continue
        worst = lines[0]
        yield Finding(
            code=RULE.code,
            title=f"{bare_name(worst.place.function)}() calls compiled {worst.callee} {per_step:,.0f} times "
            f"per env step on {worst.amount:,.0f} numbers: {percent(cost.share)} of wall time",
            where=worst.place,
            stage=worst.stage,
            evidence={
                "kernel": worst.callee,
                "calls_per_env_step": per_step,
                "elements_per_call": worst.amount,
                "calls_share_of_windows": sum(site.share or 0.0 for site in lines),
            },
            **cost.figures,
            confidence="medium",
            remedy="move the loop into the kernel: one call for all pairs, units or boards, as "
            "goldsplit.fast.kernels does (hex.distance_matrix, hex.line_of_sight, grid.flood_fill)",
            verify=verify_command(profile, worst.stage),
            effort="hours",
        )


def cost_of_loop(profile: Profile, deep: DeepLook, lines: list[Site]) -> Cost:
    """What the calls cost; if a function is only the loop around them, with the cost of that loop."""
    calls = cost_of_sites(profile, lines, lines[0].place)
    function = function_at(deep, lines[0].place)
    per_step = calls_per_step(lines)
    if function is None or not function.calls_per_env_step or not per_step or function.total_share <= 0.0:
        return calls
    own_part = min(1.0, function.self_share / function.total_share)
    own_us = call_us(deep, function) * own_part * function.calls_per_env_step
    if own_us > MOST_US_PER_CALL * per_step:
        return calls
    return max(calls, cost_of_function(profile, function, own_part), key=lambda cost: cost.share)


def is_tiny(site: Site) -> bool:
    """Whether a kernel gets only a few numbers."""
    return site.amount is not None and site.amount <= MOST_ELEMENTS


RULE = Rule("compiled-kernel-on-tiny-data", check, needs_deep=True)
