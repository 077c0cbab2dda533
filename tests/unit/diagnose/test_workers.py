"""What rules read from a profile about workers, cores and messages."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from goldsplit.diagnose import workers
from goldsplit.diagnose.workers import shared_vector
from goldsplit.model.profile import ProcessFigures, Profile


@pytest.fixture
def seen(make: SimpleNamespace) -> Profile:
    """A driver, a worker process, and a thread in the driver's process that steps an environment too."""
    lanes = [
        make.lane(),
        make.lane(
            "env-worker", 101, env_steps=1000, stages={"env.step": 0.2, "env.reset": 0.1, "vec.send": 0.1}
        ),
        make.lane("env-worker", 100, env_steps=1000),
    ]
    figures = [
        ProcessFigures(100, "driver", 50.0, 60.0, 50.0, []),
        ProcessFigures(101, "", 50.0, 20.0, 20.0, []),
    ]
    made: Profile = make.profile(lanes=lanes, processes=figures)
    return made


def test_workers_are_other_processes(seen: Profile) -> None:
    (lane,) = workers.worker_lanes(seen)
    assert lane.pid == 101
    assert workers.environment_share(lane) == pytest.approx(0.3)


def test_cores_are_counted_with_native_threads(seen: Profile) -> None:
    assert workers.busy_cores(seen) == pytest.approx(1.6)
    assert workers.idle_cores(seen) == pytest.approx(2.4)


def test_a_driver_that_waits_for_a_core_wants_one(seen: Profile) -> None:
    waiting = dataclasses.replace(seen.trust, waited_for_cpu_share=0.4)
    assert workers.idle_cores(dataclasses.replace(seen, trust=waiting)) == pytest.approx(2.0)


def test_what_was_not_measured_is_not_idle(make: SimpleNamespace) -> None:
    assert workers.busy_cores(make.profile()) is None
    assert workers.idle_cores(make.profile()) == 0.0


def test_answers_are_messages_of_workers_per_step(make: SimpleNamespace, seen: Profile) -> None:
    sent = [make.fact("message", "sent", 1000, 64_000, pid=101), make.fact("message", "sent", 9, 9, pid=100)]
    assert workers.worker_answers(dataclasses.replace(seen, facts=sent)) == (1000, 64.0)
    rare = [make.fact("message", "sent", 20, 64_000, pid=101)]
    assert workers.worker_answers(dataclasses.replace(seen, facts=rare)) is None
    assert workers.worker_answers(seen) is None


def test_processes_start_where_most_of_them_start(make: SimpleNamespace, seen: Profile) -> None:
    starts = [
        make.fact("process_start", "log", 1, place=make.place(2, "setup")),
        make.fact("process_start", "work", 8, place=make.place(3, "main")),
    ]
    assert workers.process_start_line(dataclasses.replace(seen, facts=starts)) == make.place(3, "main")
    assert workers.process_start_line(seen) is None


def test_evidence_leaves_out_what_was_not_measured() -> None:
    assert workers.measured(calls=3, us_per_call=None, share=0.0) == {"calls": 3, "share": 0.0}


def test_the_vector_environment_of_the_library_in_use(make: SimpleNamespace) -> None:
    plain = make.profile({})
    assert shared_vector(plain).startswith("goldsplit.fast.vector.SharedVectorEnv")
    run = dataclasses.replace(plain.run, packages={"sb3-contrib": "2.3"})
    masked = shared_vector(dataclasses.replace(plain, run=run), mask=True)
    assert masked == "goldsplit.fast.vector.sb3.SharedVecEnv(env_fns, mask=...)"
