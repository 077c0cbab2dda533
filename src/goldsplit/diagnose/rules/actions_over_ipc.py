"""Workers are asked for masks or random actions at every step.

## What it sees
Besides `step`, the trainer sends its workers another command (`env_method`, `get_attr`, `call`, or your own
command with mask, action or sample in its name) at least once per two steps, and these messages cost at
least 2 % of the wall time. This cost is their part of all commands, applied to the time for messages.

## Why it is slow
Each question is a message to every worker and back. It costs as much as the message for the step itself, but
the answer has only a few bytes. The trainer waits for each answer in turn.

## Example
```python
# slow: two more rounds of messages per step
masks = envs.env_method("action_masks")
actions = envs.env_method("sample_action")

# fast: masks are in shared memory, random actions are drawn here
envs = SharedVectorEnv(env_fns, mask="action_masks")
actions = envs.sample_actions()
```

## What to do
Send the mask with the observation (a dict observation, or a few columns of it), draw random actions in the
trainer, or use `goldsplit.fast.vector.SharedVectorEnv` (`SharedVecEnv` for MaskablePPO), which does both.

## When not
Rare questions (a statistic at the end of a rollout) are fine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from goldsplit.diagnose.rule import Rule, percent, record_again, share_of
from goldsplit.diagnose.workers import driver_pid, shared_vector, worker_lanes
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import WORTHWHILE_SHARE, Finding
from goldsplit.model.profile import Fact, Profile
from goldsplit.model.stage import VEC, VEC_WAIT

LEAST_PER_STEP = 0.5
_REMOTE_CALL = re.compile(r"(env_method|get_attr|_?call):")
_BY_NAME = re.compile(r"mask|action|sample|legal|valid", re.IGNORECASE)


def check(profile: Profile) -> Iterable[Finding]:
    """One finding at most."""
    commands = driver_commands(profile)
    steps = sum(fact.count for fact in commands if is_step(fact))
    asked = [fact for fact in commands if is_question(fact)]
    questions = sum(fact.count for fact in asked)
    if not worker_lanes(profile) or not steps or questions < LEAST_PER_STEP * steps:
        return
    part = questions / sum(fact.count for fact in commands)
    share = part * share_of(profile, VEC)
    if share < WORTHWHILE_SHARE:
        return
    most = max(asked, key=lambda fact: fact.count)
    what = most.detail.rpartition(":")[2]
    yield Finding(
        code=RULE.code,
        title=f"{what} is fetched from workers {questions / steps:.1f} times per step: "
        f"{percent(share)} of time",
        where=most.place,
        stage=VEC_WAIT,
        evidence={
            "questions": {fact.detail: fact.count for fact in asked},
            "steps_asked": steps,
            "questions_per_step": questions / steps,
            "part_of_commands": part,
            "communication_share": share_of(profile, VEC),
        },
        share=share,
        ceiling_speedup=1.0 / (1.0 - share),
        confidence="high" if questions >= steps else "medium",
        remedy="send masks with the observation and draw random actions in the trainer, or use "
        + shared_vector(profile, mask=True),
        overlays=("fast:vector",),
        verify=record_again(profile),
    )


def driver_commands(profile: Profile) -> list[Fact]:
    """Commands that the training process sent to others."""
    driver = driver_pid(profile)
    return [fact for fact in profile.facts if fact.kind == FactKind.COMMAND and fact.pid == driver]


def is_step(fact: Fact) -> bool:
    """Whether a command is the step itself, and not a call of another method with step in its name."""
    return "step" in fact.detail and ":" not in fact.detail


def is_question(fact: Fact) -> bool:
    """Whether a command asks a worker for something other than a step."""
    return not is_step(fact) and bool(_REMOTE_CALL.match(fact.detail) or _BY_NAME.search(fact.detail))


RULE = Rule("actions-over-ipc", check)
