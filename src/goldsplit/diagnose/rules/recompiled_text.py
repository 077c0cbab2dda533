"""The same text is parsed or compiled again and again.

## What it sees

Calls of `eval`, `exec`, `compile`, `re.compile`, `json.loads` and similar functions on lines of your own
code. Their texts are compared: how often the same text came again, and how much time those calls took.

## Why it is slow

Compiling an expression takes ten to a hundred times as long as running it. An observation built from rules
in a configuration file can easily contain hundreds of such strings. In a real project 474 `eval()` calls of
constant strings per observation took most of the training's busy time; compiling each string once made
building the observation 2.8x as fast.

## Example

```python
for rule in self.rules:  # slow
    total += eval(rule["score"], {}, values)

for rule in self.rules:  # in __init__
    rule["code"] = compile(rule["score"], "rule", "eval")
for rule in self.rules:  # fast
    total += eval(rule["code"], {}, values)
```

## What to do

Compile or parse when the text is read, and keep the result: `compile(text, name, "eval")` for expressions,
a module constant for a regular expression, the parsed object for JSON. Compare `goldsplit env TARGET
--hash` before and after.

## When not

If the texts differ (the finding counts equal texts only), or if some code changes the parsed object: then it
needs its own copy.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import Cost, cost_of_sites
from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.deep_reading import by_function, calls_per_step, sites_of, verify_command
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep import Site
from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

LEAST_COMPARED = 20
#: Part of the compared calls that must have had a text of an earlier call.
LEAST_REPEATED = 0.5


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per function with such lines."""
    if profile.deep is None:
        return
    sites = [site for site in sites_of(profile.deep, SiteKind.TEXT) if is_repeated(site)]
    for lines in by_function(sites).values():
        cost = cost_of_sites(profile, lines, lines[0].place)
        if cost.worth_mentioning:
            yield finding_of(profile, lines, cost)


def is_repeated(site: Site) -> bool:
    """Whether most calls had a text of an earlier call."""
    if site.distinct is None or site.compared < LEAST_COMPARED or site.share is None:
        return False
    return site.compared - site.distinct >= LEAST_REPEATED * site.compared


def finding_of(profile: Profile, lines: list[Site], cost: Cost) -> Finding:
    worst = lines[0]
    per_step = calls_per_step(lines)
    often = f"{per_step:,.0f} times per env step" if per_step and per_step >= 1 else f"{worst.calls:,} times"
    return Finding(
        code=RULE.code,
        title=f"{bare_name(worst.place.function)}() runs {worst.callee} on the same text {often}: "
        f"{percent(cost.share)} of wall time",
        where=worst.place,
        stage=worst.stage,
        evidence={
            "callee": worst.callee,
            "calls_per_env_step": per_step,
            "compared_calls": sum(site.compared for site in lines),
            "distinct_texts": sum(site.distinct or 0 for site in lines),
            "text": worst.detail,
            "lines": sorted({site.place.line for site in lines}),
        },
        **cost.figures,
        confidence="high",
        remedy="compile or parse each text once, where it is read, and keep the result",
        verify=verify_command(profile, worst.stage),
        effort="minutes",
        risk="none if no code changes the parsed result",
        overlays=("compiled-text",),
    )


RULE = Rule("recompiled-text", check, needs_deep=True, yields_to=("parsed-again",))
