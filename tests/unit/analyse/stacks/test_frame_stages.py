"""Stacks put into stages: wrappers, libraries, usual names; intervals; percentiles."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsplit.analyse.counts.histogram import merge, percentile_ns
from goldsplit.analyse.stacks.frame_stages import classify, is_library, wilson
from goldsplit.analyse.stacks.hotspots import kind_of
from goldsplit.model.recording import Frame

SITE = "/home/u/.venv/lib/python3.11/site-packages"
STD = "/usr/lib/python3.11"
USER = "/home/u/game/train.py"


def stack(*frames: tuple[str, str]) -> list[Frame]:
    return [Frame(function, file, 1) for function, file in frames]


MAIN = ("<module>", USER)
TORCH_CALL = ("_call_impl", f"{SITE}/torch/nn/modules/module.py")
LINEAR = ("forward", f"{SITE}/torch/nn/modules/linear.py")


@pytest.mark.parametrize(
    ("frames", "stage"),
    [
        # names in user code
        (((MAIN), ("Game.step", USER)), "env.step"),
        ((MAIN, ("Game.step", USER), ("Game._enemy_turn", USER), ("r", f"{SITE}/np/x.py")), "env.opponent"),
        ((MAIN, ("Agent.select_action", USER)), "act"),
        ((MAIN, ("PrioritizedReplay.add", USER)), "replay.add"),
        ((MAIN, ("Shop.add", USER)), None),
        ((MAIN, ("train_step", USER), ("helper", USER)), "learn.loss"),
        ((MAIN, ("odds", USER)), None),
        # wrappers of hooks
        ((MAIN, ("goldsplit:env.step", f"{SITE}/goldsplit/record/spans.py"), ("odds", USER)), "env.step"),
        # libraries
        ((MAIN, ("backward", f"{SITE}/torch/_tensor.py"), ("backward", f"{SITE}/torch/autograd/__init__.py")),
         "learn.backward"),
        ((MAIN, ("step", f"{SITE}/torch/optim/adam.py")), "learn.optimizer"),
        ((MAIN, ("handle", f"{STD}/logging/__init__.py"), ("emit", f"{STD}/logging/__init__.py")), "log"),
        ((MAIN, ("send", f"{STD}/multiprocessing/connection.py")), "vec.send"),
        ((MAIN, ("Queue.put", f"{STD}/multiprocessing/queues.py")), "vec.send"),
        ((MAIN, ("ThreadPoolExecutor.submit", f"{STD}/concurrent/futures/thread.py")), "vec.send"),
        ((MAIN, ("run_coroutine_threadsafe", f"{STD}/asyncio/tasks.py"),
          ("BaseEventLoop.call_soon_threadsafe", f"{STD}/asyncio/base_events.py")), "vec.send"),
        ((MAIN, ("step", f"{SITE}/gymnasium/wrappers/common.py")), "env.step"),
        ((MAIN, ("AECEnv.last", f"{SITE}/pettingzoo/utils/env.py")), "env.observe"),
        ((MAIN, ("Environment.step", f"{SITE}/dm_control/rl/control.py")), "env.step"),
        ((MAIN, ("EnvPoolMixin.recv", f"{SITE}/envpool/python/envpool.py")), "env.step"),
        ((MAIN, ("tqdm.update", f"{SITE}/tqdm/std.py")), "log"),
        ((MAIN, ("Collector._collect", f"{SITE}/tianshou/data/collector.py")), "rollout"),
        ((MAIN, ("ReplayBufferManager.add", f"{SITE}/tianshou/data/buffer/manager.py")), "replay.add"),
        ((MAIN, ("PPO._preprocess_batch", f"{SITE}/tianshou/algorithm/modelfree/ppo.py")), "learn.returns"),
        ((MAIN, ("BaseVectorEnv.step", f"{SITE}/tianshou/env/venvs.py")), "vec.copy"),
        ((MAIN, ("EnvRunner.sample", f"{SITE}/ray/rllib/env/env_runner.py")), "rollout"),
        ((MAIN, ("update", f"{SITE}/ray/rllib/core/learner/learner.py"), TORCH_CALL), "learn.forward"),
        ((MAIN, ("MetricsLogger.reduce", f"{SITE}/ray/rllib/utils/metrics/metrics_logger.py")), "log"),
        ((MAIN, ("put", f"{SITE}/ray/_private/worker.py")), "vec.send"),
        ((("Worker.main_loop", f"{SITE}/ray/_private/worker.py"), ("act", USER)), "act"),
        # forward passes: what is around them tells
        ((MAIN, ("train_step", USER), TORCH_CALL, LINEAR), "learn.forward"),
        ((MAIN, ("select_action", USER), TORCH_CALL, LINEAR), "act"),
        ((MAIN, ("train", f"{SITE}/stable_baselines3/ppo/ppo.py"), TORCH_CALL, LINEAR), "learn.forward"),
        ((MAIN, ("collect_rollouts", f"{SITE}/stable_baselines3/common/x.py"), TORCH_CALL, LINEAR), "act"),
        ((MAIN, ("evaluate", USER), TORCH_CALL, LINEAR), "eval"),
        ((MAIN, TORCH_CALL, LINEAR), "act"),
        ((MAIN, ("get_value", USER), TORCH_CALL, LINEAR), "act.value"),
        ((MAIN, ("Game.step", USER), ("get_observation", USER), TORCH_CALL, LINEAR), "env.observe"),
        # a policy that the environment asks
        ((MAIN, ("Game.step", USER), ("Bot.select_action", USER), ("odds", USER)), "env.opponent"),
        ((MAIN, ("Game.step", USER), ("Bot.select_action", USER), TORCH_CALL, LINEAR), "env.opponent"),
        ((MAIN, ("Game.step", USER), ("get_observation", USER), ("get_action", USER)), "env.observe"),
        ((MAIN, ("collect_rollouts", f"{SITE}/stable_baselines3/common/x.py"), ("get_action", USER)), "act"),
        ((), None),
    ],
)  # fmt: skip
def test_stages_of_stacks_as_in_real_runs(frames: Any, stage: str | None) -> None:
    assert classify(stack(*frames)).stage == stage


def test_a_loop_that_plays_has_its_own_lines_only() -> None:
    """What it calls, and what has no stage, is shown under its own name; tests that play are tests."""
    loop = Frame("train", USER, 1, named="rollout")
    mean = Frame("mean", f"{SITE}/numpy/core.py", 1)
    assert classify([*stack(MAIN), loop]).stage == "rollout"
    assert classify([*stack(MAIN), loop, mean]).stage == "rollout"
    assert classify([*stack(MAIN), loop, *stack(("<listcomp>", USER))]).stage == "rollout"
    world = Frame("World.moves", USER, 1, named="")
    assert classify([*stack(MAIN), loop, world]).stage is None
    assert classify([*stack(MAIN), loop, world, mean]).stage is None
    exam = Frame("exam", USER, 1, named="eval")
    assert classify([*stack(MAIN), exam, loop, world]).stage == "eval"


@pytest.mark.parametrize(
    "frames",
    [
        (
            MAIN,
            ("recv", f"{STD}/multiprocessing/connection.py"),
            ("_recv", f"{STD}/multiprocessing/connection.py"),
        ),
        (MAIN, ("Queue.get", f"{STD}/queue.py"), ("Condition.wait", f"{STD}/threading.py")),
        (MAIN, ("Future.result", f"{STD}/concurrent/futures/_base.py"), ("wait", f"{STD}/threading.py")),
        (MAIN, ("select", f"{STD}/selectors.py")),
    ],
)
def test_waiting_stacks(frames: Any) -> None:
    found = classify(stack(*frames))
    assert found.waiting
    assert found.stage is None


def test_waiting_inside_a_stage_keeps_the_stage() -> None:
    found = classify(stack(MAIN, ("ReplayBuffer.sample", USER), ("wait", f"{STD}/threading.py")))
    assert (found.stage, found.waiting) == ("replay.sample", True)


def test_a_users_function_named_wait_is_not_waiting() -> None:
    assert not classify(stack(MAIN, ("wait", USER))).waiting


def test_wrapper_frames_mean_that_a_span_has_the_time() -> None:
    assert classify(stack(MAIN, ("goldsplit:act", "/x/spans.py"), ("f", USER))).spanned
    assert not classify(stack(MAIN, ("f", USER))).spanned


def test_user_code_and_library_code() -> None:
    assert [
        is_library(f) for f in (f"{SITE}/numpy/a.py", f"{STD}/json/a.py", "<frozen importlib>", USER)
    ] == [
        True,
        True,
        True,
        False,
    ]
    assert (kind_of(USER), kind_of(f"{SITE}/numpy/a.py")) == ("yours", "library")


@given(st.integers(0, 500), st.integers(1, 500))
def test_wilson_contains_the_share_and_stays_inside(successes: int, more: int) -> None:
    trials = successes + more
    low, high = wilson(successes, trials)
    assert 0.0 <= low <= successes / trials <= high <= 1.0


def test_wilson_known_values_and_none() -> None:
    low, high = wilson(10, 100)
    assert (low, high) == (pytest.approx(0.0552, abs=1e-3), pytest.approx(0.1744, abs=1e-3))
    assert wilson(0, 0) == (0.0, 1.0)
    wide, narrow = wilson(5, 10), wilson(500, 1000)
    assert wide[1] - wide[0] > 5 * (narrow[1] - narrow[0])


def bucket(ns: float) -> int:
    return int(math.log(ns + 1) * 8)


@given(st.lists(st.integers(1, 10**10), min_size=1, max_size=200), st.sampled_from([0.5, 0.95, 0.99]))
def test_percentiles_are_right_to_a_buckets_width(values: list[int], share: float) -> None:
    histogram: dict[int, int] = {}
    for value in values:
        histogram[bucket(value)] = histogram.get(bucket(value), 0) + 1
    exact = sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
    found = percentile_ns(histogram, share)
    assert found is not None
    assert exact / 1.2 - 1 <= found <= (exact + 1) * 1.2


def test_no_durations_have_no_percentile() -> None:
    assert percentile_ns({}, 0.5) is None
    assert merge([{1: 2}, {1: 3, 4: 1}]) == {1: 5, 4: 1}
