"""Where to look if no rule names a fault: your function that causes most of the run's time.

## What it sees

The function of your own with the largest inclusive share, within the kind of stages that takes most of the
time (all of the run, where that has no such function): what it takes with all that it calls. Where faults
explain that kind's cost, it is the function of the next kind that none explains. Functions
that only hand on to another one (the script, the training loop, a `step` whose time is mostly in one of its
parts) are passed over for the one below them; so is what has most of its time in other kinds, and what both
plays and learns. With it: calls per env step, who calls it, how much of it is library code.

## Why it is slow

That is not known: nothing about it is a known fault. It is where the time is, no more. So this is a
*pointer*: it ranks below every fault, and a run with no other finding is not called faulty because of it.

## Example

```sh
goldsplit record --deep -- python train.py   # counts its calls, compares their arguments and results
goldsplit report                             # its lines, and how hot each is
```

## What to do

Three kinds of change can pay: fewer calls (once per source instead of once per pair, kept while nothing
changes), a cheaper call (arrays instead of loops over cells), or a compiled kernel. Where its name says what
it computes, the finding names the part of `goldsplit.fast` that does the same.

## When not

If its ceiling is small, or if the function is what your game *is*: then more environments or fewer updates
change more than any line in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from goldsplit.diagnose.certainty import FEWEST_TO_NAME
from goldsplit.diagnose.deep_ceilings import cost_of_sampled
from goldsplit.diagnose.deep_places import bare_name, function_at
from goldsplit.diagnose.rule import ANY, Rule, percent, record_again
from goldsplit.diagnose.workers import measured
from goldsplit.model.finding import WORTHWHILE_SHARE, Finding
from goldsplit.model.hot_code.function_cost import FunctionCost
from goldsplit.model.profile import Profile, categories_of
from goldsplit.model.stage import ACT, ENV_STEP, LEARN_LOSS, category_of

LEAST_SHARE = 0.1
#: A function hands on to another one that has the greater part of its time: a majority, not a fitted figure.
HANDED_ON = 0.5
#: Mostly library code: what is called there decides, not the lines around it.
MOSTLY_LIBRARY = 0.6

#: Words in a function's name → the part of goldsplit.fast that computes the same.
_KERNELS = (
    (re.compile(r"line_of_sight|los\b|visib|can_see|sight", re.I), "goldsplit.fast.kernels (line of sight)"),
    (re.compile(r"path|bfs|dijkstra|a_?star|reach|route", re.I), "goldsplit.fast.kernels (path fields)"),
    (re.compile(r"flood|fill|region|connected", re.I), "goldsplit.fast.kernels (flood fill)"),
    (re.compile(r"distance|dist\b|dist_", re.I), "goldsplit.fast.kernels (distances)"),
    (re.compile(r"gae|advantage|returns\b|discount", re.I), "goldsplit.fast.returns"),
    (re.compile(r"replay|memory\.|buffer\.", re.I), "goldsplit.fast.replay"),
)


def check(profile: Profile) -> Iterator[Finding]:
    """One for each kind of stages, the bottleneck first; only the first that no fault covers is kept."""
    costs = [one for one in profile.functions if one.samples >= FEWEST_TO_NAME and is_a_place(one)]
    for worst in worst_places(profile, [one for one in costs if not hands_on(one, costs)]):
        yield pointer_to(profile, worst)


def pointer_to(profile: Profile, worst: FunctionCost) -> Finding:
    cost = cost_of_sampled(profile, worst)
    name = bare_name(worst.place.function)
    per_step = calls_per_step(profile, worst)
    often = f", {per_step:,.{1 if per_step >= 0.1 else 3}f} calls per env step" if per_step else ""
    return Finding(
        code=RULE.code,
        title=f"look at {name}(): it causes {percent(worst.share)} of wall time{often}"[:110],
        where=worst.place,
        stage=max(worst.stages, key=lambda stage: worst.stages[stage]) or None,
        evidence=measured(
            inclusive_share=worst.share,
            own_lines_share=worst.self_share,
            library_share=worst.library_share,
            calls_per_env_step=per_step,
            called_by=callers(worst),
            samples=worst.samples,
        ),
        **cost.figures,
        confidence="low",
        remedy=remedy_for(worst, per_step),
        verify=record_again(profile, deep=profile.deep is None),
        effort="hours",
        pointer=True,
    )


def worst_places(profile: Profile, costs: list[FunctionCost]) -> list[FunctionCost]:
    """The hottest function in each kind of stages, the largest kind first, as the verdict names it; of the
    whole run where that has none."""
    kinds = [one.category for one in profile.categories or categories_of(profile.stages)]

    costs = [one for one in costs if not _is_around(one)]
    found: list[FunctionCost] = []
    for place, kind in enumerate(kinds):
        of_kind = [one for one in costs if _inside(one, kind) >= HANDED_ON * one.share]
        worst = max(of_kind, key=lambda cost: _inside(cost, kind), default=None)
        if worst is not None and _inside(worst, kind) >= LEAST_SHARE:
            found.append(worst)
        elif place == 0:
            anywhere = max(costs, key=lambda cost: cost.share, default=None)
            found += [anywhere] if anywhere is not None and anywhere.share >= LEAST_SHARE else []
    return [one for number, one in enumerate(found) if one not in found[:number]]


def _inside(cost: FunctionCost, kind: str) -> float:
    """The part of a function's share in stages of a kind."""
    return sum(share for stage, share in cost.stages.items() if category_of(stage) == kind)


def _is_around(cost: FunctionCost) -> bool:
    """Whether a function both plays and learns: it is the training loop, and no line of it is the reason."""
    plays = sum(_inside(cost, category_of(stage)) for stage in (ENV_STEP, ACT))
    return min(plays, _inside(cost, category_of(LEARN_LOSS))) >= WORTHWHILE_SHARE


def is_a_place(cost: FunctionCost) -> bool:
    """Whether a function is a place to look at: not a script's top level."""
    return not cost.place.function.startswith("<module>") and bare_name(cost.place.function) != "main"


def hands_on(cost: FunctionCost, others: list[FunctionCost]) -> bool:
    """Whether one function inside this one has more than half of its time: more is to be gained there than in
    all the rest of it."""
    return any(
        one.within.get(cost.key, 0.0) >= HANDED_ON * cost.share
        for one in others
        if one is not cost and one.key not in cost.within
    )


def calls_per_step(profile: Profile, cost: FunctionCost) -> float | None:
    """How often it was called, if the deep look counted that."""
    seen = function_at(profile.deep, cost.place) if profile.deep is not None else None
    return seen.calls_per_env_step if seen is not None else None


def callers(cost: FunctionCost) -> list[str]:
    """Who calls it, the most expensive first."""
    whole = sum(cost.callers.values()) or 1.0
    named = [(key.rpartition(":")[2], share) for key, share in cost.callers.items()]
    return [f"{name} {percent(share / whole)}" for name, share in named[:3]]


def remedy_for(cost: FunctionCost, per_step: float | None) -> str:
    """What kind of change could pay."""
    kernel = next((part for words, part in _KERNELS if words.search(cost.place.function)), None)
    parts = [f"a compiled kernel: {kernel}"] if kernel is not None else []
    if per_step is not None and per_step >= 2.0:
        parts.append("fewer calls: once per source or per turn instead of per pair")
    if cost.library_share >= MOSTLY_LIBRARY * cost.share:
        parts.append("a cheaper call: most of it is library code, so call that less often, on more at once")
    else:
        parts.append("a cheaper call: most of it is Python lines, which arrays or a table can replace")
    return "no known fault, only where the time is; what could pay: " + "; ".join(parts)


RULE = Rule("hot-function", check, yields_to=(ANY,), once=True)
