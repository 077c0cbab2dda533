"""Batches go to the GPU from ordinary memory, and the device waits for the copy.

## What it sees
With `record --gpu`: copies from the host's ordinary (pageable) memory to the device take at least 3 % of
the time of the windows of torch's profiler.

## Why it is slow
The device cannot read ordinary memory itself: the driver first copies it into a place that does not move,
and the host waits for that. From pinned memory the device copies by itself, while both go on.

## Example
```python
# slow
states = torch.as_tensor(batch, device="cuda")

# fast: pinned once, copied while the host goes on
pinned = torch.empty(batch.shape, dtype=torch.float32, pin_memory=True)
pinned.copy_(torch.from_numpy(batch))
states = pinned.to("cuda", non_blocking=True)
```

## What to do
Keep batches in pinned memory that is used again, and copy with `non_blocking=True`; or keep the whole
buffer on the device, if it fits.

## When not
Do not write to pinned memory again before its copy is done. For a few kilobytes the copy's start is what
costs, not the memory: then fewer copies help.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.diagnose.devices import measured_device, record_device_again
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.diagnose.workers import measured
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import TRANSFER

LEAST_SHARE = 0.03


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    use = measured_device(profile)
    if use is None:
        return
    copies = [row for row in use.copies if row.direction == "HtoD" and row.memory == "pageable"]
    share = min(0.99, sum(row.share_of_windows for row in copies))
    if share < LEAST_SHARE:
        return
    lines = [row for row in use.waits if row.call in ("to", "cuda", "as_tensor", "tensor", "copy_")]
    yield Finding(
        code=RULE.code,
        title=f"copies from pageable memory keep the GPU busy {percent(share)} of the time",
        where=lines[0].place if lines else None,
        stage=TRANSFER,
        evidence=measured(
            share_of_windows=share,
            bytes_each=copies[0].bytes_each,
            copies_per_env_step=copies[0].count_per_env_step,
        ),
        share=share,
        ceiling_speedup=1.0 / (1.0 - share),
        saves={},
        confidence="medium",
        remedy="copy from pinned memory with non_blocking=True, or keep the buffer on the device",
        verify=record_device_again(profile),
        effort="minutes",
    )


RULE = Rule("pageable-copies", check)
