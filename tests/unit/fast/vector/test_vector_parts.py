"""The parts below the vector environment: leaves, memory, infos, sampling, requests, the start-up choice."""

from __future__ import annotations

import random
import threading
import time
from itertools import pairwise
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from goldsplit.fast.vector import sample_masked
from goldsplit.fast.vector.calibrate import (
    StepCost,
    best_kind,
    choose,
    obvious_choice,
    typical_ns,
)
from goldsplit.fast.vector.infos import make_policy, merge_infos
from goldsplit.fast.vector.leaves import leaves_of, row_of, row_writer, split_rows, take_rows
from goldsplit.fast.vector.memory import (
    ALIGNMENT_BYTES,
    BufferSpec,
    block_size,
    parse_info_fields,
    private_buffers,
)
from goldsplit.fast.vector.probe import probe
from goldsplit.fast.vector.requests import needed_envs, plan_reset, whole_workers
from goldsplit.fast.vector.shares import owners, split_evenly
from goldsplit.fast.vector.sync import SPIN_US, Waiting, default_spin_us, pretend

# Leaves and memory


def test_leaves_name_where_they_are() -> None:
    space = spaces.Dict({"a": spaces.Tuple((spaces.Discrete(3), spaces.Box(0, 1, (2, 2), np.float32)))})
    assert [(leaf.path, leaf.shape) for leaf in leaves_of(space, "observation")] == [
        ("observation['a'][0]", ()),
        ("observation['a'][1]", (2, 2)),
    ]


def test_a_space_without_fixed_size_is_refused_with_a_hint() -> None:
    with pytest.raises(TypeError, match=r"observation\['text'\] is a Text space(.|\n)*hint:"):
        leaves_of(spaces.Dict({"text": spaces.Text(5)}), "observation")


def test_rows_are_private_copies() -> None:
    tree = {"a": np.arange(6.0).reshape(3, 2), "b": (np.arange(3),)}
    rows = split_rows(tree)
    kept, taken = row_of(tree, 1), take_rows(tree, np.array([2, 0]))
    tree["a"][:] = -1
    tree["b"][0][:] = -1
    assert [row["a"].tolist() for row in rows] == [[0, 1], [2, 3], [4, 5]]
    assert [int(row["b"][0]) for row in rows] == [0, 1, 2]
    assert kept["a"].tolist() == [2, 3]
    assert taken["a"].tolist() == [[4, 5], [0, 1]]


def test_a_row_writer_takes_lists_and_safe_casts_but_no_broadcast() -> None:
    tree = {"a": np.zeros((2, 3), np.float32)}
    write = row_writer(tree, "observation")
    write(1, {"a": [1, 2, 3]})
    write(0, {"a": np.array([4.0, 5.0, 6.0])})
    assert tree["a"].tolist() == [[4, 5, 6], [1, 2, 3]]
    with pytest.raises(ValueError, match=r"observation\['a'\] has shape \(\), but the space says \(3,\)"):
        write(0, {"a": 7.0})
    whole = row_writer(np.zeros((1, 2), np.int64), "observation")
    with pytest.raises(ValueError, match="dtype float64, but the space says int64: values would be cut"):
        whole(0, np.array([0.5, 0.7]))


def test_arrays_of_a_block_do_not_overlap_and_are_aligned() -> None:
    fields = {"k": ((2,), np.dtype(np.int16))}
    spec = BufferSpec(spaces.Box(0, 1, (3,), np.float32), spaces.Discrete(5), 3, 2, True, 5, fields)
    buffers = private_buffers(spec)
    arrays = [buffers.observations, buffers.finals, buffers.actions, buffers.rewards, buffers.terminations]
    arrays += [buffers.truncations, buffers.masks, buffers.command, buffers.announce, buffers.reply]
    arrays += [buffers.progress, buffers.rehearsal_ns, buffers.info_values["k"], buffers.info_present["k"]]
    starts = [array.__array_interface__["data"][0] for array in arrays]
    ends = [start + array.nbytes for start, array in zip(starts, arrays, strict=True)]
    spans = sorted(zip(starts, ends, strict=True))
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert {(start - min(starts)) % ALIGNMENT_BYTES for start in starts} == {0}
    assert max(ends) - min(starts) <= block_size(spec)
    for number, array in enumerate(arrays):
        array[...] = number % 2
    assert all((array == number % 2).all() for number, array in enumerate(arrays))


def test_info_keys_of_type_object_are_refused() -> None:
    assert parse_info_fields(["a"]) == {}
    assert parse_info_fields({"a": np.float32, "b": ((2,), "i4")}) == {
        "a": ((), np.dtype(np.float32)),
        "b": ((2,), np.dtype(np.int32)),
    }
    with pytest.raises(TypeError, match=r"info_keys\['a'\] has dtype object"):
        parse_info_fields({"a": object})


# Infos

numbers = st.one_of(st.integers(-1000, 1000), st.booleans(), st.floats(-1e6, 1e6))
others = st.one_of(st.text(max_size=3), st.none(), st.just(np.arange(3)), st.lists(numbers, max_size=2))
values = st.one_of(numbers, numbers.map(np.float64), others)
infos = st.dictionaries(st.sampled_from("abcd"), values, max_size=4)
same_keys = st.fixed_dictionaries({"x": st.floats(0, 1), "y": st.integers(0, 9), "z": st.text(max_size=2)})


class Silent(gym.Env[Any, Any]):
    observation_space = spaces.Discrete(2)
    action_space = spaces.Discrete(2)


@settings(max_examples=150)
@given(st.lists(st.one_of(infos, same_keys), min_size=1, max_size=4))
def test_merging_equals_gymnasium(batch: list[dict[str, Any]]) -> None:
    """Whatever Gymnasium makes of a batch of infos, arrays and errors alike."""
    reference = SyncVectorEnv([Silent] * len(batch))
    expected: dict[str, Any] = {}
    try:
        for index, info in enumerate(batch):
            expected = reference._add_info(expected, info, index)
    except (TypeError, ValueError):
        with pytest.raises((TypeError, ValueError)):
            merge_infos(list(enumerate(batch)), len(batch))
        return
    found = merge_infos(list(enumerate(batch)), len(batch))
    assert found.keys() == expected.keys()
    for key, column in expected.items():
        assert found[key].dtype == column.dtype, key
        assert found[key].shape == column.shape, key
        assert [repr(value) for value in found[key]] == [repr(value) for value in column], key


def test_an_unknown_info_mode_and_a_bare_string_are_refused() -> None:
    with pytest.raises(ValueError, match=r"info='all' is not a mode(.|\n)*'final', 'lean', 'full'"):
        make_policy("all", ())
    with pytest.raises(TypeError, match=r"hint: info_keys=\('score',\)"):
        make_policy("lean", "score")


# Sampling


def test_masked_samples_are_uniform_over_the_legal_actions() -> None:
    masks = np.tile([[True, False, True, True, False]], (6000, 1))
    actions = sample_masked(spaces.Discrete(5), masks, np.random.default_rng(0))
    counts = np.bincount(actions, minlength=5)
    assert counts[[1, 4]].tolist() == [0, 0]
    expected = 2000
    assert ((counts[[0, 2, 3]] - expected) ** 2 / expected).sum() < 13.8  # chi-square, 2 degrees, p = 0.001


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_masked_samples_are_legal_in_every_part(seed: int, count: int, parts: list[int]) -> None:
    rng = np.random.default_rng(seed)
    masks = rng.random((count, sum(parts))) < 0.5
    borders = np.cumsum([0, *parts])
    for low, high in pairwise(borders):
        masks[np.arange(count), rng.integers(low, high, count)] = True
    actions = sample_masked(spaces.MultiDiscrete(parts), masks, rng)
    assert actions.shape == (count, len(parts))
    for at, low in enumerate(borders[:-1]):
        assert masks[np.arange(count), low + actions[:, at]].all()


def test_a_row_without_a_legal_action_is_named() -> None:
    masks = np.array([[True, False], [False, False]])
    with pytest.raises(ValueError, match=r"no action is allowed for environments \[1\]"):
        sample_masked(spaces.Discrete(2), masks, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"masks have shape \(2, 2\), expected \(environments, 3\)"):
        sample_masked(spaces.Discrete(3), masks, np.random.default_rng(0))
    with pytest.raises(TypeError, match="masks need a Discrete"):
        sample_masked(spaces.Box(0, 1, (2,)), masks, np.random.default_rng(0))


# Requests


def test_seeds_go_by_environment() -> None:
    assert plan_reset(5, None, 3).seeds == [5, 6, 7]
    assert plan_reset([4, None, 9], None, 3).seeds == [4, None, 9]
    with pytest.raises(ValueError, match="seed has 2 entries for 3 environments"):
        plan_reset([1, 2], None, 3)


def test_a_reset_mask_is_checked_and_the_callers_options_are_left_alone() -> None:
    options = {"reset_mask": np.array([True, False]), "level": 1}
    request = plan_reset(None, options, 2)
    assert request.chosen == [True, False]
    assert request.options == [{"level": 1}] * 2
    assert "reset_mask" in options
    for bad in ([True, False], np.array([1, 0]), np.array([True])):
        with pytest.raises(ValueError, match=r"must be a bool array of shape \(2,\)"):
            plan_reset(None, {"reset_mask": bad}, 2)
    with pytest.raises(ValueError, match="chooses no environment"):
        plan_reset(None, {"reset_mask": np.zeros(2, bool)}, 2)


def test_a_part_of_a_worker_cannot_step_alone() -> None:
    spans, worker_of = [range(2), range(2, 5)], [0, 0, 1, 1, 1]
    assert whole_workers(np.array([4, 2, 3]), spans, worker_of) == [1]
    with pytest.raises(ValueError, match=r"part of what its workers hold: \[\[2, 3, 4\]\](.|\n)*hint:"):
        whole_workers(np.array([2, 3]), spans, worker_of)
    assert [needed_envs(share, 8) for share in (0.01, 0.5, 0.51, 1.0)] == [1, 4, 5, 8]
    with pytest.raises(ValueError, match="must be above 0 and at most 1"):
        needed_envs(0.0, 8)


# The choice at start-up


def test_the_side_that_rehearses_faster_is_chosen() -> None:
    cost = StepCost(50.0, 1.0)
    rehearsed: list[int] = []
    choice = choose(cost, 16, rehearsed.append, "mixed", 2)  # processes that take no time at all
    assert (choice.backend, choice.workers, choice.step_us) == ("mixed", 2, 50.0)
    assert set(rehearsed) == {50_000}
    slow = choose(cost, 2, lambda step_ns: pretend(40 * step_ns), "mixed", 2)
    assert (slow.backend, slow.workers) == ("inprocess", 0)


def test_the_caller_steps_some_only_where_environments_compute() -> None:
    assert best_kind(StepCost(50.0, 1.0), 2) == "mixed"
    assert best_kind(StepCost(50.0, 1.0), 1) == "workers"
    assert best_kind(StepCost(50.0, 0.01), 2) == "workers"


def test_environments_are_split_evenly_in_runs() -> None:
    assert split_evenly(5, 2) == [range(2), range(2, 5)]
    assert split_evenly(3, 3) == [range(1), range(1, 2), range(2, 3)]
    assert owners(split_evenly(5, 2)) == [0, 0, 1, 1, 1]


def test_waiting_environments_are_rehearsed_asleep_and_long_steps_shortened() -> None:
    rehearsed: list[int] = []
    choose(StepCost(10_000.0, 0.1), 5, rehearsed.append, "workers", 2)
    assert set(rehearsed) == {-400_000}


def test_no_worker_is_started_where_none_could_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldsplit.fast.vector.calibrate.available_cores", lambda: 4)
    busy, waiting = StepCost(50.0, 1.0), StepCost(50.0, 0.01)
    tiny = obvious_choice(StepCost(0.5, 1.0), 8, 4)
    assert tiny is not None
    assert tiny.backend == "inprocess"
    assert obvious_choice(busy, 8, 4) is None
    assert obvious_choice(busy, 8, 1) is not None
    assert obvious_choice(waiting, 8, 1) is None


def test_spinning_needs_a_core_for_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldsplit.fast.vector.sync.available_cores", lambda: 4)
    assert default_spin_us(processes=4) == SPIN_US
    assert default_spin_us(processes=5) == 0


class Gate:
    """A semaphore with a clock of its own: opens so long after each wait began, for spinners and sleepers."""

    def __init__(self) -> None:
        self.now_ns = self.opens_ns = self.tries = 0

    def clock_ns(self) -> int:
        self.now_ns += 100
        return self.now_ns

    def acquire(self, blocks: bool, timeout_seconds: float | None = None) -> bool:
        self.tries += not blocks
        if blocks:
            self.now_ns = max(self.now_ns, self.opens_ns)
        return self.now_ns >= self.opens_ns

    def spins_in_a_wait(self, waiting: Waiting, wait_us: float) -> bool:
        before, self.opens_ns = self.tries, self.now_ns + round(wait_us * 1000)
        assert waiting.acquire(self, None)
        return self.tries > before


def test_waits_are_spun_until_two_in_a_row_were_long_and_again_after_a_short_one() -> None:
    gate = Gate()
    waiting = Waiting(spin_us=50.0, clock_ns=gate.clock_ns)
    waits_us = [5, 90, 5, 90, 90, 90, 90, 20, 90, 5]
    spun = [gate.spins_in_a_wait(waiting, wait_us) for wait_us in waits_us]
    assert spun == [True, True, True, True, True, False, False, False, True, True]


def test_a_spin_ends_at_its_limit_and_none_is_begun_without_one() -> None:
    gate = Gate()
    waiting = Waiting(spin_us=2.0, clock_ns=gate.clock_ns)
    assert gate.spins_in_a_wait(waiting, 1000.0)
    assert gate.tries == 20  # one look at the clock, of 0.1 us here, after each try
    open_now, never = threading.Semaphore(1), Waiting(spin_us=0.0)
    assert not gate.spins_in_a_wait(never, 1.0)
    assert never.acquire(open_now, None)
    assert not never.acquire(open_now, 0.0)


class Napping(Silent):
    """Waits in every step and draws from the global generators, as old environments do."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, Any]:
        return 0, {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        time.sleep(0.001)
        random.random()
        np.random.random()
        return 0, 0.0, False, False, {}


def test_a_typical_step_is_the_mean_without_start_up_and_pauses() -> None:
    assert typical_ns([900, 10, 20, 30]) == 20.0
    assert typical_ns([900, 10, 10, 10, 5000]) == 20.0
    assert typical_ns([7]) == 7.0


def test_measuring_tells_waiting_from_computing_and_leaves_random_states_alone() -> None:
    random.seed(1)
    np.random.seed(1)
    expected = random.Random(1).random(), np.random.RandomState(1).random()
    seen = probe([Napping, Napping], None, "fork")
    assert seen.together
    assert not seen.doubt
    assert seen.cost is not None
    assert seen.cost.step_us >= 1000.0
    assert seen.cost.cpu_share < 0.5
    assert (random.random(), np.random.random()) == expected
