"""The GPU computes large products in full float32, without its tensor cores.

## What it sees
With `record --gpu`: matrix products and convolutions keep the device busy for at least 20 % of wall time,
their kernels' names show no half precision and no tensor cores, torch's `float32_matmul_precision` is
`highest`, the device has tensor cores (compute capability 8.0 or newer), and the host waits for the device
for at least 20 % of wall time.

## Why it is slow
Tensor cores multiply matrices many times faster than the rest of the device, but not in full float32.
torch leaves them alone unless it is told that a little less precision is fine.

## Example
```python
# slow: torch's default

# fast: products round their inputs to 10 bits (TF32); everything else stays float32
torch.set_float32_matmul_precision("high")

# or: forward pass and loss in bfloat16
with torch.autocast("cuda", dtype=torch.bfloat16):
    loss = loss_of(net(states))
```

## What to do
Try `torch.set_float32_matmul_precision("high")` first: one line. Then autocast with bfloat16.

## When not
Results change in the fourth digit (TF32) or in the third (bfloat16). Compare the return curves of some
seeds. The ceiling is the run with products that take no time: what faster ones save is less. It is never more
than the time in which the host waits for the device: the host's own work remains.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.diagnose.devices import measured_device, record_device_again, waited_for
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import LEARN

LEAST_SHARE = 0.2
MOST_HALF = 0.1
_TENSOR_CORES = [8, 0]


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    use = measured_device(profile)
    if use is None or use.busy_share is None or use.product_share is None or use.capability is None:
        return
    products = min(0.99, use.busy_share * use.product_share)
    is_plain = use.matmul_precision == "highest" and (use.half_precision_share or 0.0) <= MOST_HALF
    saved = min(products, waited_for(profile, use))
    if saved < LEAST_SHARE or not is_plain or use.capability < _TENSOR_CORES:
        return
    first = next((row.stage for row in use.stages if row.stage.startswith(LEARN)), None)
    yield Finding(
        code=RULE.code,
        title=f"products in full float32 keep the GPU busy {percent(products)} of wall time",
        where=None,
        stage=first,
        evidence={
            "device_busy_share": use.busy_share,
            "products_of_busy": use.product_share,
            "host_waits_share": waited_for(profile, use),
            "half_precision_of_busy": use.half_precision_share or 0.0,
            "float32_matmul_precision": use.matmul_precision or "",
        },
        share=saved,
        ceiling_speedup=1.0 / (1.0 - saved),
        saves={},
        confidence="low",
        remedy='call torch.set_float32_matmul_precision("high"), or autocast with bfloat16',
        verify=record_device_again(profile),
        effort="minutes",
    )


RULE = Rule("full-precision-products", check)
