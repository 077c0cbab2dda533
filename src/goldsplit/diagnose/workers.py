"""What rules read from a profile about workers, cores and messages."""

from __future__ import annotations

from typing import Any

from goldsplit.diagnose.rule import row_of
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Place
from goldsplit.model.profile import Fact, Lane, Profile
from goldsplit.model.stage import ENV, ENV_STEP, VEC_COPY


def driver_pid(profile: Profile) -> int | None:
    """The process that runs the training loop."""
    return next((lane.pid for lane in profile.lanes if lane.role == "driver"), None)


def worker_lanes(profile: Profile) -> list[Lane]:
    """Threads of other processes that step environments."""
    driver = driver_pid(profile)
    return [lane for lane in profile.lanes if lane.role == "env-worker" and lane.pid != driver]


def steady_steps(profile: Profile) -> int | None:
    """Env steps of the steady phase: that of the calls in the stage table."""
    return profile.throughput.steady_env_steps or profile.throughput.env_steps


def environments_per_turn(profile: Profile) -> int:
    """Environments that are stepped at once: one turn of the loop is so many env steps; 1 if not known."""
    copies, steps = row_of(profile, VEC_COPY), steady_steps(profile)
    if copies is not None and copies.calls and steps:
        return max(1, round(steps / copies.calls))
    step = row_of(profile, ENV_STEP)
    if step is not None and step.calls and steps and not worker_lanes(profile):
        return max(1, round(steps / step.calls))
    return 1


def environment_share(lane: Lane) -> float:
    """Share of the steady phase in which a thread was in its environments."""
    return sum(part.share for part in lane.stages if part.stage.startswith(ENV))


def busy_cores(profile: Profile) -> float | None:
    """Cores that the run kept busy in its steady phase, native threads included; None: not measured."""
    known = [figures for figures in profile.processes if figures.seconds > 0]
    if not known:
        return None
    return sum(figures.cpu_seconds / figures.seconds for figures in known)


def idle_cores(profile: Profile) -> float:
    """Idle cores of this run; 0 if none, or not known. A core that the driver waits for is not idle."""
    busy = busy_cores(profile)
    wanted = profile.trust.waited_for_cpu_share or 0.0
    return 0.0 if busy is None else max(0.0, profile.system.cores - busy - wanted)


def count_and_sum(facts: list[Fact]) -> tuple[float, float]:
    """How often these facts were counted, and the sum of their amounts."""
    return sum(fact.count for fact in facts), sum(fact.amount for fact in facts)


def worker_facts(profile: Profile, kind: str) -> list[Fact]:
    """Facts of one kind that worker processes saw."""
    pids = {lane.pid for lane in worker_lanes(profile)}
    return [fact for fact in profile.facts if fact.kind == kind and fact.pid in pids]


def worker_answers(profile: Profile) -> tuple[float, float] | None:
    """Messages that the workers sent, and their mean size in bytes; None if they do not answer each step."""
    count, sent_bytes = count_and_sum(worker_facts(profile, FactKind.MESSAGE))
    steps = sum(lane.env_steps or 0 for lane in worker_lanes(profile))
    if not count or count < steps / 2:
        return None
    return count, sent_bytes / count


def shared_vector(profile: Profile, mask: bool = False) -> str:
    """The vector environment of goldsplit.fast that fits the library in use."""
    packages = profile.run.packages
    if "stable-baselines3" in packages or "sb3-contrib" in packages:
        return f"goldsplit.fast.vector.sb3.SharedVecEnv(env_fns{', mask=...' if mask else ''})"
    told = " with mask=: envs.action_masks, envs.sample_actions()" if mask else ""
    return f"goldsplit.fast.vector.SharedVectorEnv{told}"


def process_start_line(profile: Profile) -> Place | None:
    """The user's line that starts most processes."""
    starts = [
        fact for fact in profile.facts if fact.kind == FactKind.PROCESS_START and fact.place is not None
    ]
    return max(starts, key=lambda fact: fact.count).place if starts else None


def measured(**figures: Any) -> dict[str, Any]:
    """Evidence by name, without what was not measured."""
    return {name: value for name, value in figures.items() if value is not None}
