"""Staged functions: what they record, and that they stay the functions they were."""

from __future__ import annotations

import asyncio
import functools
import inspect
import pickle
import subprocess
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest

from goldsplit.record.inside.engine import ENGINE, SAMPLE_EVERY, ThreadState
from goldsplit.record.inside.node import SOME_LENGTHS, Node
from goldsplit.record.inside.span_wrapping import RunningSpan, is_staged, stage_of, staged


def node(state: ThreadState, stage: str) -> Node:
    return next(one for one in state.nodes if one.stage == stage and not below_tasks(state, one))


def below_tasks(state: ThreadState, one: Node) -> bool:
    parent = one.parent
    return parent is state.tasks


def plain(a: int, /, b: int = 2, *, c: int = 3) -> int:
    """What it says."""
    return a + b + c


staged_plain = staged(plain, "act")


def test_a_call_is_one_span(state: ThreadState) -> None:
    assert staged_plain(1, b=5, c=7) == 13
    assert node(state, "act").count == 1
    assert sum(node(state, "act").histogram.values()) == 1
    assert state.current is state.root


def test_name_signature_and_documentation_stay() -> None:
    assert staged_plain.__name__ == "plain"
    assert staged_plain.__doc__ == "What it says."
    assert inspect.signature(staged_plain) == inspect.signature(plain)
    assert stage_of(staged_plain) == "act"


def test_staging_twice_is_staging_once() -> None:
    assert staged(staged_plain, "env.step") is staged_plain


def test_a_decorated_staged_function_is_not_a_wrapper_of_ours() -> None:
    """functools.wraps copies attributes; the user's decorator around our wrapper is still the user's."""

    @functools.wraps(staged_plain)
    def users_own(*args: Any, **kwargs: Any) -> Any:
        return staged_plain(*args, **kwargs)

    assert is_staged(staged_plain)
    assert not is_staged(users_own)


def test_recursion_is_one_span(state: ThreadState) -> None:
    def fall(n: int) -> int:
        return 0 if n == 0 else 1 + wrapped(n - 1)

    wrapped = staged(fall, "game.flood")
    assert wrapped(50) == 50
    assert node(state, "game.flood").count == 1


def test_every_call_is_counted_with_and_without_the_extra_clocks(state: ThreadState) -> None:
    for _ in range(1000):
        staged_plain(1)
    found = node(state, "act")
    assert found.count == 1000
    kept = sum(found.histogram.values())
    assert 1000 - SOME_LENGTHS <= kept <= 1000 + SOME_LENGTHS, "all at first, then some, each for so many"
    both = (found.cpu_count, sum(state.costs.values()))
    assert abs(both[0] - both[1]) <= 1, "CPU time and the cost of recording in turn"
    assert 1000 / (1.5 * SAMPLE_EVERY) - 1 <= sum(both) <= 1000 / (0.5 * SAMPLE_EVERY) + 1


def test_an_exception_closes_the_span_and_passes(state: ThreadState) -> None:
    def fails() -> None:
        raise KeyError("x")

    wrapped = staged(fails, "env.step")
    for _ in range(200):  # with and without the extra clocks
        with pytest.raises(KeyError, match="x"):
            wrapped()
    assert state.current is state.root
    assert node(state, "env.step").count == 200


def test_after_gets_arguments_and_result_of_outermost_calls_only(state: ThreadState) -> None:
    seen: list[tuple[Any, ...]] = []

    def double(n: int) -> int:
        return 2 * n

    inner = staged(double, "env.step", lambda *_: seen.append(("inner",)))
    outer = staged(lambda n: inner(n) + 1, "env.step", lambda s, n, args, result: seen.append((args, result)))
    assert outer(4) == 9
    assert seen == [((4,), 9)]


def test_a_generator_counts_only_the_time_in_which_it_runs(state: ThreadState) -> None:
    def count() -> Iterator[int]:
        for i in range(3):
            inside.append(ENGINE.state().current.stage)
            yield i

    inside: list[str] = []
    wrapped = staged(count, "replay.sample")
    assert inspect.isgeneratorfunction(wrapped)
    outside = [state.current.stage for _ in wrapped()]
    assert inside == ["replay.sample"] * 3
    assert outside == [""] * 3
    assert node(state, "replay.sample").count == 1


def test_what_is_sent_to_a_generator_is_answered_as_a_call_is(state: ThreadState) -> None:
    def story() -> Any:
        seen = 0
        while True:
            seen += yield seen

    answers: list[Any] = []
    told = staged(story, "env.step", lambda state, node, args, result: answers.append((node.stage, result)))()
    assert next(told) == 0
    assert [told.send(2), told.send(3)] == [2, 5]
    assert answers == [("env.step", 2), ("env.step", 5)]


def test_an_error_in_what_follows_a_generators_answer_is_swallowed(state: ThreadState) -> None:
    def story() -> Any:
        while True:
            yield 1

    def harm(*args: Any) -> None:
        raise ZeroDivisionError

    told = staged(story, "env.step", harm)()
    assert [next(told), told.send(2)] == [1, 1]


def test_a_generator_keeps_send_throw_close_and_return(state: ThreadState) -> None:
    closed: list[str] = []

    def talk() -> Any:
        try:
            got = yield "first"
            try:
                yield got
            except KeyError:
                yield "caught"
            return "done"
        finally:
            closed.append("closed")

    def outer() -> Any:
        return (yield from staged(talk, "act")())

    talking = outer()
    assert next(talking) == "first"
    assert talking.send("hello") == "hello"
    assert talking.throw(KeyError()) == "caught"
    with pytest.raises(StopIteration) as end:
        next(talking)
    assert end.value.value == "done"
    left = staged(talk, "act")()
    next(left)
    left.close()
    assert closed == ["closed", "closed"]
    assert state.current is state.root


def test_a_coroutine_counts_running_and_elapsed_time_apart(state: ThreadState) -> None:
    async def battle() -> str:
        await asyncio.sleep(0)
        other.append(ENGINE.state().current.stage)
        await asyncio.sleep(0)
        return "won"

    async def watch() -> None:
        for _ in range(3):
            watched.append(ENGINE.state().current.stage)
            await asyncio.sleep(0)

    async def both() -> str:
        result, _ = await asyncio.gather(staged(battle, "env.step")(), watch())
        return str(result)

    other: list[str] = []
    watched: list[str] = []
    assert asyncio.run(both()) == "won"
    assert other == ["env.step"]
    assert set(watched) <= {"", "wait"}, "another task's time is not the battle's"
    running = [n for n in state.nodes if n.stage == "env.step" and n.parent is not state.tasks]
    elapsed = state.tasks.children["env.step"]
    assert sum(n.count for n in running) == elapsed.count == 1
    assert elapsed.total_ns >= sum(n.total_ns for n in running)
    assert state.open_tasks == {}


def test_a_cancelled_coroutine_leaves_nothing_open(state: ThreadState) -> None:
    async def forever() -> None:
        await asyncio.Event().wait()

    async def cancel() -> None:
        task = asyncio.ensure_future(staged(forever, "env.step")())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert state.open_tasks == {}
    assert state.current is state.root


def test_a_coroutine_that_is_never_finished_can_be_closed(state: ThreadState) -> None:
    @types.coroutine
    def pause() -> Iterator[None]:
        yield

    async def forever() -> None:
        while True:
            await pause()

    running = RunningSpan(forever().__await__(), "env.step", elapsed=True)
    next(running)
    running.close()
    assert state.open_tasks == {}


def test_after_of_a_coroutine_sees_its_result(state: ThreadState) -> None:
    async def step() -> int:
        return 5

    seen: list[int] = []
    wrapped = staged(step, "env.step", lambda s, n, args, result: seen.append(result))
    assert inspect.iscoroutinefunction(wrapped)
    assert asyncio.run(wrapped()) == 5
    assert seen == [5]


class Wrapped:
    def step(self, action: int) -> int:
        return action


Wrapped.step = staged(Wrapped.step, "env.step")  # type: ignore[method-assign]


def test_plain_pickle_takes_wrapped_things_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    module = type(sys)("game_for_pickling")
    module.Wrapped = Wrapped  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "game_for_pickling", module)
    monkeypatch.setattr(Wrapped, "__module__", "game_for_pickling")
    again = pickle.loads(pickle.dumps(Wrapped()))
    assert again.step(3) == 3
    assert pickle.loads(pickle.dumps(ENGINE)) is ENGINE


CLOUDPICKLED = """
import pickle, sys, subprocess, cloudpickle
from goldsplit.record.inside.span_wrapping import staged
from goldsplit.record.inside.hooks.stepping import after_env_step
from goldsplit.record.inside.span_wrapping import send_by_value
send_by_value(cloudpickle.cloudpickle)
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, False, {}
    @staticmethod
    def rules(): return "chess"
    async def ask(self): return "asked"
Game.ask = staged(Game.ask, "act")
Game.step = staged(Game.step, "env.step", after_env_step)
Game.rules = staticmethod(staged(Game.rules, "env.reset"))
code = ("import sys, pickle, asyncio; import goldsplit.record.inside.span_wrapping; "
        "cls = pickle.load(sys.stdin.buffer); "
        "from goldsplit.record.inside.engine import ENGINE; "
        "assert cls().step(3)[0] == 3 and cls.rules() == 'chess'; "
        "assert asyncio.run(cls().ask()) == 'asked'; "
        "print(ENGINE.state().counts['own_env_steps'])")
sent = cloudpickle.dumps(Game)
done = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True)
elsewhere = ("import sys, pickle, types; sys.modules['goldsplit'] = None; "
             "cls = pickle.load(sys.stdin.buffer); "
             "plain = [type(one) is types.FunctionType for one in (cls.step, cls.rules, cls.ask)]; "
             "print(cls().step(3)[0], cls.rules(), *plain, flush=True)")
subprocess.run([sys.executable, "-c", elsewhere], input=sent, check=True)
print(done.stdout.decode(), done.stderr.decode())
"""


def test_cloudpickle_takes_a_class_of_the_script_with_its_spans() -> None:
    pytest.importorskip("cloudpickle")
    done = subprocess.run([sys.executable, "-c", CLOUDPICKLED], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["3", "chess", "True", "True", "True", "1"], done.stdout + done.stderr
