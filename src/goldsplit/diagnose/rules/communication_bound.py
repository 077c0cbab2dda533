"""Large observations travel through pipes.

## What it sees
Worker processes answer with messages of 16 KB or more on average. Most of it is not info, and receiving the
messages takes at least 8 % of the driver's wall time (its own unpickling, and waiting while a worker sends).

## Why it is slow
Each observation is pickled, written to a pipe in pieces of 64 KB, read and unpickled: four copies, and the
two processes take turns. The cost grows with the size.

## Example
```python
# slow: every picture is pickled
envs = AsyncVectorEnv(env_fns, shared_memory=False)

# fast: workers write it to memory that the trainer reads
envs = SharedVectorEnv(env_fns)
```

## What to do
Use shared memory: `goldsplit.fast.vector.SharedVectorEnv`, or Gymnasium's `shared_memory=True`. Send bytes
(`uint8`) and convert on the learner's side; crop before sending.

## When not
If observations have no fixed size (Text, Graph, Sequence spaces), shared memory is not possible: send less.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.analyse.predict.ceilings import speedup_if
from goldsplit.diagnose.rule import Rule, line_in, percent, record_again, row_of, saved_if
from goldsplit.diagnose.workers import (
    count_and_sum,
    process_start_line,
    shared_vector,
    worker_answers,
    worker_facts,
    worker_lanes,
)
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import VEC, VEC_RECV, VEC_SEND

LEAST_BYTES = 16_000
LEAST_SHARE = 0.08


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    sent = worker_answers(profile)
    if sent is None or sent[1] < LEAST_BYTES:
        return
    infos, info_bytes = count_and_sum(worker_facts(profile, FactKind.INFO))
    if infos and info_bytes / infos > sent[1] / 2:
        return
    receive, send = row_of(profile, VEC_RECV), row_of(profile, VEC_SEND)
    receiving = receive.wall_share if receive is not None else 0.0
    sending = send.waited_share if send is not None else 0.0
    share = receiving + sending
    if share < LEAST_SHARE:
        return
    kept = {VEC_RECV: 0.0}
    if send is not None and send.wall_share > 0:
        kept[VEC_SEND] = 1.0 - sending / send.wall_share
    yield Finding(
        code=RULE.code,
        title=f"receiving {sent[1] / 1000:.0f} KB per answer from workers takes {percent(share)} of the time",
        where=process_start_line(profile) or line_in(profile, VEC),
        stage=VEC_RECV,
        evidence={
            "bytes_per_answer": sent[1],
            "answers": sent[0],
            "workers": len(worker_lanes(profile)),
            "receiving_share": receiving,
            "waiting_for_senders_share": sending,
        },
        share=share,
        ceiling_speedup=speedup_if(profile, kept),
        saves=saved_if(profile, kept),
        confidence="high" if share > 2 * LEAST_SHARE else "medium",
        remedy=(
            f"let workers write observations into shared memory: {shared_vector(profile)}, "
            "or shared_memory=True in Gymnasium's AsyncVectorEnv; send uint8 rather than float32"
        ),
        verify=record_again(profile),
        effort="minutes",
        overlays=("fast:vector",),
    )


RULE = Rule(
    "communication-bound", check, yields_to=("actions-over-ipc", "env-too-cheap-for-processes", "fat-info")
)
