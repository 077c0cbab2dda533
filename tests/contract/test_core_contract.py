"""The core in C and the core in Python do the same: every test here runs against both."""

from __future__ import annotations

import gc
import importlib
import itertools
import sys
import threading
import weakref
from collections.abc import Iterator
from math import exp
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsplit.model.stage import ACT, LEARN_FORWARD, LEARN_LOSS, WAITING
from goldsplit.model.wire import SPAN_BUCKETS_PER_E, WaitDetail
from goldsplit.record.inside import engine
from goldsplit.record.inside.core import IN_PYTHON, IS_COMPILED
from goldsplit.record.inside.core.counting import LOOK_AT_STEP, LOOK_AT_STEP_EVERY, LOOK_EVERY
from goldsplit.record.inside.core.packing import RAW_SPAN
from goldsplit.record.inside.core.state_fields import LAST_BUCKET_OF_LENGTH, OPEN
from goldsplit.record.inside.hooks import classes, learning_functions, messages, torch, waiting
from goldsplit.record.inside.hooks.step_results import read_step
from goldsplit.store.raw_spans import unpack_numbers

RAW_BYTES = 3 * RAW_SPAN.size
ALL_LENGTHS, SOME_LENGTHS = 4, 5


class World:
    """A small engine of one thread on one of the cores; what the core leaves to Python is written down."""

    def __init__(self, core: Any) -> None:
        self.core = core
        self.left: list[tuple[Any, ...]] = []
        self.found = 0
        world = self

        class Node(core.NodeCore):  # type: ignore[name-defined,misc]
            __slots__ = ()

            def __init__(self, stage: str, parent: Any, detail: str = "") -> None:
                super().__init__()
                self.stage, self.parent = sys.intern(stage), parent
                self.detail = detail
                self.id = 7

        class State(core.StateCore):  # type: ignore[name-defined,misc]
            __slots__ = ("root",)

            def __init__(self) -> None:
                super().__init__()
                self.ident = threading.get_ident()
                self.root = self.current = Node("", None)
                self.tick = 1000

            def child(self, parent: Any, stage: str, detail: str = "") -> Any:
                key = (stage, detail) if detail else stage
                return parent.children.setdefault(key, Node(stage, parent, detail))

            def begin_sample(self, node: Any) -> None:
                world.left.append(("sample", node.stage))
                self.tick = 1000
                node.cost_from_ns = 5

            def end_raw(self, cut_ns: int) -> None:
                world.left.append(("raw is full", len(self.raw)))
                self.raw = None

            def close_out_of_order(self, node: Any, now: int, count: int) -> None:
                world.left.append(("out of order", node.stage, count))

        self.node_type = Node
        self.states: dict[int, Any] = {}

        def find() -> Any:
            self.found += 1
            ident = threading.get_ident()
            return self.states.get(ident) or self.states.setdefault(ident, State())

        core.forget(None)
        set_up(core, find, ALL_LENGTHS, SOME_LENGTHS, RAW_BYTES)
        core.leave_steps_to(lambda *given: self.left.append(("step", *given)))
        self.update_keys: dict[int, str] = {}
        core.leave_updates_to(lambda *given: self.left.append(("update", *given)), self.update_keys)
        core.set_up_waiting(WAITING, self.channel_of)
        self.command_keys: dict[str, str] = {}
        core.leave_commands_to(lambda message: self.left.append(("command", message)), self.command_keys)
        core.leave_forwards_to(*learning_functions.ANSWERS)
        learning_functions.forget_all()
        core.set_snapshot_ns(0)
        core.set_watched(False)
        core.set_last_progress_ns(0)
        self.state = core.this_thread()

    def channel_of(self, connection: Any) -> str:
        if connection.is_closed:
            raise OSError("handle is closed")
        connection._goldsplit_channel = f"pipe:{connection.number}"
        return connection._goldsplit_channel  # type: ignore[no-any-return]

    def span(self, stage: str) -> Any:
        """One whole span."""
        node = self.core.enter(sys.intern(stage))
        self.core.leave(node)
        return node


def set_up(core: Any, find: Any, *limits: int) -> None:
    core.set_up_act_or_learn(engine.FORWARD_IN, ACT, LEARN_FORWARD, LEARN_LOSS)
    core.set_up(find, *limits, SPAN_BUCKETS_PER_E, WaitDetail.THREAD)


def cores() -> list[Any]:
    """The core in Python and, where there is one, the compiled one."""
    native = [importlib.import_module("goldsplit.record.inside.core._native")] if IS_COMPILED else []
    return [IN_PYTHON, *native]


@pytest.fixture(params=["in Python", "_native"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    if request.param == "_native" and not IS_COMPILED:
        pytest.skip("goldsplit was installed without a C compiler")
    core: Any = IN_PYTHON
    if request.param == "_native":
        core = importlib.import_module("goldsplit.record.inside.core._native")
    yield World(core)
    core.forget(None)
    set_up(core, engine.ENGINE.state, engine.ALL_LENGTHS, engine.SOME_LENGTHS, engine.RAW_BYTES)
    core.leave_steps_to(classes.unusual_step)
    core.leave_updates_to(torch.unusual_update, torch._update_keys)
    core.leave_commands_to(messages.unknown_command, messages._command_keys)
    core.set_up_waiting(WAITING, waiting._channel)


def test_spans_add_up_below_their_parents(world: World) -> None:
    outer = world.core.enter("rollout")
    inner = world.span("env.step")
    assert world.span("env.step") is inner, "one node per stage and path"
    assert world.core.leave(outer) == 0
    assert world.state.current is world.state.root
    assert (outer.count, inner.count) == (1, 2)
    assert 0 < inner.total_ns <= outer.total_ns == world.state.top_ns
    assert world.state.ended_ns == outer.t0 + outer.total_ns
    assert world.left == []


def test_a_stage_directly_inside_itself_has_no_span_even_if_its_name_came_in_a_pickle(world: World) -> None:
    outer = world.core.enter(sys.intern("env.step"))
    assert world.core.enter("".join(["env", ".step"])) is None
    other = world.core.enter("".join(["env", ".opponent"]))
    assert world.core.enter("env.step") is not None, "indirect recursion is another place"
    assert other.parent is outer


def test_the_first_lengths_are_all_kept_then_some(world: World) -> None:
    for _ in range(20):
        node = world.span("act")
    kept = len(range(5, 21, SOME_LENGTHS))
    assert sum(node.histogram.values()) == (ALL_LENGTHS - 1) + kept * SOME_LENGTHS


@given(st.integers(-5, 2**62))
def test_both_cores_put_a_length_into_the_same_bucket(elapsed: int) -> None:
    buckets = set()
    for core in cores():
        set_up(core, engine.ENGINE.state, engine.ALL_LENGTHS, engine.SOME_LENGTHS, engine.RAW_BYTES)
        root, node, state = core.NodeCore(), core.NodeCore(), core.StateCore()
        root.parent, node.parent = None, root
        core.open_span(state, node, 0)
        core.close_span(state, node, elapsed)
        buckets.update(node.histogram)
    (bucket,) = buckets
    assert exp(bucket / 8) <= (max(0, elapsed) + 1) * (1 + 1e-9)
    assert bucket == LAST_BUCKET_OF_LENGTH or exp((bucket + 1) / 8) >= elapsed


def test_raw_spans_are_three_numbers_until_the_window_is_full(world: World) -> None:
    world.state.raw = raw = bytearray()
    first = world.span("act")
    assert raw == RAW_SPAN.pack(7, first.t0, first.total_ns)
    world.span("act")
    world.span("act")
    assert world.left == [("raw is full", RAW_BYTES)]
    world.span("act")
    assert len(raw) == RAW_BYTES


def test_python_opens_and_closes_spans_by_its_own_clock(world: World) -> None:
    core, state = world.core, world.state
    outer, state.raw = state.child(state.root, "rollout"), bytearray()
    inner = state.child(outer, "act")
    core.open_span(state, outer, 100)
    core.open_span(state, inner, 110)
    assert (state.current, outer.t0, inner.t0) == (inner, 100, 110)
    core.close_span(state, inner, 130, 0)
    assert (state.current, inner.count, inner.total_ns, state.top_ns) == (outer, 0, 20, 0)
    core.close_span(state, outer, 150)
    assert (state.current, outer.count, outer.total_ns) == (state.root, 1, 50)
    assert (state.top_ns, state.ended_ns) == (50, 150)
    assert sum(inner.histogram.values()) == sum(outer.histogram.values()) == 1
    assert state.raw == RAW_SPAN.pack(7, 110, 20) + RAW_SPAN.pack(7, 100, 50)
    assert world.left == []


def test_a_span_beside_the_open_ones_is_added_to_its_node_alone(world: World) -> None:
    state = world.state
    life, state.raw = world.node_type("act", world.node_type("async", None)), bytearray()
    inside = world.core.enter("rollout")
    life.t0 = 100
    world.core.add_span(state, life, 30)
    assert (life.count, life.total_ns, life.histogram) == (1, 30, {})
    assert state.raw == RAW_SPAN.pack(7, 100, 30)
    assert (state.current, state.top_ns) == (inside, 0)


@given(st.lists(st.tuples(st.integers(0, 999), st.integers(-3000, 10**10), st.integers(-5, 2**40))))
def test_raw_spans_are_written_by_their_start(spans: list[tuple[int, int, int]]) -> None:
    raw = bytearray(b"".join(RAW_SPAN.pack(*span) for span in spans))
    written = {core.raw_columns(raw, 1000) for core in cores()}
    assert len(written) == 1, "both cores write the same"
    nodes, gaps, lengths = unpack_numbers(written.pop()).reshape(3, -1).tolist()
    assert nodes == [node for node, *_ in sorted(spans, key=lambda span: span[1])]
    assert lengths == [max(0, length) // 100 for *_, length in sorted(spans, key=lambda span: span[1])]
    ticks = sum(gap // 2 if gap % 2 == 0 else -(gap + 1) // 2 for gap in gaps)
    assert 0 <= max((t0 for _, t0, _ in spans), default=1000) - (1000 + 100 * ticks) < 100


def test_a_sampled_span_says_from_when_its_cost_counts(world: World) -> None:
    world.state.tick = 2
    assert world.core.leave(world.core.enter("act")) == 0
    node = world.core.enter("act")
    assert world.left == [("sample", "act")]
    assert world.core.leave(node) == 5 + world.state.ended_ns - node.t0
    assert node.cost_from_ns == 0
    assert world.core.leave(world.core.enter("act")) == 0


def test_the_cpu_time_of_a_span_is_the_threads(world: World) -> None:
    node = world.core.enter("act")
    node.cpu_from_ns = 1
    world.core.leave(node)
    assert node.cpu_count == 1
    assert node.cpu_ns > 0
    assert node.cpu_wall_ns == world.state.ended_ns - node.t0
    assert node.cpu_from_ns == 0


def test_what_is_not_innermost_is_closed_by_python(world: World) -> None:
    outer = world.core.enter("rollout")
    inner = world.core.enter("act")
    world.core.leave(outer)
    world.core.close_span(world.state, outer, 5, 0)
    assert world.left == [("out of order", "rollout", 1), ("out of order", "rollout", 0)]
    world.core.leave(inner)
    assert world.state.current is outer
    world.core.leave(outer)
    world.core.leave(world.state.root)
    assert world.left[2:] == [("out of order", "", 1)], "a root has no parent to go back to"


def test_every_thread_has_its_own_state(world: World) -> None:
    mine = world.span("act")
    theirs = []
    thread = threading.Thread(target=lambda: theirs.append(world.span("act")))
    thread.start()
    thread.join()
    assert theirs[0] is not mine
    assert world.span("act") is mine
    asked = world.found
    world.span("act")
    assert world.found == asked, "not asked while the thread stays the same"
    world.core.forget(world.state)
    assert world.span("act") is mine
    assert world.found == asked + 1


def forward(world: World, has_grad: bool) -> Any:
    """A wrapper, as the site is that of its caller."""
    node = world.core.enter_forward(lambda: has_grad)
    if node is not False:
        world.core.leave_forward(node)
    return node


def test_gradients_tell_what_a_forward_pass_is_for_then_what_follows_does(world: World) -> None:
    stages = []
    for follows in (False, False, True, False, True, True, True):
        stages.append(forward(world, has_grad=True).stage)
        world.core.settle_forward(follows)
    assert stages == ["learn.forward", "act", "act", "act", "act", "act", "act"]
    assert forward(world, has_grad=True).stage == "learn.forward", "another place"
    assert forward(world, has_grad=False).stage == "act"


def test_below_no_function_that_learns_a_pass_without_gradients_acts(world: World) -> None:
    for _ in range(300):
        assert forward(world, has_grad=False).stage == "act"
        forward(world, has_grad=True)
        world.core.settle_forward(True)


def test_passes_with_gradients_that_nothing_follows_are_no_longer_taken_for_learning(world: World) -> None:
    stages = [forward(world, has_grad=True).stage for _ in range(300)]
    assert stages == ["learn.forward"] * 128 + ["act"] * 172


class Learns:
    """Functions that learn, and one that plays and learns."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.seen: list[str] = []

    def forward(self, has_grad: bool) -> None:
        self.seen.append(forward(self.world, has_grad).stage)

    def ask(self, has_grad: bool) -> None:
        self.forward(has_grad)

    def backward(self) -> None:
        self.world.core.begin_backward(self.world.state)

    def update(self) -> None:
        for _ in range(200):
            self.ask(False)
        self.ask(True)
        self.backward()

    def play_and_learn(self, turns: int) -> None:
        for turn in range(turns):
            for _ in range(3):
                self.ask(False)
                self.world.core.settle_forward(False)
            self.ask(False)
            self.ask(True)
            if turn % 4:
                self.backward()

    def quiet_game(self, turns: int) -> None:
        """Its steps are not seen."""
        for turn in range(turns):
            self.ask(False)
            if turn > 10:
                self.ask(False)
                self.ask(True)
                self.backward()

    def taken(self) -> dict[str, int]:
        seen, self.seen = self.seen, []
        return {stage: seen.count(stage) for stage in sorted(set(seen))}


def test_all_passes_below_a_function_that_learns_are_for_learning_elsewhere_they_act(world: World) -> None:
    code = Learns(world)
    code.update()
    code.taken()
    for _ in range(3):
        for _ in range(200):
            code.ask(False)
        code.update()
    assert code.taken() == {"act": 600, "learn.forward": 603}
    for _ in range(10):
        code.ask(True)
        code.update()
    assert code.seen[-202] == "act", "a program that acts with gradients"


def test_where_one_function_does_both_its_lines_are_told_apart(world: World) -> None:
    code = Learns(world)
    code.play_and_learn(4)
    code.taken()
    code.play_and_learn(20)
    taken = code.taken()
    assert taken["act"] >= 60
    assert taken["learn.forward"] >= 20


def test_a_line_that_runs_without_an_update_acts_though_no_step_is_seen(world: World) -> None:
    code = Learns(world)
    code.quiet_game(100)
    assert code.taken() == {"act": 101, "learn.forward": 177}


def test_a_step_inside_a_function_that_learns_shows_that_it_does_both(world: World) -> None:
    code = Learns(world)

    def both() -> None:
        code.ask(False)
        world.core.settle_forward(False)
        code.ask(True)
        code.backward()

    for _ in range(10):
        both()
    assert code.taken() == {"act": 9, "learn.forward": 11}


def test_a_call_that_acts_by_its_name_has_its_own_stage_unless_it_learns(world: World) -> None:
    core = world.core

    def value() -> Any:
        node = core.enter_forward(None, sys.intern("act.value"))
        core.leave_forward(node)
        return node.stage

    def fit() -> None:
        seen.append(value())
        forward(world, has_grad=True)
        core.begin_backward(world.state)

    seen: list[str] = []
    for _ in range(3):
        fit()
    assert seen == ["act.value", "learn.forward", "learn.forward"]
    assert value() == "act.value"


def test_too_many_ways_to_a_pass_are_one(world: World) -> None:
    def dive(ways: int, depth: int) -> None:
        if depth == 0:
            assert forward(world, has_grad=False).stage == "act"
        elif ways & 1:
            dive(ways >> 1, depth - 1)
        else:
            dive(ways >> 1, depth - 1)

    for ways in range(5000):
        dive(ways, 13)


class Chain:
    """What a place of forward passes holds on to."""


def test_places_that_are_forgotten_are_freed_while_a_thread_refers_to_them(world: World) -> None:
    held: list[weakref.ref[Chain]] = []

    def guess(frame: Any, has_grad: bool) -> tuple[Chain, int, bool, bool]:
        chain = Chain()
        held.append(weakref.ref(chain))
        return chain, OPEN, has_grad, False

    answers = (guess, lambda *_: True, lambda *_: True)
    for _ in range(20):
        world.core.leave_forwards_to(*answers)
        forward(world, has_grad=True)
        forward(world, has_grad=True)
    world.core.leave_forwards_to(*answers)
    world.core.settle_forward(True)
    assert forward(world, has_grad=True).stage == "learn.forward"
    world.core.begin_backward(
        world.state
    )  # looks, and is told that something new is known: forgets once more
    world.core.leave_forwards_to(*learning_functions.ANSWERS)
    gc.collect()
    assert len(held) == 41
    assert [ref() for ref in held] == [None] * 41


def test_a_forward_pass_inside_another_or_inside_its_own_stage_has_no_span(world: World) -> None:
    outer = world.core.enter_forward(lambda: True)
    assert forward(world, has_grad=True) is False
    assert world.core.leave_forward(outer) == 1
    train = world.core.enter("learn.forward")
    inner = world.core.enter_forward(lambda: False)
    assert inner is None
    assert world.state.in_forward
    assert world.core.leave_forward(inner) == 0
    assert not world.state.in_forward
    world.core.leave(train)
    rollout = world.core.enter("rollout")
    assert forward(world, has_grad=True).stage == "act", "a rollout acts"
    world.core.leave(rollout)


def test_an_error_while_asking_leaves_no_trace(world: World) -> None:
    def fails() -> bool:
        raise KeyError("torch is unwell")

    assert world.core.enter_forward(fails) is False
    assert not world.state.in_forward
    assert world.state.current is world.state.root


def test_the_loss_is_the_time_before_a_backward_pass_that_no_stage_has(world: World) -> None:
    passed = forward(world, has_grad=True)
    ended = world.state.ended_ns
    other = world.span("log")
    world.core.begin_backward(world.state)
    loss = world.state.root.children["learn.loss"]
    assert loss.count == 1
    assert loss.t0 == ended + other.total_ns
    assert loss.total_ns > 0
    assert world.state.current is world.state.root
    world.core.begin_backward(world.state)
    assert loss.count == 1, "no forward pass came before it"
    assert passed.count == 1


@pytest.mark.parametrize("enclosing", ["learn.loss", "rollout"])
def test_inside_a_stage_the_loss_is_part_of_the_stage(world: World, enclosing: str) -> None:
    node = world.core.enter(enclosing)
    forward(world, has_grad=True)
    world.core.begin_backward(world.state)
    assert world.state.current is node
    assert "learn.loss" not in node.children


def step(world: World, node: Any, result: Any) -> None:
    world.core.count_step(world.state, node, ("env",), result)


def test_usual_steps_are_counted_unusual_ones_left_to_python(world: World) -> None:
    numpy = pytest.importorskip("numpy")
    node = world.span("env.step")
    step(world, node, (0, 0.0, False, {}))
    assert world.left == [("step", world.state, node, ("env",), (0, 0.0, False, {}))], "not known yet"
    world.left.clear()
    node.steps_key, node.episodes_key = "own_env_steps", "own_episodes"
    usual: list[Any] = [(0, 0.0, False, {}), (0, 0.0, True, {}), (0, 0.0, False, True, {})]
    usual += [(0, 0.0, True, False, {}), (0, 0.0, numpy.bool_(True), numpy.bool_(False), {})]
    usual += [(0, 0.0, False), (0, 0.0, True)]
    for result in usual:
        step(world, node, result)
    assert world.left == []
    assert world.state.counts == {"own_env_steps": 7, "own_episodes": 5}
    assert world.core.last_progress_ns() == world.state.ended_ns > 0
    unusual: list[Any] = [None, (0, True), [0, 0.0, True, {}], (0, 0.0, numpy.array([1]), {})]
    unusual += [(0, 0.0, 1, {}), (0, 0.0, False, None, {}), (0, 0.0, [True], False, {}), (0, 0.0, [1], {})]
    unusual += [(0, 0.0, [True], [False, False], {}), (0, 0.0, [True], numpy.array([True]), {})]
    unusual += [
        (0, 0.0, numpy.ones(2, bool), numpy.ones(3, bool), {}),
        (0, 0.0, numpy.ones((1, 1), bool), {}),
    ]
    unusual += [(0, 0.0, numpy.ones(8, bool)[::2], {}), (0, 0.0, numpy.ones(2, bool), None, {})]
    for result in unusual:
        step(world, node, result)
    assert [left[-1] for left in world.left] == unusual
    assert world.state.counts["own_env_steps"] == 7


@pytest.mark.parametrize("parts", [3, 4, 5])
@pytest.mark.parametrize("kind", [list, tuple, "array"])
def test_steps_of_many_environments_are_counted_at_once(world: World, kind: Any, parts: int) -> None:
    numpy = pytest.importorskip("numpy")
    make = (lambda values: numpy.array(values, dtype=bool)) if kind == "array" else kind
    node = world.span("env.step")
    node.steps_key, node.episodes_key = "own_env_steps", "own_episodes"
    for size in range(4):
        for flags in itertools.product((False, True), repeat=2 * size):
            done, cut = make(flags[:size]), make(flags[size:])
            result = {3: (0, 0.0, done), 4: (0, 0.0, done, {}), 5: (0, 0.0, done, cut, {})}[parts]
            counts = world.state.counts
            counts.clear()
            step(world, node, result)
            assert (counts["own_env_steps"], counts.get("own_episodes", 0)) == read_step(result)
    assert world.left == [], "none of them was left to Python"


@pytest.mark.parametrize("keys", [("own_env_steps", None), (None, "own_episodes"), (None, None)])
@pytest.mark.parametrize("result", [(0, 0.0, True, {}), (0, 0.0, [True, True], {})])
def test_a_node_without_both_keys_is_left_to_python(world: World, keys: Any, result: Any) -> None:
    node = world.span("env.step")
    for name, key in zip(("steps_key", "episodes_key"), keys, strict=True):
        if key is not None:
            setattr(node, name, key)
    step(world, node, result)
    node.steps_key, node.episodes_key = keys
    step(world, node, result)
    assert world.left == [("step", world.state, node, ("env",), result)] * 2
    assert world.state.counts == {}


def test_a_step_ends_what_came_before(world: World) -> None:
    acting = forward(world, has_grad=True)
    node = world.span("env.step")
    node.steps_key, node.episodes_key = "own_env_steps", "own_episodes"
    step(world, node, (0, 0.0, False, {}))
    world.core.begin_backward(world.state)
    assert "learn.loss" not in world.state.root.children, "the forward pass was for acting"
    assert acting.count == 1


def test_one_of_many_steps_and_while_all_are_watched_each_is_left_to_python(world: World) -> None:
    node = world.span("env.step")
    node.steps_key, node.episodes_key = "own_env_steps", "own_episodes"
    asked = []
    for node.count in range(1, 1025):
        left = len(world.left)
        step(world, node, (0, 0.0, False, {}))
        asked += [node.count] * (len(world.left) - left)
    assert asked == list(range(LOOK_AT_STEP, 1025, LOOK_AT_STEP_EVERY))
    assert world.state.counts["own_env_steps"] == 1020
    world.core.set_watched(True)
    step(world, node, (0, 0.0, False, {}))
    assert len(world.left) == 5


def test_updates_are_counted_by_their_optimizer(world: World) -> None:
    node = world.span("learn.optimizer")
    actor, critic = object(), object()
    world.core.count_update(world.state, node, (actor,), None)
    assert world.left == [("update", world.state, node, (actor,), None)], "not known yet"
    world.update_keys.update({id(actor): "updates:a", id(critic): "updates:c"})
    for node.count in range(2, LOOK_EVERY + 2):
        world.core.count_update(world.state, node, (actor,), None)
        world.core.count_update(world.state, node, (critic,), None)
    assert world.state.counts == {"updates:a": LOOK_EVERY - 1, "updates:c": LOOK_EVERY - 1}
    assert len(world.left) == 3, "one in so many is looked at"
    world.core.count_update(world.state, node, (), None)
    assert len(world.left) == 4
    assert world.core.last_progress_ns() == world.state.ended_ns


def test_counters_start_at_one(world: World) -> None:
    for _ in range(3):
        world.core.count_one("fact")
    assert world.state.counts == {"fact": 3}


def test_a_counted_method_is_still_a_method(world: World) -> None:
    class Tensor:
        def __init__(self, value: float) -> None:
            self.value = value

        def item(self, scale: float = 1.0) -> float:
            """The one value."""
            return self.value * scale

        def __bool__(self) -> bool:
            return self.value != 0

    real = Tensor.item
    item, truth = (
        world.core.counted_call(Tensor.item, "reads"),
        world.core.counted_call(Tensor.__bool__, "truths"),
    )
    Tensor.item, Tensor.__bool__ = item, truth  # type: ignore[method-assign]
    tensor = Tensor(2.0)
    bound = tensor.item
    assert (tensor.item(), tensor.item(scale=2.0), bound(3.0), Tensor.item(tensor)) == (2.0, 4.0, 6.0, 2.0)
    assert bool(tensor)
    assert not Tensor(0.0)
    assert world.state.counts == {"reads": 4, "truths": 2}
    assert (item.__name__, item.__doc__) == (real.__name__, real.__doc__)
    with pytest.raises(TypeError):
        tensor.item(1, 2)  # type: ignore[call-arg]


def test_the_outermost_module_is_a_span_and_its_layers_are_called_directly(world: World) -> None:
    if world.core is IN_PYTHON:
        assert world.core.forward_call(len, bool, print) is len, "what stands there does it all"
        return
    calls: list[Any] = []
    looked: list[Any] = []

    class Layer:
        def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
            calls.append((world.state.current.stage, world.state.in_forward, args, kwargs))
            if args[0] == "outer":
                return self("inner")  # type: ignore[operator]
            return 1 / args[0] if args[0] == 0 else args[0]

    def in_python(self: Any, *args: Any) -> str:
        return "with a frame"

    Layer.__call__ = world.core.forward_call(in_python, lambda: True, lambda *given: looked.append(given))  # type: ignore[attr-defined]
    layer: Any = Layer()
    for _ in range(LOOK_EVERY + 1):
        assert layer("outer", a=2) == "inner"
    node = world.state.root.children["learn.forward"]
    assert node.count == LOOK_EVERY + 1, "one place, one span each; layers inside are no spans"
    assert calls[:2] == [
        ("learn.forward", True, ("outer",), {"a": 2}),
        ("learn.forward", True, ("inner",), {}),
    ]
    assert looked == [("learn.forward", "outer")] * 2
    assert (world.state.current, world.state.in_forward) == (world.state.root, False)
    with pytest.raises(ZeroDivisionError):
        layer(0)
    assert (world.state.current, world.state.in_forward) == (world.state.root, False)
    world.core.watch_forward(True)
    assert layer("outer") == "with a frame"
    world.core.watch_forward(False)


def test_a_wait_is_counted_for_who_ended_it(world: World) -> None:
    for waker in ("t:7", "t:8", "t:7"):
        node = world.core.enter_wait("wait")
        assert world.core.enter_wait("wait") is None
        assert world.core.enter_wait("vec.wait") is None, "a wait inside a wait is part of it"
        world.core.leave_as(node, "".join(["t", waker[1:]]))
        assert world.state.current is world.state.root
    children = world.state.root.children
    assert (node.count, children["wait", "t:7"].count, children["wait", "t:8"].count) == (0, 2, 1)
    assert node.total_ns == 0
    assert world.state.top_ns == children["wait", "t:7"].total_ns + children["wait", "t:8"].total_ns > 0
    unknown = world.core.enter_wait("wait")
    world.core.leave_as(unknown, "")
    assert node.count == 1


def test_what_a_snapshot_has_written_of_a_wait_stays_where_it_is(world: World) -> None:
    node = world.core.enter_wait("wait")
    world.core.set_snapshot_ns(node.t0 + 1)
    begun = node.t0
    world.core.leave_as(node, "t:7")
    rest = world.state.root.children["wait", "t:7"]
    assert node.total_ns == 1
    assert rest.t0 == begun + 1
    assert world.state.top_ns == rest.total_ns + 1


def test_a_wait_that_is_not_innermost_is_closed_by_python(world: World) -> None:
    node = world.core.enter_wait("wait")
    world.core.enter("act")
    world.core.leave_as(node, "t:7")
    assert world.left == [("out of order", "wait", 1)]


class End:
    """One end of a pipe."""

    def __init__(self, number: int, is_closed: bool = False) -> None:
        self.number, self.is_closed = number, is_closed


def test_spans_at_a_pipes_end_name_it(world: World) -> None:
    one, other, send = End(1), End(2), sys.intern("vec.send")
    for end in (one, other, one):
        node = world.core.enter_end(send, end)
        assert node.detail == f"pipe:{end.number}"
        assert world.core.enter_end(send, other) is None, "sending is one span, however it is made"
        world.core.leave(node)
    assert world.state.root.children["vec.send", "pipe:1"].count == 2
    assert world.core.enter_end(send, End(3, is_closed=True)) is None, "the real method says so better"
    recv = world.core.enter("vec.recv")
    assert world.core.enter_end(sys.intern("vec.wait"), one).parent is recv
    assert world.core.enter_end(send, one) is None, "inside a wait"


def test_commands_are_counted_by_name_new_ones_left_to_python(world: World) -> None:
    world.command_keys["step"] = "fact_n:command step"
    for message in [("step", 3), ("step", None), ("reset",), (), "step", (3, "step"), ["step"]]:
        world.core.count_command(message)
    assert world.state.counts == {"fact_n:command step": 2}
    assert world.left == [("command", ("reset",))]


def test_some_things_are_done_rarely(world: World) -> None:
    seen: list[Any] = []
    look = world.core.rare_call(lambda state, node, args, result: seen.append((node.count, result)))
    node = world.span("act")
    for node.count in range(1, 2 * LOOK_EVERY):
        look(world.state, node, (), "done")
    assert seen == [(1, "done"), (LOOK_EVERY + 1, "done")]


def test_a_waker_leaves_its_name_even_before_it_has_a_state(world: World) -> None:
    class Condition:
        def notify(self, n: int = 1) -> int:
            return n

    Condition.notify = world.core.waker_call(Condition.notify)  # type: ignore[method-assign]
    condition: Any = Condition()
    world.state.waker = f"t:{threading.get_native_id()}"
    assert condition.notify(3) == 3
    assert condition._goldsplit_waker == f"t:{threading.get_native_id()}"
    names = []
    known = len(world.states)

    def begin() -> None:
        condition.notify()
        names.append(f"t:{threading.get_native_id()}")

    thread = threading.Thread(target=begin)
    thread.start()
    thread.join()
    assert [condition._goldsplit_waker] == names
    assert len(world.states) == known


def test_messages_are_counted_with_their_sizes(world: World) -> None:
    sent = []

    class Connection:
        def _send_bytes(self, buf: bytes) -> None:
            sent.append(buf)

    Connection._send_bytes = world.core.sized_call(Connection._send_bytes, "n", "bytes")  # type: ignore[method-assign]
    Connection()._send_bytes(b"abc")
    Connection()._send_bytes(b"de")
    assert sent == [b"abc", b"de"]
    assert world.state.counts == {"n": 2, "bytes": 5}


@pytest.mark.parametrize("wrong", [None, 3, "act"])
def test_what_is_no_node_is_refused(world: World, wrong: Any) -> None:
    with pytest.raises((TypeError, AttributeError)):
        world.core.leave(wrong)
    with pytest.raises((TypeError, AttributeError)):
        world.core.leave_as(wrong, "pipe:1")
    for do in (world.core.open_span, world.core.close_span, world.core.add_span):
        with pytest.raises((TypeError, AttributeError)):
            do(world.state, wrong, 5)
        with pytest.raises((TypeError, AttributeError)):
            do(wrong, wrong, 5)


def test_nodes_and_states_are_freed(world: World) -> None:
    """They are part of cycles: parents and children know each other."""
    for _ in range(50):
        parent = world.node_type("rollout", None)
        parent.children["act"] = world.node_type("act", parent)
    gc.collect()
    alive = [thing for thing in gc.get_objects() if type(thing) is world.node_type]
    assert len(alive) <= 3


def segments_of(world: World, inner: Any, stage: str = "env.step") -> Any:
    class Segments(world.core.SegmentsCore):  # type: ignore[name-defined,misc]
        __slots__ = ("told",)

        def ended(self) -> None:
            self.told += 1

    segments = Segments()
    segments.inner, segments.stage, segments.told = inner, sys.intern(stage), 0
    return segments


def test_segments_are_spans_of_which_the_last_counts(world: World) -> None:
    def talk() -> Iterator[str]:
        seen.append(world.state.current.stage)
        got = yield "first"
        seen.append(world.state.current.stage)
        yield got
        seen.append(world.state.current.stage)
        return "result"

    seen: list[str] = []
    segments = segments_of(world, talk())
    assert iter(segments) is segments
    assert next(segments) == "first"
    node = world.state.root.children["env.step"]
    assert (world.state.current, node.count, segments.told) == (world.state.root, 0, 0)
    first_ns = node.total_ns
    assert first_ns > 0
    assert segments.resume(segments.inner.send, "hello") == "hello"
    with pytest.raises(StopIteration) as end:
        next(segments)
    assert end.value.value == "result"
    assert seen == ["env.step"] * 3
    assert (node.count, segments.told) == (1, 1)
    assert node.total_ns > first_ns


def test_segments_inside_their_own_stage_have_no_span_but_an_end(world: World) -> None:
    segments = segments_of(world, iter([1]))
    outer = world.core.enter(sys.intern("env.step"))
    assert list(segments) == [1]
    world.core.leave(outer)
    assert (outer.count, outer.children, segments.told) == (1, {}, 1)


def test_what_a_segment_raises_goes_on(world: World) -> None:
    def fails() -> Iterator[None]:
        yield
        raise KeyError("x")

    segments = segments_of(world, fails())
    next(segments)
    with pytest.raises(KeyError, match="x"):
        next(segments)
    thrown = segments_of(world, fails(), "act")
    with pytest.raises(ValueError, match="thrown"):
        thrown.resume(thrown.inner.throw, ValueError("thrown"))
    assert (segments.told, thrown.told) == (1, 1)
    assert world.state.current is world.state.root


def test_segments_can_be_awaited_and_forgotten(world: World) -> None:
    async def ask() -> str:
        return str(await segments_of(world, answer().__await__()))

    async def answer() -> str:
        return "yes"

    with pytest.raises(StopIteration, match="yes"):
        ask().send(None)
    unset = world.core.SegmentsCore()
    with pytest.raises((TypeError, AttributeError)):
        next(unset)


def test_borders_of_one_thread_are_told_before_a_span_and_after_it(world: World) -> None:
    told: list[tuple[str, bool, str]] = []
    world.core.watch_borders(
        lambda node, closing: told.append((node.stage, closing, world.state.current.stage)), world.state
    )
    outer, inner = world.core.enter("env.step"), world.core.enter("act")
    world.core.leave(inner)
    world.core.watch_borders(None, None)
    world.core.leave(outer)
    assert told == [("env.step", False, ""), ("act", False, "env.step"), ("act", True, "env.step")]


def test_a_border_that_fails_does_no_harm(world: World) -> None:
    def fail(node: Any, closing: bool) -> None:
        raise ValueError("no")

    world.core.watch_borders(fail, world.state)
    node = world.core.enter("act")
    world.core.leave(node)
    world.core.watch_borders(None, None)
    assert node.count == 1
    assert world.state.current is world.state.root


def test_borders_of_other_threads_are_not_told(world: World) -> None:
    told: list[Any] = []
    world.core.watch_borders(lambda node, closing: told.append(node), type(world.state)())
    world.core.leave(world.core.enter("act"))
    world.core.watch_borders(None, None)
    assert told == []
