"""Structures read off hand-made recordings: who waits for whom, turn by turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.analyse.predict.whatif import what_if
from goldsplit.analyse.profile import analyse
from goldsplit.model.recording import Recording
from goldsplit.model.whatif import Scenario

S, US = 1_000_000_000, 1_000
TURNS, TURN = 20, 1000 * US


def lock_step(maker: Any, recording: Callable[..., Recording], slow_us: int, games: int = 1) -> Recording:
    """Turns of 1 ms: 100 us choosing actions, sending, then waiting for a quick and a slow worker."""
    driver, quick, slow = maker(7), maker(8, 7), maker(9, 7)
    driver.process.pipes += [(10, 11), (20, 21)]
    act, send = driver.node("act"), driver.node("vec.send", detail="pipe:10")
    waits = [driver.node("vec.recv", "vec.wait", detail=f"pipe:{end}") for end in (10, 20)]
    spans: list[tuple[int, int, int]] = []
    for t in range(0, TURNS * TURN, TURN):
        spans += [(act, t, t + 100 * US), (send, t + 100 * US, t + 110 * US)]
        spans += [(waits[0], t + 110 * US, t + 310 * US), (waits[1], t + 310 * US, t + TURN)]
    driver.raw(0, TURNS * TURN, *spans)
    for worker, near, busy in ((quick, 11, 200), (slow, 21, slow_us)):
        step = worker.node("env.step")
        idle = worker.node("vec.recv", "vec.wait", detail=f"pipe:{near}")
        rows: list[tuple[int, int, int]] = []
        for t in range(0, TURNS * TURN, TURN):
            begun, each = t + 110 * US, busy * US // games
            rows += [(step, begun + i * each, begun + (i + 1) * each) for i in range(games)]
            rows.append((idle, begun + busy * US, t + TURN + 110 * US))
        worker.raw(0, TURNS * TURN, *rows)
    for one in (driver, quick, slow):
        one.snapshot(0)
    driver.spend(S, "act", count=1000)
    driver.spend(9 * S, "vec.recv", "vec.wait", detail="pipe:20", count=1000)
    quick.spend(2 * S, "env.step", count=1000 * games)
    slow.spend(slow_us * S // 100, "env.step", count=1000 * games)
    for one in (driver, quick, slow):
        one.snapshot(10 * S, own_env_steps=1000 * games)
    slow.steps(1, 10 * S)
    return recording(driver, quick, slow, end_ns=10 * S)


def test_lock_step_turns_know_each_workers_part(maker: Any, recording: Callable[..., Recording]) -> None:
    known = analyse(lock_step(maker, recording, slow_us=850)).structure
    assert known is not None
    assert (known.kind, known.envs, known.turns_seen) == ("lock-step", 2, TURNS - 2)
    assert [worker.pid for worker in known.workers] == [8, 9]
    assert [worker.envs for worker in known.workers] == [1, 1]
    one = known.turns[5]
    assert one.wait_us == pytest.approx(900.0), "from the first message on"
    assert [row.stages["env.step"] for row in one.workers] == pytest.approx([200.0, 850.0])
    assert [row.finish_us for row in one.workers] == pytest.approx([210.0, 860.0])
    assert one.workers[1].stages["vec.send"] == pytest.approx(10.0)
    assert known.workers[1].step_us == pytest.approx([850.0] * len(known.workers[1].step_us))


def test_several_games_of_a_worker_are_told_apart(maker: Any, recording: Callable[..., Recording]) -> None:
    known = analyse(lock_step(maker, recording, slow_us=800, games=4)).structure
    assert known is not None
    assert [worker.envs for worker in known.workers] == [4, 4]
    assert known.envs == 8
    assert known.workers[1].step_us[0] == pytest.approx(200.0)


def with_masks(maker: Any, recording: Callable[..., Recording], named: bool = True) -> Recording:
    """SB3's SubprocVecEnv with masks: in each turn of 2 ms the masks are asked for first, then the steps. Two
    workers with three games each; `named`: whether their code is in known stages."""
    driver, workers = maker(7), [maker(8, 7), maker(9, 7)]
    driver.process.pipes += [(10, 11), (20, 21)]
    turn = 2000 * US
    act = driver.node("act")
    sends = [driver.node("vec.send", detail=f"pipe:{end}") for end in (10, 20)]
    waits = [driver.node("vec.recv", "vec.wait", detail=f"pipe:{end}") for end in (10, 20)]
    spans: list[tuple[int, int, int]] = []
    for t in range(0, TURNS * turn, turn):
        for begun, length in ((t, 300 * US), (t + 600 * US, 1400 * US)):
            spans += [(sends[i], begun + 10 * i * US, begun + 10 * (i + 1) * US) for i in (0, 1)]
            half = begun + 20 * US + (length - 20 * US) // 2
            spans += [(waits[0], begun + 20 * US, half), (waits[1], half, begun + length)]
        spans.append((act, t + 300 * US, t + 600 * US))
    driver.raw(0, TURNS * turn, *spans)
    for worker, near in zip(workers, (11, 21), strict=True):
        idle = worker.node("vec.recv", "vec.wait", detail=f"pipe:{near}")
        answer = worker.node("vec.send", detail=f"pipe:{near}")
        rows: list[tuple[int, int, int]] = []
        for t in range(0, TURNS * turn, turn):
            mask, steps = t + 20 * US, t + 620 * US
            rows += [(answer, mask + 200 * US, mask + 210 * US), (idle, mask + 210 * US, steps)]
            rows += [(answer, steps + 1200 * US, steps + 1210 * US), (idle, steps + 1210 * US, t + turn)]
            if named:
                rows.append((worker.node("env.mask"), mask, mask + 200 * US))
                games = (steps + 400 * US * i for i in range(3))
                rows += [(worker.node("env.step"), at, at + 400 * US) for at in games]
        worker.raw(0, TURNS * turn, *sorted(rows, key=lambda row: row[1]))
    for one in (driver, *workers):
        one.snapshot(0)
    driver.spend(2 * S, "act", count=1000)
    driver.spend(8 * S, "vec.recv", "vec.wait", detail="pipe:20", count=4000)
    for worker in workers if named else ():
        worker.spend(6 * S, "env.step", count=3000)
    for one in (driver, *workers):
        one.snapshot(10 * S, **({"own_env_steps": 3000} if named else {}))
    driver.steps(1, 10 * S)
    return recording(driver, *workers, end_ns=10 * S)


def test_masks_that_are_fetched_are_no_step_turns(maker: Any, recording: Callable[..., Recording]) -> None:
    profile = analyse(with_masks(maker, recording))
    known = profile.structure
    assert known is not None
    assert (known.kind, known.envs) == ("lock-step", 6)
    assert [worker.envs for worker in known.workers] == [3, 3]
    same = what_if(profile, Scenario(envs=6)).prediction
    assert same is not None
    assert same.speedup == pytest.approx(1.0, abs=0.02)


def test_workers_in_no_known_stage_still_take_turns(maker: Any, recording: Callable[..., Recording]) -> None:
    """What such a worker does between a message and its answer is its work."""
    profile = analyse(with_masks(maker, recording, named=False))
    known = profile.structure
    assert known is not None
    assert (known.kind, len(known.workers), known.envs) == ("lock-step", 2, 2)
    assert max(known.workers[0].step_us) == pytest.approx(1200.0)
    same = what_if(profile, Scenario(workers=2)).prediction
    assert same is not None
    assert same.speedup == pytest.approx(1.0, abs=0.02)


def test_a_pool_of_threads_shares_its_environments(maker: Any, recording: Callable[..., Recording]) -> None:
    """Four environments, two threads: now one of them steps three, now the other."""
    one = maker(7, threads=3)
    waits = [one.node("wait", detail=f"t:{7 + index}") for index in (1, 2)]
    steps = [one.node("env.step", thread=index) for index in (1, 2)]
    rows: list[list[tuple[int, int, int]]] = [[], [], []]
    for number, t in enumerate(range(0, TURNS * TURN, TURN)):
        rows[0] += [(waits[0], t + 300 * US, t + 500 * US), (waits[1], t + 500 * US, t + TURN)]
        busy = number % 2
        at = t + 310 * US
        for place, games in ((busy, 3), (1 - busy, 1)):
            for _ in range(games):
                rows[1 + place].append((steps[place], at, at + 170 * US))
                at += 170 * US
    for index in (0, 1, 2):
        one.raw(0, TURNS * TURN, *rows[index], thread=index)
    one.snapshot(0)
    one.spend(1 * S, "act", count=1000)
    for index in (1, 2):
        one.spend(4 * S, "wait", detail=f"t:{7 + index}", count=1000)
        one.spend(4 * S, "env.step", thread=index, count=2000)
    one.snapshot(10 * S, own_env_steps=4000)
    one.steps(1, 10 * S)
    profile = analyse(recording(one, end_ns=10 * S))
    assert profile.structure is not None
    assert (profile.structure.kind, profile.structure.envs) == ("lock-step", 4)
    same = what_if(profile, Scenario(envs=4)).prediction
    assert same is not None
    assert same.speedup == pytest.approx(1.0, abs=0.03)


def test_the_ceiling_of_a_stage_in_workers_leaves_the_messages(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    profile = analyse(lock_step(maker, recording, slow_us=850))
    row = next(row for row in profile.stages if row.stage == "env.step")
    # 1 s of acting and 50 of 900 us of each stay at the barrier remain
    assert row.ceiling_speedup == pytest.approx(10 / (1 + 9 * 50 / 900), rel=0.02)


def test_a_prefetch_thread_is_an_overlap(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7, threads=2)
    learn, get = one.node("learn.loss"), one.node("wait", detail="t:8")
    sample, put = one.node("replay.sample", thread=1), one.node("wait", thread=1, detail="t:7")
    mine: list[tuple[int, int, int]] = []
    its: list[tuple[int, int, int]] = []
    for t in range(0, TURNS * TURN, TURN):
        mine += [(learn, t, t + 600 * US), (get, t + 600 * US, t + TURN)]
        its += [(sample, t, t + 990 * US), (put, t + 990 * US, t + TURN)]
    one.raw(0, TURNS * TURN, *mine)
    one.raw(0, TURNS * TURN, *its, thread=1)
    one.snapshot(0)
    one.spend(6 * S, "learn.loss", count=1000)
    one.spend(4 * S, "wait", detail="t:8", count=1000)
    one.spend(9 * S, "replay.sample", thread=1, count=1000)
    one.snapshot(10 * S, own_env_steps=1000)
    one.steps(1, 10 * S)
    profile = analyse(recording(one, end_ns=10 * S))
    assert profile.structure is not None
    assert (profile.structure.kind, profile.structure.helpers) == ("overlap", 1)
    ceilings = {row.stage: row.ceiling_speedup for row in profile.stages}
    assert ceilings["learn.loss"] == pytest.approx(1.0, abs=0.06), "the batch is what is waited for"
    assert ceilings["replay.sample"] == pytest.approx(1 / 0.6, rel=0.06)


def test_one_thread_alone(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.snapshot(0)
    one.spend(6 * S, "env.step", count=400)
    one.spend(3 * S, "act", count=100)
    one.snapshot(10 * S, own_env_steps=400)
    one.steps(1, 10 * S)
    known = analyse(recording(one, end_ns=10 * S)).structure
    assert known is not None
    assert (known.kind, known.envs, known.turns, known.waited) == ("alone", 4, [], {})
    assert known.own["env.step"] == pytest.approx(6.0, rel=1e-3)
    assert known.cores == 2


def test_the_vector_environment_says_how_many_environments_there_are(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    """Not the choices of actions: actor and critic are two passes, and random actions need none."""
    one = maker(7)
    one.snapshot(0)
    one.spend(6 * S, "vec.copy", "env.step", count=400)
    one.spend(S, "vec.copy", count=100)
    one.spend(2 * S, "act", count=200)
    one.snapshot(10 * S, vec_env_steps=400)
    one.steps(1, 10 * S)
    known = analyse(recording(one, end_ns=10 * S)).structure
    assert known is not None
    assert known.envs == 4


def test_environments_that_only_reset_in_their_turn_are_counted_too(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    one = maker(7)
    one.snapshot(0)
    one.spend(6 * S, "vec.copy", "env.step", count=340)
    one.spend(S, "vec.copy", "env.reset", count=60)
    one.spend(S, "vec.copy", count=100)
    one.snapshot(10 * S, vec_env_steps=340)
    one.steps(1, 10 * S)
    known = analyse(recording(one, end_ns=10 * S)).structure
    assert known is not None
    assert known.envs == 4


def test_a_wait_that_nothing_explains_makes_the_structure_unknown(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    one = maker(7)
    one.snapshot(0)
    one.spend(6 * S, "wait", count=100)
    one.spend(3 * S, "act", count=100)
    one.snapshot(10 * S, own_env_steps=100)
    one.steps(1, 10 * S)
    known = analyse(recording(one, end_ns=10 * S)).structure
    assert known is not None
    assert known.kind == "unknown"
