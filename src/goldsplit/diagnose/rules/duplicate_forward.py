"""A network runs twice on the same input.

## What it sees

Forward passes, called from your own code, with the same module, weights and input (compared by value) as an
earlier pass of the same step or update; and what the later passes cost.

## Why it is slow

The action and its value come from two calls, and each of them runs the shared layers; or the old values are
computed once more although the rollout has stored them. In a rollout of small batches the forward pass takes
most of the time for acting.

## Example

```python
action = agent.act(obs)  # slow: both run the trunk
value = agent.get_value(obs)

action, value = agent.act_and_value(obs)  # fast
```

## What to do

Return everything that is needed from one pass, and store values and log-probabilities in the rollout.

## When not

If the module is random on purpose (dropout, noisy layers) or its weights differ (target network): such
passes are not counted as repeats here.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import cost_of
from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.deep_reading import by_function, sites_of
from goldsplit.diagnose.rule import Rule, percent, record_again
from goldsplit.model.deep import Site
from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

LEAST_REPEATS = 8
LEAST_REPEATED = 0.3
MANY_PASSES = 50


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per function: the line that repeats."""
    if profile.deep is None:
        return
    repeating = [site for site in sites_of(profile.deep, SiteKind.FORWARD) if repeated_part(site) > 0.0]
    for lines in by_function(repeating).values():
        worst = max(lines, key=lambda site: (site.share or 0.0) * repeated_part(site))
        part = repeated_part(worst)
        cost = cost_of(profile, worst.place, worst.stage, (worst.share or 0.0) * part)
        if not cost.worth_mentioning:
            continue
        what = worst.detail or worst.callee
        yield Finding(
            code=RULE.code,
            title=f"{bare_name(worst.place.function)}() runs {what} again on an earlier input: "
            f"{percent(cost.share)} of wall time",
            where=worst.place,
            stage=worst.stage,
            evidence={
                "module": what,
                "compared_passes": worst.compared,
                "repeated_passes": worst.compared - (worst.distinct or 0),
                "passes_per_env_step": worst.calls_per_env_step,
            },
            **cost.figures,
            confidence="high" if worst.compared >= MANY_PASSES else "medium",
            remedy="take everything from one pass: action, log-probability and value together",
            verify=record_again(profile, deep=True),
            effort="minutes",
        )


def repeated_part(site: Site) -> float:
    """Part of a line's passes that had the input of an earlier one; 0 if there are too few."""
    if site.distinct is None or site.compared - site.distinct < LEAST_REPEATS:
        return 0.0
    part = 1.0 - site.distinct / site.compared
    return part if part >= LEAST_REPEATED else 0.0


RULE = Rule("duplicate-forward", check, needs_deep=True)
