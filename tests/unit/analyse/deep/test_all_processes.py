"""What the deep look of several processes adds up to, and that its windows are no time of the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.counts.steps_and_updates import Counting
from goldsplit.analyse.deep.all_processes import deep_look
from goldsplit.analyse.deep.looking_cost import slowdown
from goldsplit.analyse.profile import analyse
from goldsplit.model.recording import ProcessId, ThreadKey
from goldsplit.store.deep_rows import read_deep_line

SECOND = 1_000_000_000
DRIVER = ThreadKey(ProcessId(10), 0)
NOTHING = [[0] * 5, [0] * 5]


def function(name: str, step: list[int], update: list[int] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "at": ["/game/env.py", 10, name],
        "kind": "method",
        "stage": "env.step",
        "chosen": True,
        "booked": [NOTHING, [step, update or [0] * 5]],
        **more,
    }


def deep_line(**more: Any) -> dict[str, Any]:
    """100 steps and 50 updates in the windows; 10 segments of either kind were seen, 1 ms each, in an
    environment of four."""
    return {
        "t": 0,
        "end": SECOND,
        "beats": [100, 50],
        "segments": [[0.0, 0.0], [10.0, 10.0]],
        "seen": [[0, 0], [10_000_000, 10_000_000]],
        "steps": [0.0, 40.0],
        "events": [[0, 0], [0, 0]],
        "event_ns": 0,
        "functions": [],
        "sites": [],
        "caches": [],
    } | more


COMPARED = {
    "calls": 40,
    "ns": 1000,
    "repeats": 30,
    "in_step": 5,
    "differing": 0,
    "repeat_ns": 800,
    "distinct": 10,
    "results": 1,
    "result": "True",
    "mutated": 0,
    "by_identity": False,
}


def looked(maker: Any, recording: Callable[..., Any], **line: Any) -> Any:
    one = maker(10)
    one.process.deep = read_deep_line(deep_line(**line))
    one.process.deep_windows = [(0, SECOND)]
    found = deep_look(recording(one, end_ns=10 * SECOND), DRIVER)
    assert found is not None
    return found


def test_no_window_no_deep_look(maker: Any, recording: Callable[..., Any]) -> None:
    assert deep_look(recording(maker(10)), DRIVER) is None


def test_calls_are_put_together_from_both_kinds_of_segments(
    maker: Any, recording: Callable[..., Any]
) -> None:
    """20 calls in 10 steps, 40 in 10 updates, at one update every two steps: 2 + 4 / 2 per 4 env steps."""
    row = function("Game.sight", [20, 1_000_000, 1_000_000, 0, 0], [40, 0, 0, 0, 0])
    (found,) = looked(maker, recording, functions=[row]).functions
    assert found.calls_per_env_step == pytest.approx(1.0)
    assert found.self_share == pytest.approx(10.0 / 150.0)
    assert (found.place.function, found.stage, found.compared) == ("Game.sight", "env.step", 0)


def test_repeats_cost_their_part_of_the_functions_time(maker: Any, recording: Callable[..., Any]) -> None:
    step = [40, 10_000_000, 10_000_000, 0, 0]
    (found,) = looked(maker, recording, functions=[function("f", step, compared=COMPARED)]).functions
    assert found.repeat_share == pytest.approx(0.8 * found.total_share)
    assert (found.repeats, found.repeats_in_step, found.differing) == (30, 5, 0)
    assert found.constant_result == "True"


def test_a_function_that_changes_its_arguments_repeats_nothing(
    maker: Any, recording: Callable[..., Any]
) -> None:
    row = function("move", [40, 1, 1, 0, 0], compared={**COMPARED, "mutated": 2})
    (found,) = looked(maker, recording, functions=[row]).functions
    assert (found.repeats, found.repeat_share, found.constant_result, found.mutates) == (0, 0.0, None, 2)


def test_the_cost_of_events_is_taken_off(maker: Any, recording: Callable[..., Any]) -> None:
    row = function("f", [10, 2_000_000, 2_000_000, 1000, 1000])
    found = looked(maker, recording, functions=[row], event_ns=1000).functions[0]
    assert found.self_share == pytest.approx(10.0 / 150.0)


def test_lines_are_counted_in_all_segments(maker: Any, recording: Callable[..., Any]) -> None:
    row = {
        "at": ["/game/env.py", 30, "Game.observe.<locals>.<listcomp>"],
        "kind": "text",
        "callee": "eval",
        "stage": "env.observe",
        "booked": [[30, 3_000_000, 0], [0, 0, 0]],
        "compared": 30,
        "distinct": 1,
        "amount": 150.0,
        "amounts": 30,
        "detail": "'1 + 1'",
        "only_all": False,
    }
    (site,) = looked(maker, recording, sites=[row]).sites
    assert (site.place.function, site.place.line, site.callee) == ("Game.observe", 30, "eval")
    assert site.calls_per_env_step == pytest.approx(0.75)
    assert site.share == pytest.approx(30.0 / 150.0)
    assert (site.distinct, site.compared, site.amount) == (1, 30, 5.0)


def test_caches(maker: Any, recording: Callable[..., Any]) -> None:
    row = {
        "at": ["/game/env.py", 5, "Game.los"],
        "kind": "dict",
        "hits": 10,
        "misses": 30,
        "clears": 9,
        "entries": 4,
        "hit_ns": 10_000,
        "miss_ns": 300_000,
        "repeated": 26,
        "stage": "env.step",
    }
    (cache,) = looked(maker, recording, caches=[row]).caches
    assert (cache.hits, cache.misses, cache.clears, cache.repeated_misses) == (10, 30, 9, 26)
    assert (cache.key_us, cache.value_us) == (pytest.approx(1.0), pytest.approx(9.0))
    assert cache.calls_per_env_step == pytest.approx(1.0)


def with_window(maker: Any) -> Any:
    """Steps of 1 ms, but 3 ms between the two snapshots at 2 s and 3 s."""
    one = maker(10)
    steps = 0
    for second in range(1, 9):
        slow = second == 3
        taken = 333 if slow else 1000
        steps += taken
        one.spend(taken * (3 if slow else 1) * 800_000, "env.step", count=taken)
        one.spend(taken * (3 if slow else 1) * 100_000, "act", count=taken)
        one.snapshot(second * SECOND, own_env_steps=float(steps))
    one.steps(1, 8 * SECOND)
    one.process.deep_windows = [(2 * SECOND, 3 * SECOND)]
    one.process.deep = read_deep_line(deep_line(t=2 * SECOND, end=3 * SECOND))
    return one


def test_time_inside_windows_stands_still(maker: Any) -> None:
    series = Series(with_window(maker).process)
    assert series.wall_ns(SECOND, 8 * SECOND) == 6 * SECOND
    assert series.pieces(SECOND, 8 * SECOND) == [(SECOND, 2 * SECOND), (3 * SECOND, 8 * SECOND)]
    before, after = (series.node((0, 2), t * SECOND) for t in (1, 8))
    assert after.count - before.count == 6000
    assert after.total_ns - before.total_ns == 6000 * 800_000
    assert series.thread_cpu(0, SECOND, 8 * SECOND)[0] == 3 * SECOND


def test_the_partition_and_the_rates_are_those_of_the_rest(maker: Any, recording: Callable[..., Any]) -> None:
    profile = analyse(recording(with_window(maker), end_ns=8 * SECOND))
    rows = {row.stage: row for row in profile.stages}
    assert rows["env.step"].mean_us == pytest.approx(800.0)
    assert rows["env.step"].us_per_env_step == pytest.approx(800.0, rel=0.02)
    assert profile.throughput.env_steps == 7333
    assert profile.throughput.env_steps_per_second == pytest.approx(1000.0)
    assert profile.deep is not None
    assert profile.deep.windows == 1


def test_counts_between_instants_are_added(maker: Any, recording: Callable[..., Any]) -> None:
    one = with_window(maker)
    counting = Counting(recording(one), {one.process.id: Series(one.process)})
    assert counting.between([(SECOND, 2 * SECOND), (3 * SECOND, 8 * SECOND)]).env_steps == 6000


def test_the_slow_down_is_measured_on_the_run_itself(maker: Any) -> None:
    assert slowdown([with_window(maker).process]) == pytest.approx(3.0, rel=0.05)
