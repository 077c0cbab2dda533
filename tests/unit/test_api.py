"""The calls in users' code: nearly free without a recording, right with one."""

from __future__ import annotations

import asyncio
import functools
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, assert_type

import numpy as np
import pytest

import goldsplit
from goldsplit.record.inside import own_failures, stage_blocks
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.node import Node


def nodes(state: ThreadState, stage: str) -> list[Node]:
    return [node for node in state.nodes if node.stage == stage]


def calls(state: ThreadState, stage: str) -> int:
    return sum(node.count for node in nodes(state, stage))


def test_without_a_recording_nothing_happens(state: ThreadState) -> None:
    with goldsplit.stage("act") as entered:
        assert entered is None
    goldsplit.count("env_steps", 256)
    goldsplit.metric("loss", 0.1)
    goldsplit.episode(reward=1.0, win=True, length=5)
    assert state.counts == {}
    assert len(state.nodes) == 2

    def move() -> int:
        return 1

    assert goldsplit.stage("act")(move) is move


def cpu_per_call(fn: Callable[[], object], rounds: int = 7, calls_per_round: int = 20_000) -> float:
    best = float("inf")
    for _ in range(rounds):
        begun = time.thread_time_ns()
        for _ in range(calls_per_round):
            fn()
        best = min(best, time.thread_time_ns() - begun)
    return best / calls_per_round


def test_without_a_recording_a_block_costs_about_an_empty_block() -> None:
    """Against the cheapest block Python code can have: a slots class made for each use."""

    class Empty:
        __slots__ = ()

        def __enter__(self) -> None:
            return None

        def __exit__(self, *exc: object) -> None:
            return None

    def with_empty() -> None:
        with Empty():
            pass

    def with_stage() -> None:
        with goldsplit.stage("act"):
            pass

    assert cpu_per_call(with_stage) < 3 * cpu_per_call(with_empty)
    assert cpu_per_call(lambda: goldsplit.count("env_steps")) < 3 * cpu_per_call(with_empty)


def test_a_block_is_a_span(recording_api: ThreadState) -> None:
    with goldsplit.stage("game.pathfinding"):
        assert recording_api.current.stage == "game.pathfinding"
        with goldsplit.stage("env.mask"):
            assert recording_api.current.parent is nodes(recording_api, "game.pathfinding")[0]
    assert recording_api.current is recording_api.root
    assert calls(recording_api, "game.pathfinding") == 1


def test_an_exception_passes_through_a_block(recording_api: ThreadState) -> None:
    with pytest.raises(ZeroDivisionError), goldsplit.stage("act"):
        _ = 1 / 0
    assert recording_api.current is recording_api.root


def test_recursion_through_blocks_is_one_span(recording_api: ThreadState) -> None:
    def search(depth: int) -> None:
        with goldsplit.stage("game.search"):
            if depth:
                search(depth - 1)

    search(20)
    assert calls(recording_api, "game.search") == 1
    assert recording_api.current is recording_api.root


def test_one_block_object_may_be_entered_again_inside_itself(recording_api: ThreadState) -> None:
    block = goldsplit.stage("act")
    with block, block:
        pass
    with block:
        pass
    assert calls(recording_api, "act") == 2
    assert recording_api.current is recording_api.root


def test_one_block_object_in_two_threads(recording_api: ThreadState) -> None:
    block = goldsplit.stage("act")
    inside, leave = threading.Event(), threading.Event()
    states: list[ThreadState] = []

    def work() -> None:
        states.append(ENGINE.state())
        with block:
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=work)
    with block:
        thread.start()
        assert inside.wait(10)
    assert recording_api.current is recording_api.root, "ours has ended, theirs has not"
    assert states[0].current.stage == "act"
    leave.set()
    thread.join()
    assert states[0].current is states[0].root
    assert calls(recording_api, "act") == calls(states[0], "act") == 1


def test_the_decorator_keeps_the_function(recording_api: ThreadState) -> None:
    @goldsplit.stage("env.opponent")
    def enemy_turn(strength: int = 3) -> int:
        """Moves."""
        return strength

    assert enemy_turn() == 3
    assert enemy_turn.__name__ == "enemy_turn"
    assert enemy_turn.__doc__ == "Moves."
    assert calls(recording_api, "env.opponent") == 1


def test_a_block_left_by_a_generator_late(recording_api: ThreadState) -> None:
    def frames() -> Iterator[int]:
        with goldsplit.stage("env.render"):
            yield 1

    walking = frames()
    next(walking)
    with goldsplit.stage("act"):
        walking.close()
        assert recording_api.current.stage == "act"
    assert recording_api.current is recording_api.root
    with goldsplit.stage("log"):
        assert recording_api.current.parent is recording_api.root


def test_blocks_of_two_tasks_do_not_mix(recording_api: ThreadState) -> None:
    async def battle(stage: str) -> None:
        for _ in range(3):
            with goldsplit.stage(stage):
                await asyncio.sleep(0)

    async def both() -> None:
        await asyncio.gather(battle("env.step"), battle("act"))

    asyncio.run(both())
    for stage in ("env.step", "act"):
        assert recording_api.tasks.children[stage].count == 3, "beside the partition, as elapsed time"
        assert calls(recording_api, stage) == 3
    assert recording_api.open_tasks == {}
    assert recording_api.current is recording_api.root


def test_a_block_in_a_plain_function_below_a_running_loop_is_wall_time(recording_api: ThreadState) -> None:
    """A plain function cannot be suspended, so its time belongs into the partition even under asyncio."""

    def step() -> None:
        with goldsplit.stage("env.step"):
            sum(range(10))

    async def main() -> None:
        step()

    asyncio.run(main())
    in_partition = [
        node for node in nodes(recording_api, "env.step") if node.parent is not recording_api.tasks
    ]
    assert sum(node.count for node in in_partition) == 1


def test_counts_and_metrics_add_up(recording_api: ThreadState) -> None:
    goldsplit.count("env_steps", 256)
    goldsplit.count("env_steps")
    goldsplit.metric("loss", 0.5)
    goldsplit.metric("loss", 1.5)
    goldsplit.episode(reward=10, win=True, victory_points=3)
    goldsplit.episode(win=False, end="timeout")
    counts = recording_api.counts
    assert counts["user:env_steps"] == 257
    assert (counts["metric_n:loss"], counts["metric_sum:loss"]) == (2, 2.0)
    assert counts["user:episodes"] == 2
    assert (counts["metric_n:win"], counts["metric_sum:win"]) == (2, 1.0)
    assert (counts["metric_n:reward"], counts["metric_sum:victory_points"]) == (1, 3.0)
    assert (counts["metric_n:end:timeout"], counts["metric_sum:end:timeout"]) == (1, 1.0)


@pytest.mark.parametrize("n", [np.int64(3), np.float32(3), np.array(3), np.bool_(True), True])
def test_counts_take_the_numbers_that_arrays_give(recording_api: ThreadState, n: Any) -> None:
    """What is written must be a number in the file, whatever kind of number it was."""
    goldsplit.count("env_steps", n)
    goldsplit.metric("loss", n)
    written = json.loads(json.dumps(recording_api.counts, default=str))
    assert written["user:env_steps"] == pytest.approx(float(n))
    assert not isinstance(written["user:env_steps"], str)
    assert not isinstance(written["metric_sum:loss"], str)


def line_of_sight(a: int, b: int) -> int:
    return a + b


class Board:
    @goldsplit.stage
    def plain(self) -> str:
        return "plain"


def test_a_decorator_without_a_name_takes_the_functions(recording_api: ThreadState) -> None:
    @goldsplit.stage
    def enemy_turn(x: int) -> int:
        return x * 2

    @goldsplit.stage
    def select_action(x: int) -> int:
        return x

    sight = goldsplit.stage(line_of_sight)
    assert (enemy_turn(3), sight(1, 2), goldsplit.stage(lambda: 5)(), select_action(7)) == (6, 3, 5, 7)
    assert {node.stage for node in recording_api.nodes} >= {
        "env.opponent",
        "game.line_of_sight",
        "game.lambda",
        "act",
    }


def test_a_decorator_without_a_name_and_without_a_recording_changes_nothing(state: ThreadState) -> None:
    assert goldsplit.stage(line_of_sight) is line_of_sight
    assert Board().plain() == "plain"
    with pytest.raises(TypeError, match="the name of a stage"):
        goldsplit.stage(3)


def test_whatever_is_decorated_does_the_same_recorded(recording_api: ThreadState) -> None:
    @goldsplit.stage("act")
    class Plain:
        pass

    @goldsplit.stage
    class Bare:
        pass

    assert (isinstance(Plain, type), isinstance(Bare, type)) == (True, True)

    class Thing:
        @goldsplit.stage
        @staticmethod
        def still() -> int:
            return 1

        @goldsplit.stage("act")
        @classmethod
        def of_class(cls) -> str:
            return cls.__name__

        @goldsplit.stage
        @property
        def value(self) -> int:
            return 3

    assert (Thing.still(), Thing().still(), Thing.of_class(), Thing().value) == (1, 1, "Thing", 3)
    cached = goldsplit.stage("act")(functools.lru_cache(line_of_sight))
    assert (cached(1, 2), cached(1, 2), cached.cache_info().hits) == (3, 3, 1)
    assert {"act", "game.still", "game.value"} <= {node.stage for node in recording_api.nodes}
    assert len([event for event in ENGINE.events if "left as it is" in event.get("text", "")]) == 2


def test_what_cannot_be_recorded_raises_as_little_as_without_a_recording(
    recording_api: ThreadState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_failures, "_LEFT_OUT", set())
    goldsplit.metric("loss", None)  # type: ignore[arg-type]
    goldsplit.metric("loss", None)  # type: ignore[arg-type]
    goldsplit.count("things", "many")  # type: ignore[arg-type]
    goldsplit.episode(reward="high", win=object(), length=[])  # type: ignore[arg-type]
    goldsplit.metric("loss", 2.0)
    assert recording_api.counts["user:episodes"] == 1
    assert not ENGINE.failures, "it is the program's value, not a failure of ours"
    told = [event["text"] for event in ENGINE.events if "left it out" in event.get("text", "")]
    assert told[0] == "goldsplit.metric('loss', ...) was given None, which is no number, and left it out"
    assert [text.partition(" was")[0].partition("(")[2] for text in told[1:]] == [
        "'things', ...)", "'reward', ...)", "'win', ...)", "'length', ...)"
    ]  # fmt: skip
    assert [value for name, value in recording_api.counts.items() if "loss" in name] == [1, 2.0]


def test_a_text_that_names_no_stage_is_left_out_and_told_once(
    recording_api: ThreadState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program may make up its names hours after its start: nothing may raise then."""
    monkeypatch.setattr(stage_blocks, "_told", set())
    monkeypatch.setattr(stage_blocks, "_NAMES", {})
    for _ in range(3):
        with goldsplit.stage("1x"), goldsplit.stage("1x"):
            assert recording_api.current is recording_api.root
    assert goldsplit.stage("none")(line_of_sight) is line_of_sight
    told = [event["text"] for event in ENGINE.events if "is left out" in event.get("text", "")]
    assert [text.partition(" is")[0] for text in told] == ["goldsplit.stage('1x')", "goldsplit.stage('none')"]
    assert all("lower-case words joined by dots" in text for text in told)


def test_decorators_keep_types() -> None:
    """The types are checked by mypy, which reads this file too."""

    @goldsplit.stage
    def bare(x: int) -> str:
        return str(x)

    @goldsplit.stage("game.named")
    def named(x: int) -> str:
        return str(x)

    class Game:
        @goldsplit.stage("env.step")
        def step(self, action: int) -> float:
            return float(action)

    assert_type(bare(1), str)
    assert_type(named(1), str)
    assert_type(Game().step(1), float)
    with goldsplit.stage("act"):
        assert (bare(1), named(1), Game().step(1)) == ("1", "1", 1.0)
