"""Every answer of a worker contains an info dictionary that is a large part of the message.

## What it sees
Workers answer each step with a message. The info is at least 40 % of its bytes and at least 1 KB (to measure
this, some of the infos are pickled once more, alone), and costs at least 2 % of the wall time: the time to
pickle and unpickle it, or its part of receiving, whichever is more.

## Why it is slow
An info consists of Python objects. Each of them is pickled in the worker and made again in the trainer, at
every step and for every environment; vector environments then merge or copy infos key by key. Usually the
training never reads them.

## Example
```python
# slow: the whole state, at every step
return obs, reward, done, False, {"units": [unit.to_dict() for unit in self.units], "map": self.map}

# fast: what is read, when it is read
info = {"winner": self.winner} if done else {}
return obs, reward, done, False, info
```

## What to do
Return an empty info, and the summary at the end of the episode only. Or keep infos in the workers:
`goldsplit.fast.vector.SharedVectorEnv` sends those of the last step (`info="final"`) and single keys
(`info_keys=`).

## When not
If the trainer needs a key at every step (a mask, a score), ask for that key alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.diagnose.rule import Rule, percent, record_again, row_of
from goldsplit.diagnose.workers import (
    count_and_sum,
    measured,
    shared_vector,
    worker_answers,
    worker_facts,
    worker_lanes,
)
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import WORTHWHILE_SHARE, Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import VEC_RECV, VEC_SEND

LEAST_BYTES = 1000
LEAST_PART = 0.4


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    sent, facts = worker_answers(profile), worker_facts(profile, FactKind.INFO)
    infos, measured_bytes = count_and_sum(facts)
    if sent is None or not infos:
        return
    info_bytes = measured_bytes / infos
    part = min(1.0, info_bytes / max(1.0, sent[1]))
    share = max(pickling_share(profile), part * receiving_share(profile))
    if info_bytes < LEAST_BYTES or part < LEAST_PART or share < WORTHWHILE_SHARE:
        return
    timed, microseconds = count_and_sum(worker_facts(profile, FactKind.INFO_US))
    largest = sorted(worker_facts(profile, FactKind.INFO_KEY), key=lambda fact: -fact.amount / fact.count)
    keys = list(dict.fromkeys(fact.detail for fact in largest))[:3]
    # Infos were measured on some of the answers only: never more than a whole answer.
    sizes = f"{part * sent[1] / 1000:.1f} of {sent[1] / 1000:.1f} KB"
    yield Finding(
        code=RULE.code,
        title=f"infos are {sizes} of each answer of a worker: {percent(share)} of the time",
        where=facts[0].place,
        stage=VEC_RECV,
        evidence=measured(
            info_bytes=info_bytes,
            bytes_per_answer=sent[1],
            info_part=part,
            info_pickle_and_unpickle_us=microseconds / timed if timed else None,
            largest_keys=keys,
            infos_measured=infos,
        ),
        share=share,
        ceiling_speedup=1.0 / (1.0 - share),
        confidence="high" if part > 0.6 else "medium",
        remedy=(
            "return an empty info, and the summary at the end of the episode; or use "
            f"{shared_vector(profile)}, with info_keys= for what is read at every step"
        ),
        verify=record_again(profile),
        effort="minutes",
        overlays=("lean-info",),
        risk="code that reads these keys at every step must ask for them",
    )


def pickling_share(profile: Profile) -> float:
    """Wall share for infos alone: workers pickle them side by side, the driver unpickles one by one."""
    timed, microseconds = count_and_sum(worker_facts(profile, FactKind.INFO_US))
    rate, workers = profile.throughput.env_steps_per_second, len(worker_lanes(profile))
    if not timed or not rate or not workers:
        return 0.0
    return min(0.9, rate * microseconds / timed / 1e6 * 0.5 * (1.0 + 1.0 / workers))


def receiving_share(profile: Profile) -> float:
    """Wall share in which the driver receives answers, or waits while they are sent."""
    receive, send = row_of(profile, VEC_RECV), row_of(profile, VEC_SEND)
    return (receive.wall_share if receive else 0.0) + (send.waited_share if send else 0.0)


RULE = Rule("fat-info", check)
