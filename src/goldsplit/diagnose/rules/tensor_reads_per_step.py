"""Single values are read from tensors again and again in every step.

## What it sees

Lines of your own code that read tensors into Python (`.item()`, `.tolist()`, `.cpu()`, `.numpy()`,
`bool(tensor)`, `int(tensor)`, `float(tensor)`) more than once per environment step, and the time inside
those reads. One read per step is what choosing an action needs, and is not reported.

## Why it is slow

On a GPU each read waits until everything before it is done: first the host is idle, then the device. On the
CPU a read costs about a microsecond, and several with the indexing around it: a hundred times as much as with
a Python list.

## Example

```python
for i in range(n):  # slow: three reads per environment
    total[i] += rewards[i].item()
    if bool(dones[i]):
        finish(i, int(scores[i]))

rewards, dones, scores = rewards.tolist(), dones.tolist(), scores.tolist()  # fast: three reads in all
for i in range(n):
    total[i] += rewards[i]
    if dones[i]:
        finish(i, scores[i])
```

## What to do

Read a whole tensor once (`.tolist()`, or `.cpu().numpy()`), then work with plain values. If a game is
computed on the CPU, keep its state in NumPy arrays or Python lists, not in tensors. Sum losses on the device
and read them when they are logged.

## When not

If the value decides what the device does next, one read is needed. On a GPU a read mostly waits for kernels:
if it is removed, the next read waits instead, unless there is other work in between. So the ceiling is an
upper bound there.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import cost_of_sites
from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.deep_reading import (
    by_function,
    callees_with_lines,
    calls_per_step,
    sites_of,
    verify_command,
)
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep import DeepLook, Site
from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import REPLAY_ADD

#: One read per step is what an action needs.
LEAST_READS_PER_STEP = 2.0


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per function that reads; for replay see `replay-item-by-item`."""
    if profile.deep is None:
        return
    sites = [site for site in sites_of(profile.deep, SiteKind.TENSOR_READ) if site.stage != REPLAY_ADD]
    for lines in by_function(sites).values():
        per_step = calls_per_step(lines)
        picked = picking_operations(profile.deep, lines)
        cost = cost_of_sites(profile, [*lines, *picked], lines[0].place)
        if per_step is None or per_step < LEAST_READS_PER_STEP or not cost.worth_mentioning:
            continue
        worst = lines[0]
        yield Finding(
            code=RULE.code,
            title=f"{bare_name(worst.place.function)}() reads tensors {per_step:,.0f} times per env step: "
            f"{percent(cost.share)} of wall time",
            where=worst.place,
            stage=worst.stage,
            evidence={
                "reads_per_env_step": per_step,
                "reads": callees_with_lines(lines),
                "reads_share_of_windows": sum(site.share or 0.0 for site in lines),
                "picking_share_of_windows": sum(site.share or 0.0 for site in picked),
            },
            **cost.figures,
            confidence="high" if not profile.system.gpu else "medium",
            remedy="read each tensor once (.tolist() or .cpu().numpy()) and work with plain values; keep a "
            "game's state in NumPy arrays or lists",
            verify=verify_command(profile, worst.stage),
            effort="hours",
        )


def picking_operations(deep: DeepLook, reads: list[Site]) -> list[Site]:
    """Operations on the same lines that pick the one element to read: without the read they go, too."""
    lines = {(site.place.file, site.place.line) for site in reads}
    return [
        site
        for site in sites_of(deep, SiteKind.TENSOR_OP)
        if (site.place.file, site.place.line) in lines and site.amount is not None and site.amount <= 1.0
    ]


RULE = Rule("tensor-reads-per-step", check, needs_deep=True)
