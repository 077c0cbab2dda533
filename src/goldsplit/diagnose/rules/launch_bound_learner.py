"""The learner gives the GPU its work too slowly: the device waits for the next small kernel.

## What it sees
With `record --gpu`: the device was idle for at least 15 % of wall time while the host was in learning
stages and gave it work, and the device's own work for learning is less than half of the time that
learning takes.

## Why it is slow
Each operation of an update is a kernel, and starting one costs the host about as long as a small kernel
runs. With small layers and batches the device is done before the next kernel arrives. A larger batch then
costs nothing, and a faster device gains nothing.

## Example
```python
# slow: some hundred kernels per update, each started by Python
loss = loss_of(net, target, batch)
optimizer.zero_grad()
loss.backward()
optimizer.step()

# fast: the same kernels, recorded once as a CUDA graph, then started with one call
from goldsplit.fast.learner import GraphedUpdate

update = GraphedUpdate(update_function, optimizers=[optimizer])
loss = update(batch)
```

## What to do
Record the whole update as a graph (`goldsplit.fast.learner.GraphedUpdate`), or let torch do it
(`torch.compile(mode="reduce-overhead")`). Larger batches and fewer updates help, too, but change the
training.

## When not
A graph does the same work each time: shapes must not change, and no value may decide in Python what comes
next. The ceiling is the time without any starting cost: the device's own work remains.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.analyse.predict.ceilings import speedup_if
from goldsplit.diagnose.devices import idle_share, learning_work, measured_device, record_device_again
from goldsplit.diagnose.rule import Rule, line_in, percent, saved_if, share_of
from goldsplit.diagnose.workers import measured
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import LEARN

LEAST_IDLE_SHARE = 0.15
#: Of the time that learning takes: the device's own work is less.
MOST_WORK = 0.5


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    use = measured_device(profile)
    learning = share_of(profile, LEARN)
    if use is None or not learning:
        return
    idle, work = idle_share(use, "launches", LEARN), learning_work(use)
    if idle < LEAST_IDLE_SHARE or work > MOST_WORK * learning:
        return
    stages = [row.stage for row in profile.stages if row.stage.startswith(LEARN)]
    remaining = dict.fromkeys(stages, work / learning)
    yield Finding(
        code=RULE.code,
        title=f"learning takes {percent(learning)} of wall time, its work on the GPU {percent(work)}: "
        "the host cannot start kernels fast enough",
        where=line_in(profile, LEARN),
        stage=stages[0],
        evidence=measured(
            learning_share=learning,
            device_work_share=work,
            device_idle_while_launching=idle,
            launches_per_update=use.launches_per_update,
            gap_us=use.gap_us,
            profiler_windows=use.kernel_windows,
        ),
        share=learning - work,
        ceiling_speedup=speedup_if(profile, remaining),
        saves=saved_if(profile, remaining),
        confidence="medium",
        remedy="record the update as one CUDA graph: goldsplit.fast.learner.GraphedUpdate, or "
        'torch.compile(mode="reduce-overhead")',
        verify=record_device_again(profile),
        effort="hours",
    )


RULE = Rule("launch-bound-learner", check)
