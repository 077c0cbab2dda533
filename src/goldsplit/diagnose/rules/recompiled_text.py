"""The same text is parsed or compiled again and again.

## What it sees

Calls of `eval`, `exec`, `compile`, `re.compile`, `json.loads` and their like, on lines of your own code,
whose text was compared: how often the same text came again, and how much of the time those calls took.

## Why it is slow

Compiling an expression takes ten to a hundred times as long as running it. An observation built from rules
in a configuration file can easily hold hundreds of such strings: on a real project 474 `eval()` calls of
constant strings per observation made up most of the busy time of training, and compiling each once made
building it 2.8x as fast.

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

If the texts differ (the finding counts equal texts only), or if the parsed object is changed by its user:
then each user needs its own copy.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import cost_of_sites
from goldsplit.diagnose.deep_places import bare
from goldsplit.diagnose.deep_reading import by_function, calls_per_step, check_the_game, sites_of
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep import Site
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

LEAST_COMPARED = 20
#: Part of the compared calls that must have had a text which came before.
LEAST_REPEATED = 0.5


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per function with such lines."""
    if profile.deep is None:
        return
    sites = [site for site in sites_of(profile.deep, "text") if is_repeated(site)]
    for lines in by_function(sites).values():
        cost = cost_of_sites(profile, lines, lines[0].place)
        if cost.worth_a_line:
            yield finding_of(profile, lines, cost.share, cost.ceiling_speedup)


def is_repeated(site: Site) -> bool:
    """Whether most texts had been seen before."""
    if site.distinct is None or site.compared < LEAST_COMPARED or site.share is None:
        return False
    return site.compared - site.distinct >= LEAST_REPEATED * site.compared


def finding_of(profile: Profile, lines: list[Site], share: float, ceiling: float | None) -> Finding:
    worst = lines[0]
    per_step = calls_per_step(lines)
    often = f"{per_step:,.0f} times per env step" if per_step and per_step >= 1 else f"{worst.calls:,} times"
    return Finding(
        code=RULE.code,
        title=f"{bare(worst.place.function)}() runs {worst.callee} on the same text {often}: "
        f"{percent(share)} of wall time",
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
        share=share,
        ceiling_speedup=ceiling,
        confidence="high",
        remedy="compile or parse each text once, where it is read, and keep the result",
        verify=check_the_game(profile, worst.stage),
        effort="minutes",
        risk="none if the parsed result is not changed by its user",
    )


RULE = Rule("recompiled-text", check, needs_deep=True)
