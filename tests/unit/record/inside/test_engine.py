"""The engine: open spans, their totals, and what happens when they do not close in order."""

from __future__ import annotations

import threading

import pytest

from goldsplit.record.inside import engine as engine_module
from goldsplit.record.inside.core.packing import RAW_SPAN
from goldsplit.record.inside.engine import ENGINE, MAX_DETAILS, RAW_CAP, Node, ThreadState


def path(node: Node | None) -> list[str]:
    names = []
    while node is not None and node.parent is not None:
        names.append(node.stage)
        node = node.parent
    return names[::-1]


def top_level_ns(state: ThreadState) -> int:
    return sum(node.total_ns for node in state.root.children.values())


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A clock that tests move by hand."""
    now = [1_000]
    monkeypatch.setattr(engine_module, "clock", lambda: now[0])
    return now


def test_nested_spans_are_nodes_on_their_path(state: ThreadState, clock: list[int]) -> None:
    outer = state.enter("rollout")
    clock[0] += 10
    inner = state.enter("env.step")
    assert path(state.current) == ["rollout", "env.step"]
    clock[0] += 30
    state.leave(inner)
    clock[0] += 5
    state.leave(outer)
    assert (outer.count, outer.total_ns) == (1, 45)
    assert (inner.count, inner.total_ns) == (1, 30)
    assert state.current is state.root


def test_the_same_stage_on_two_paths_is_two_nodes(state: ThreadState) -> None:
    rollout = state.enter("rollout")
    below = state.enter("act")
    state.leave(below)
    state.leave(rollout)
    alone = state.enter("act")
    state.leave(alone)
    assert below is not alone
    assert [node.stage for node in state.nodes].count("act") == 2


def test_indirect_recursion_gives_each_level_its_own_node(state: ThreadState, clock: list[int]) -> None:
    opened = []
    for stage in ("env.step", "env.opponent", "env.step"):
        opened.append(state.enter(stage))
        clock[0] += 10
    for node in reversed(opened):
        state.leave(node)
    assert [node.total_ns for node in opened] == [30, 20, 10]
    assert opened[0] is not opened[2]


def test_a_span_closed_early_splits_what_lies_above_it(state: ThreadState, clock: list[int]) -> None:
    late = state.enter("a")
    clock[0] += 10
    above = state.enter("b")
    clock[0] += 10
    state.leave(late)  # a generator that was closed while `b` was open
    assert late.total_ns == 20
    assert above.total_ns == 10
    clock[0] += 7
    state.leave(above)
    assert state.current is state.root, "`b` has ended, nothing may stay open"
    assert top_level_ns(state) == 27, "every instant is counted once"
    assert sum(node.count for node in state.nodes if node.stage == "b") == 1


def test_many_spans_closed_in_any_order_leave_nothing_open(state: ThreadState, clock: list[int]) -> None:
    opened = []
    for stage in "abcd":
        opened.append(state.enter(stage))
        clock[0] += 1
    for place in (1, 0, 3, 2):
        state.leave(opened[place])
        clock[0] += 1
    assert state.current is state.root
    assert top_level_ns(state) == clock[0] - 1_000 - 1, "all time from the first enter to the last leave"


def test_a_span_that_is_not_open_here_is_not_counted(state: ThreadState) -> None:
    stranger = Node(99, "a", state.root)
    open_node = state.enter("b")
    state.leave(stranger)
    assert stranger.count == 0
    assert state.current is open_node


def test_a_span_that_closes_early_but_goes_on_is_not_counted_yet(
    state: ThreadState, clock: list[int]
) -> None:
    """The segment of a generator that was suspended while a span was open inside it."""
    segment, above = state.enter("a"), state.enter("b")
    clock[0] += 10
    state.close_out_of_order(segment, clock[0], 0)
    assert (segment.count, segment.total_ns) == (0, 10)
    state.leave(above)
    assert state.current is state.root


def test_the_root_is_no_span(state: ThreadState) -> None:
    open_node = state.enter("a")
    state.leave(state.root)
    assert (state.current, state.root.count, open_node.count) == (open_node, 0, 0)


def test_a_coroutines_life_is_counted_once(state: ThreadState, clock: list[int]) -> None:
    task = state.child(state.tasks, "env.step")
    state.open_tasks[clock[0]] = (task, clock[0])
    clock[0] += 40
    for _ in range(2):
        state.end_task(task, 1_000)
    assert (task.count, task.total_ns, state.top_ns) == (1, 40, 0)


def test_details_beyond_the_cap_are_merged(state: ThreadState) -> None:
    for number in range(MAX_DETAILS + 50):
        state.leave(state.enter("vec.wait", f"pipe:{number}"))
    assert len(state.root.children) <= MAX_DETAILS + 1
    assert sum(node.count for node in state.root.children.values()) == MAX_DETAILS + 50


def test_each_thread_has_its_own_state(state: ThreadState) -> None:
    seen: list[ThreadState] = []

    def work() -> None:
        mine = ENGINE.state()
        mine.leave(mine.enter("env.step"))
        seen.append(mine)

    open_node = state.enter("act")
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(one) for one in seen}) == 4
    assert len({one.index for one in [state, *seen]}) == 5
    assert all(path(one.current) == [] for one in seen)
    assert state.current is open_node, "other threads' spans do not touch ours"


def test_a_full_raw_window_ends_early_but_whole(state: ThreadState, clock: list[int]) -> None:
    state.raw = bytearray()
    outer = state.enter("rollout")
    started = clock[0]
    for _ in range(RAW_CAP + 10):
        inner = state.enter("env.step")
        clock[0] += 2
        state.leave(inner)
    assert state.raw is None
    assert state.raw_done is not None
    spans = [(node, t0, t0 + elapsed) for node, t0, elapsed in RAW_SPAN.iter_unpack(state.raw_done)]
    assert max(end for *_, end in spans) == state.raw_cut_ns
    assert (outer.id, started, state.raw_cut_ns) in spans, "the open span is there up to the cut"
    assert len(spans) == RAW_CAP + 1


def test_open_coroutines_belong_to_a_raw_window_too(state: ThreadState) -> None:
    task = state.child(state.tasks, "env.step")
    state.open_tasks[1] = (task, 500)
    raw = bytearray()
    state.add_open_spans(raw, 700)
    assert raw == RAW_SPAN.pack(task.id, 500, 200)


def test_forget_starts_over(state: ThreadState) -> None:
    state.enter("act")
    ENGINE.events.append({"k": "note", "text": "x"})
    ENGINE.forget()
    assert ENGINE.threads == []
    assert ENGINE.events == []
    assert ENGINE.state() is not state


def test_threads_that_follow_each_other_have_states_of_their_own() -> None:
    """The system gives the identity of a thread that has ended to the next one."""
    seen: list[tuple[int, ThreadState]] = []

    def work() -> None:
        seen.append((threading.get_ident(), ENGINE.state()))

    for _ in range(20):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert len({ident for ident, _ in seen}) < len(seen), "else this test shows nothing"
    assert len({id(state) for _, state in seen}) == len(seen)
    assert not {ident for ident, _ in seen} & ENGINE.by_ident.keys()


def test_threads_in_turn_find_their_own_states() -> None:
    here = ENGINE.state()
    asked, answered, seen = threading.Event(), threading.Event(), []

    def work() -> None:
        seen.append(ENGINE.state())
        answered.set()
        asked.wait()
        seen.append(ENGINE.state())

    thread = threading.Thread(target=work)
    thread.start()
    answered.wait()
    assert ENGINE.state() is here
    asked.set()
    thread.join()
    assert seen[0] is seen[1]
    assert seen[0] is not here
    assert ENGINE.state() is here
