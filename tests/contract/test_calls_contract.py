"""Functions: each call is a span, with a frame of its own or without. Both do the same."""

from __future__ import annotations

import copy
import functools
import inspect
import pickle
import signal
import subprocess
import sys
import weakref
from types import ModuleType, SimpleNamespace
from typing import Any

import cloudpickle
import pytest

from goldsplit.record.inside import core
from goldsplit.record.inside import framed_calls as framed
from goldsplit.record.inside import frameless_calls as frameless
from goldsplit.record.inside.core.counting import LOOK_EVERY
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.hooks import classes, torch  # noqa: F401 - they count what the core leaves to them
from goldsplit.record.inside.span_wrapping import is_staged, send_by_value, stage_of, unstaged

ACT, STEP = sys.intern("act"), sys.intern("env.step")


@pytest.fixture(params=["framed", "frameless"])
def calls(request: pytest.FixtureRequest) -> Any:
    if request.param == "frameless" and not core.IS_COMPILED:
        pytest.skip("goldsplit was installed without a C compiler")
    return framed if request.param == "framed" else core


def act(state: int, *, greedy: bool = False) -> str:
    """Choose an action."""
    return f"{state} {greedy}"


def fail() -> None:
    raise KeyError("the program's own")


def test_a_call_is_a_span(calls: Any, state: ThreadState) -> None:
    staged = calls.span_call(act, ACT)
    assert staged(3, greedy=True) == "3 True"
    assert staged(4) == "4 False"
    assert state.root.children["act"].count == 2
    assert state.current is state.root


def test_a_call_inside_the_same_stage_is_none(calls: Any, state: ThreadState) -> None:
    inner = calls.span_call(act, ACT)
    outer = calls.span_call(lambda given: inner(given), ACT)
    assert outer(1) == "1 False"
    assert state.root.children["act"].count == 1
    assert not state.root.children["act"].children


def test_what_the_program_raises_goes_on(calls: Any, state: ThreadState) -> None:
    with pytest.raises(KeyError, match="the program's own"):
        calls.span_call(fail, ACT, after_that_must_not_be_called)()
    assert state.current is state.root
    assert state.root.children["act"].count == 1
    with pytest.raises(TypeError, match="act"):
        calls.span_call(act, ACT)()


def after_that_must_not_be_called(*_: Any) -> None:
    raise AssertionError("nothing came back")


def test_before_and_after(calls: Any, state: ThreadState) -> None:
    seen: list[Any] = []
    staged = calls.span_call(act, ACT, lambda *given: seen.append(given), seen.append)
    staged(3, greedy=True)
    assert seen == [state, (state, state.root.children["act"], (3,), "3 True")]


def test_what_is_rare_is_called_after_few_spans(calls: Any, state: ThreadState) -> None:
    seen: list[int] = []
    staged = calls.span_call(act, ACT, core.rare_call(lambda state, node, args, result: seen.append(args[0])))
    for number in range(2 * LOOK_EVERY):
        staged(number)
    assert seen == [0, LOOK_EVERY]


def test_an_error_of_ours_is_counted_and_the_program_goes_on(calls: Any, state: ThreadState) -> None:
    def fails(*_: Any) -> None:
        raise RuntimeError("a mistake of ours")

    staged = calls.span_call(act, ACT, fails, fails)
    assert [staged(1), staged(2)] == ["1 False", "2 False"]
    assert state.current is state.root
    assert list(ENGINE.failures.values()) == [("RuntimeError: a mistake of ours", 4)]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_ctrl_c_while_our_code_runs_reaches_the_program(calls: Any, state: ThreadState, kind: Any) -> None:
    def interrupted(*_: Any) -> None:
        raise kind

    for given in ((interrupted,), (None, interrupted)):
        with pytest.raises(kind):
            calls.span_call(act, ACT, *given)(1)
    with pytest.raises(kind):
        calls.wait_call(act, ACT, interrupted)(1)
    assert state.current is state.root
    assert not ENGINE.failures


def test_what_a_signals_handler_raises_reaches_the_program(calls: Any, state: ThreadState) -> None:
    def out_of_time(*_: Any) -> None:
        raise TimeoutError("of the program")

    def hit_by_signal(*_: Any) -> None:
        signal.raise_signal(signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, out_of_time)
    try:
        with pytest.raises(TimeoutError, match="of the program"):
            calls.span_call(act, ACT, hit_by_signal)(1)
        signal.signal(signal.SIGUSR1, functools.partial(out_of_time, 1))
        with pytest.raises(TimeoutError, match="of the program"):
            calls.span_call(act, ACT, None, hit_by_signal)(1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert state.current is state.root
    assert not ENGINE.failures


@pytest.mark.parametrize("after", [core.count_step, core.count_update])
def test_what_the_core_counts_it_counts_the_same(calls: Any, state: ThreadState, after: Any) -> None:
    class Thing:
        step = calls.span_call(lambda self, action: (action, 1.0, action == 2, False, {}), STEP, after)

    thing = Thing()
    for action in range(5):
        thing.step(action)
    if after is core.count_step:
        assert (state.counts["own_env_steps"], state.counts["own_episodes"]) == (5, 1)
    else:
        assert [value for name, value in state.counts.items() if name.startswith("updates:")] == [5]


def test_the_cost_of_sampled_spans_is_counted(calls: Any, state: ThreadState) -> None:
    staged = calls.span_call(act, ACT)
    for _ in range(1000):
        staged(1)
    node = state.root.children["act"]
    assert node.cpu_count > 0
    assert sum(state.costs.values()) > 0
    assert (node.cost_from_ns, node.cpu_from_ns) == (0, 0)


class Event:
    def __init__(self) -> None:
        self.waker: str | None = None

    def wait(self, seconds: float = 0.0, *, word: str = "") -> str:
        if seconds < 0:
            raise ValueError("no such time")
        return f"{seconds} {word}"


def test_a_wait_is_counted_for_who_ended_it(calls: Any, state: ThreadState) -> None:
    wait = calls.wait_call(Event.wait, "wait", lambda event: event.waker.lower())
    event = Event()
    assert wait(event, 1, word="now") == "1 now"  # it has no waker: who ended it is not known
    event.waker = "T:7"
    assert wait(event) == "0.0 "
    with pytest.raises(ValueError, match="no such time"):
        wait(event, -1)
    children = state.root.children
    assert (children["wait"].count, children["wait", "t:7"].count) == (1, 2)
    assert state.current is state.root


@pytest.mark.parametrize("time", [0, 0.0, False])
def test_a_wait_of_no_time_is_none(calls: Any, state: ThreadState, time: Any) -> None:
    wait = calls.wait_call(Event.wait, "wait", None, ())
    assert wait(Event(), time) == f"{time} "
    assert not state.root.children
    wait(Event(), 10**30)
    wait(Event())
    assert state.root.children["wait"].count == 2
    put = calls.wait_call(Event.wait, "wait", None)
    put(Event(), time)
    assert state.root.children["wait"].count == 3, "here the first argument is no time"


def test_what_is_there_already_is_not_waited_for(calls: Any, state: ThreadState) -> None:
    wait = calls.wait_call(Event.wait, "wait", None, ("waker", "DONE"))
    event = Event()
    wait(event)
    event.waker = "DONE"
    wait(event)
    del event.waker
    assert wait(event) == "0.0 "
    assert state.root.children["wait"].count == 2


def test_a_wait_inside_a_wait_is_part_of_it(calls: Any, state: ThreadState) -> None:
    inner = calls.wait_call(Event.wait, "vec.wait", lambda _: "t:1")
    outer = calls.wait_call(lambda event: inner(event), "wait", lambda _: "t:2")
    assert outer(Event()) == "0.0 "
    assert set(state.root.children) == {"wait", ("wait", "t:2")}


def test_a_pipes_end_is_named_and_its_message_looked_at(calls: Any, state: ThreadState) -> None:
    end = SimpleNamespace(_goldsplit_channel="pipe:9", sent=[])
    seen: list[Any] = []

    def send(self: Any, message: Any) -> int:
        if message is None:
            raise OSError("closed")
        self.sent.append(message)
        return len(self.sent)

    ours = calls.end_call(send, "vec.send", seen.append)
    assert (ours(end, "a"), ours(end, "b")) == (1, 2)
    with pytest.raises(OSError, match="closed"):
        ours(end, None)
    assert seen == ["a", "b", None]
    assert state.root.children["vec.send", "pipe:9"].count == 3
    with pytest.raises(TypeError):
        ours()


def test_it_can_be_asked_what_the_function_can(calls: Any) -> None:
    staged = calls.span_call(act, ACT)
    assert (staged.__name__, staged.__qualname__, staged.__module__) == ("act", "act", __name__)
    assert staged.__doc__ == "Choose an action."
    assert inspect.signature(staged) == inspect.signature(act)
    assert inspect.isfunction(staged)
    assert inspect.unwrap(staged) is act
    assert weakref.ref(staged)() is staged
    assert functools.wraps(staged)(lambda: None).__name__ == "act"  # type: ignore[arg-type]
    assert (stage_of(staged), is_staged(staged), unstaged(staged)) == ("act", True, act)
    assert (stage_of(act), is_staged(act), unstaged(act)) == (None, False, act)


def test_a_program_may_give_it_attributes(calls: Any) -> None:
    def play() -> None:
        return

    staged: Any = calls.span_call(play, ACT)
    staged.is_slow = True
    assert staged.is_slow


def test_methods_bind(calls: Any) -> None:
    class Player:
        name = "me"
        act = calls.span_call(lambda self, n: f"{self.name} {n}", ACT)
        make = classmethod(calls.span_call(lambda cls: cls(), ACT))
        plain = staticmethod(calls.span_call(lambda n: n, ACT))

    class Better(Player):
        def act(self, n: int) -> Any:
            return super().act(n)  # type: ignore[misc]

    assert (Player().act(1), Better.make().act(2), Player.plain(3)) == ("me 1", "me 2", 3)
    assert inspect.ismethod(Player().act)


def test_pickled_by_name_as_a_function_is(calls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    staged = calls.span_call(act, ACT)
    monkeypatch.setattr(sys.modules[__name__], "act", staged)
    assert pickle.loads(pickle.dumps(staged)) is staged
    assert copy.deepcopy(staged) is staged


def test_a_scripts_own_class_is_sent_whole(calls: Any) -> None:
    send_by_value(sys.modules["cloudpickle.cloudpickle"])
    script = ModuleType("__main__")
    exec("class Game:\n    def step(self, action):\n        return action, 1.0, True, {}\n", vars(script))
    game: Any = script.Game
    game.step = calls.span_call(game.step, STEP, core.count_step)
    there = (
        "import goldsplit.record.inside.hooks.stepping, goldsplit.record.inside.span_wrapping, pickle, sys; "
    )
    there += "game = pickle.load(sys.stdin.buffer); print(game.step(4)[0]); "
    there += (
        "from goldsplit.record.inside.core import this_thread; print(this_thread().counts['own_env_steps'])"
    )
    sent = cloudpickle.dumps(game())
    said = subprocess.run([sys.executable, "-c", there], input=sent, stdout=subprocess.PIPE, check=True)
    assert said.stdout.split() == [b"4", b"1"]


def test_torch_compile_gets_those_with_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    if not core.IS_COMPILED:
        pytest.skip("goldsplit was installed without a C compiler")

    class Player:
        act = core.span_call(act, ACT)
        make = staticmethod(core.span_call(act, ACT))

    monkeypatch.setattr(frameless, "_are_unwanted", [])
    monkeypatch.setattr(frameless, "_placed", [])
    for name in ("act", "make", "gone"):
        frameless.placed(Player, name)
    assert frameless.may_be_frameless(act, ACT)
    frameless.make_way_for_compiling()
    assert not frameless.may_be_frameless(act, ACT)
    assert [stage_of(vars(Player)["act"]), stage_of(Player.make)] == ["act", "act"]
    assert not frameless.is_frameless(Player.act)
    assert not frameless.is_frameless(Player.make)


class Digger:
    """A function that calls itself, one call inside the other."""

    def dig(self, depth: int) -> int:
        return 0 if not depth else 1 + self.dig(depth - 1)


def test_a_function_that_calls_itself_very_deep_loses_its_wrapper(calls: Any, state: ThreadState) -> None:
    plain, limit = Digger.__dict__["dig"], sys.getrecursionlimit()
    Digger.dig = staged = calls.span_call(plain, ACT)  # type: ignore[method-assign]
    frameless.placed(Digger, "dig")
    sys.setrecursionlimit(200_000)
    try:
        assert Digger().dig(30) == 30
        assert Digger.__dict__["dig"] is staged
        assert Digger().dig(60_000) == 60_000, "more than the stack of the process has room for"
    finally:
        sys.setrecursionlimit(limit)
        was_taken_away = Digger.__dict__["dig"] is plain
        Digger.dig = plain  # type: ignore[method-assign]
    assert was_taken_away
    assert state.current is state.root
    assert not ENGINE.failures
    assert [event["text"] for event in ENGINE.events if "too deep" in event.get("text", "")]


def test_a_wrapper_that_cannot_be_found_stays(calls: Any, state: ThreadState) -> None:
    core.step_aside(calls.span_call(act, ACT))
    assert not ENGINE.failures
