"""Objects are deep-copied in every step.

## What it sees

Calls of `copy.deepcopy` on lines of your own code that run at least every few environment steps, and the
time inside them.

## Why it is slow

`deepcopy` walks through every object it can reach, in Python, and remembers each of them: tens of
microseconds for a small dict, milliseconds for a game state with units. Most of what it copies will never
change.

## Example

```python
def step(self, action):  # slow
    before = copy.deepcopy(self.state)
    ...
    reward = self.score(self.state) - self.score(before)


def step(self, action):  # fast: keep what is needed, not everything
    before = self.score(self.state)
    ...
    reward = self.score(self.state) - before
```

## What to do

Copy only what is read later: a number, an array (`board.copy()`), a list of tuples. For look-ahead search,
undo the move instead of copying the board, or keep the state in one array: copying it is one `memcpy`. For
infos, build a new small dict.

## When not

If the game needs the copy and it is small. Copies at `reset` are counted only if they come every few steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import cost_of_sites
from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.deep_reading import by_function, calls_per_step, sites_of, verify_command
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

#: With episodes of five steps, a copy at each reset is still reported.
LEAST_CALLS_PER_STEP = 0.2


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per function that copies."""
    if profile.deep is None:
        return
    for lines in by_function(sites_of(profile.deep, SiteKind.DEEPCOPY)).values():
        per_step = calls_per_step(lines)
        cost = cost_of_sites(profile, lines, lines[0].place)
        if per_step is None or per_step < LEAST_CALLS_PER_STEP or not cost.worth_mentioning:
            continue
        worst = lines[0]
        yield Finding(
            code=RULE.code,
            title=f"{bare_name(worst.place.function)}() deep-copies {per_step:,.1f} times per env step: "
            f"{percent(cost.share)} of wall time",
            where=worst.place,
            stage=worst.stage,
            evidence={
                "deep_copies_per_env_step": per_step,
                "copied": worst.detail,
                "lines": sorted({site.place.line for site in lines}),
                "share_of_windows": sum(site.share or 0.0 for site in lines),
            },
            **cost.figures,
            confidence="high",
            remedy="copy only what is read later (a number, an array, a small tuple), or undo the move "
            "instead of copying the state",
            verify=verify_command(profile, worst.stage),
            effort="hours",
            risk="code that reads an object which is no longer copied must not change it",
        )


RULE = Rule("deepcopy-in-step", check, needs_deep=True)
