"""Distributions check their arguments each time they are made.

## What it sees

`torch.distributions` objects that your own code makes with argument validation switched on (the default),
and the time that the checks take.

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

from goldsplit.diagnose.deep_ceilings import cost_of_sites
from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.deep_reading import by_function, calls_per_step, sites_of
from goldsplit.diagnose.rule import Rule, percent, record_again
from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per function that makes validated distributions."""
    if profile.deep is None:
        return
    sites = [site for site in sites_of(profile.deep, SiteKind.DISTRIBUTION) if "validate" in site.detail]
    for lines in by_function(sites).values():
        cost = cost_of_sites(profile, lines, lines[0].place)
        if not cost.worth_mentioning:
            continue
        worst = lines[0]
        yield Finding(
            code=RULE.code,
            title=f"{bare_name(worst.place.function)}() makes {worst.callee} with argument validation: "
            f"{percent(cost.share)} of wall time",
            where=worst.place,
            stage=worst.stage,
            evidence={
                "distributions_per_env_step": calls_per_step(lines),
                "calls": sum(site.calls for site in lines),
                "validation_share_of_windows": sum(site.share or 0.0 for site in lines),
            },
            **cost.figures,
            confidence="high",
            remedy="torch.distributions.Distribution.set_default_validate_args(False) at the start, or "
            "goldsplit.fast.categorical_torch.MaskedCategorical",
            verify=record_again(profile, deep=True),
            effort="minutes",
            risk="NaN in the logits is noticed later",
            overlays=("no-validation",),
        )


RULE = Rule("distribution-validation", check, needs_deep=True)
