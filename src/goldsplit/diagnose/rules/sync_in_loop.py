"""Several lines of the loop wait for the GPU, so that host and device work in turns.

## What it sees
With `record --gpu`: two or more lines of your code wait for the device (`.item()`, `.cpu()`,
`bool(tensor)`, a blocking copy, `synchronize`), and without waiting host and device together could save
at least 5 % of the run.

## Why it is slow
Kernels run by themselves: the host can prepare the next step meanwhile. A read stops that. The host waits
until the device is done, and then the device waits until the host has something for it.

## Example
```python
# slow: waits in every update
losses.append(loss.item())

# fast: kept on the device, read when it is logged
losses.append(loss.detach())
...
mean = torch.stack(losses).mean().item()
```

## What to do
Read losses and statistics when they are logged, not when they are made; copy with `non_blocking=True`
from pinned memory; leave `torch.cuda.synchronize()` to measurements. The read of an action cannot go: the
game needs it.

## When not
If the value decides what comes next. The ceiling assumes that host and device never wait for each other;
the read of the action will still wait for its own forward pass.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.diagnose.devices import measured_device, record_device_again
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

LEAST_SAVED = 0.05
#: Lines with less of the waiting are left out.
LEAST_PART = 0.05


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most, at the line that waits longest."""
    use = measured_device(profile)
    if use is None or use.busy_share is None or use.waited_share is None:
        return
    lines = [row for row in use.waits if row.part >= LEAST_PART]
    saved = 1.0 - max(use.busy_share, 1.0 - use.waited_share)
    if len(lines) < 2 or saved < LEAST_SAVED:
        return
    yield Finding(
        code=RULE.code,
        title=f"{len(lines)} lines wait for the GPU, {percent(use.waited_share)} of wall time",
        where=lines[0].place,
        stage=None,
        evidence={
            "waited_share": use.waited_share,
            "device_busy_share": use.busy_share,
            "lines": [f"{row.call} {row.place.file}:{row.place.line} {percent(row.part)}" for row in lines],
        },
        share=saved,
        ceiling_speedup=1.0 / (1.0 - saved),
        saves={},
        confidence="low",
        remedy="read losses and statistics late (keep the tensor, .item() when it is logged), copy with "
        "non_blocking=True; the action's read must stay",
        verify=record_device_again(profile),
        effort="minutes",
    )


RULE = Rule("sync-in-loop", check)
