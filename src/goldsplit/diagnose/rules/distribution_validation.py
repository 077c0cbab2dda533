"""Distributions check their arguments each time they are made.

## What it sees

`torch.distributions` objects that your own code makes with argument validation switched on (the default),
and the time that the checks take: stack samples inside them, where a distribution is made and where it is
asked for the probability of an action. Not the rest of the line, such as the call of the network. Few samples
leave a wide interval, and the confidence says so.

## Why it is slow

For every `Categorical`, torch tests that all probabilities are positive and sum to one, and for every
`log_prob` that the action is in range. These are several extra operations on tiny tensors, each with its
bookkeeping, and on a GPU a wait for the answer.

## Example

```python
dist = Categorical(logits=logits)  # slow

dist = Categorical(logits=logits, validate_args=False)  # fast
```

## What to do

`torch.distributions.Distribution.set_default_validate_args(False)` once at the start of the program, or
`goldsplit.fast.categorical_torch.MaskedCategorical`, which also knows masks. In the rollout, where no
gradient is needed, `goldsplit.fast.categorical.sample` is faster still.

## When not

While a new policy is being debugged: the checks find NaN early. Keep them in tests.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.certainty import FEWEST_TO_NAME, MANY_SAMPLES
from goldsplit.diagnose.deep_ceilings import cost_of_checks
from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.deep_reading import calls_per_step, sites_of
from goldsplit.diagnose.rule import Rule, percent, record_again
from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile


def check(profile: Profile) -> Iterator[Finding]:
    """One finding: the remedy switches off the checks of the whole program."""
    if profile.deep is None:
        return
    sites = [site for site in sites_of(profile.deep, SiteKind.DISTRIBUTION) if "validate" in site.detail]
    cost = cost_of_checks(profile, sites)
    if not sites or not cost.worth_mentioning:
        return
    worst = sites[0]
    samples = sum(one.checks_samples for one in profile.functions)
    makers = sorted({bare_name(site.place.function) for site in sites if site is not worst})
    others = [name for name in makers if name != bare_name(worst.place.function)]
    yield Finding(
        code=RULE.code,
        title=f"the argument checks of {worst.callee}, made in {bare_name(worst.place.function)}(), take "
        f"{percent(cost.share)} of wall time",
        where=worst.place,
        stage=worst.stage,
        evidence={
            "distributions_per_env_step": calls_per_step(sites),
            "calls": sum(site.calls for site in sites),
            "samples_in_checks": samples,
            "making_them_share_of_windows": sum(site.share or 0.0 for site in sites),
        }
        | ({"also_made_in": ", ".join(others)} if others else {}),
        **cost.figures,
        confidence="high" if samples >= MANY_SAMPLES else "medium" if samples >= FEWEST_TO_NAME else "low",
        remedy="call torch.distributions.Distribution.set_default_validate_args(False) at the start, or "
        "goldsplit.fast.categorical_torch.MaskedCategorical",
        verify=record_again(profile, deep=True),
        effort="minutes",
        risk="NaN in the logits is noticed later",
        overlays=("no-validation",),
    )


RULE = Rule("distribution-validation", check, needs_deep=True)
