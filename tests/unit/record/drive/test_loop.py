"""The driving loop with small environments: counts, ends, shapes of results, policies, failures."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from goldsplit.record.drive import loop
from goldsplit.record.drive.driven_env import DrivenEnv, Rules, seed_everything
from goldsplit.record.drive.loop import Drive, Limits
from goldsplit.record.drive.outcome import read_reset, read_step, takes_seed
from goldsplit.record.drive.policy import make_check
from goldsplit.record.drive.problem import DriveError
from goldsplit.record.drive.result import plain
from goldsplit.record.drive.timing import MOST_WINDOWS, WINDOW_NS, Times, Windows
from goldsplit.record.drive.trajectory import Trajectory


class Walk:
    """Ends after `length` steps; draws from the program's own random numbers."""

    n_actions = 3
    length = 5

    def reset(self) -> list[int]:
        self.t = 0
        return [0, self.t]

    def step(self, action: int) -> Any:
        self.t += 1
        return [random.randrange(100), self.t], float(action), self.t >= self.length, {}


def drive(
    *envs: Any, calls: int = 12, policy: Callable[..., Any] | str = "random", mask: Any = None, **limits: Any
) -> Drive:
    how = policy if isinstance(policy, str) else "bots:policy"
    rules = Rules(how, None if isinstance(policy, str) else policy, mask, 3)
    seed_everything(3)
    driven = [
        DrivenEnv(env, rules, 3 + place, lambda function, _stage: function) for place, env in enumerate(envs)
    ]
    given = {"budget_ns": None, "hashed_calls": calls, "warm_up_calls": 2, "strict": False} | limits
    return Drive(driven, Limits(calls, **given), Trajectory(), lambda: None)


def test_steps_episodes_and_resets_are_counted() -> None:
    run = drive(Walk())
    run.run()
    assert (run.calls, run.steps, run.episodes, run.lengths) == (12, 12, 2, {5: 2})
    assert run.measured.times.calls == 10, "two of warm-up are left out"
    assert run.resets.calls == 2, "the first one is not among them"
    assert run.first_reset_ns is not None
    assert run.wall_ns >= run.step_ns + run.resets.total_ns


def test_the_same_seed_has_the_same_hash_and_another_seed_another() -> None:
    def value(**more: Any) -> str:
        run = drive(Walk(), **more)
        run.run()
        assert run.trajectory is not None
        return run.trajectory.value()

    assert value() == value()
    assert value() != value(policy="first")
    assert value() != value(calls=11)


def test_the_hash_is_over_the_first_calls_only() -> None:
    def hashed(calls: int) -> Any:
        run = drive(Walk(), calls=calls, hashed_calls=6)
        run.run()
        return plain({}, run, None, True)["driven"]["hash"]

    assert hashed(6) == hashed(12)


def test_environments_in_turn_each_have_their_own_episodes() -> None:
    fast, slow = Walk(), Walk()
    slow.length = 9
    run = drive(fast, slow, calls=20)
    run.run()
    assert run.lengths == {5: 2, 9: 1}


class Time:
    """A clock that a step moves on."""

    def __init__(self) -> None:
        self.ns = 0

    def __call__(self) -> int:
        return self.ns


def test_time_is_up_when_an_episode_has_ended_and_the_hash_is_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Time()
    monkeypatch.setattr(loop, "clock", clock)

    class Slow(Walk):
        def step(self, action: int) -> Any:
            clock.ns += 10
            return super().step(action)

    def calls(**limits: Any) -> int:
        clock.ns = 0
        run = drive(Slow(), calls=1000, **limits)
        run.run()
        return run.calls

    assert calls(budget_ns=30, hashed_calls=0) == 5, "the first episode ends after five steps"
    assert calls(budget_ns=30, hashed_calls=8) == 8
    assert calls(budget_ns=30, hashed_calls=8, strict=True) == 3
    assert calls(budget_ns=10, hashed_calls=0) == 4, "it waits for three times the budget, not longer"


def test_figures_are_the_environments_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Time()
    monkeypatch.setattr(loop, "clock", clock)

    class Timed(Walk):
        def reset(self) -> list[int]:
            clock.ns += 1000
            return super().reset()

        def legal_actions(self) -> list[int]:
            clock.ns += 7
            return [1]

        def step(self, action: int) -> Any:
            clock.ns += 100 * action
            return super().step(action)

    def policy(_observation: Any) -> int:
        clock.ns += 50_000
        return 1

    run = drive(Timed(), policy=policy)
    run.run()
    assert (run.step_ns, run.mask_ns) == (1200, 84)
    assert run.resets.total_ns == 2000
    assert run.measured.windows.total_ns == 10 * 107 + 2 * 1000
    assert run.wall_ns == 1200 + 84 + 3000 + 12 * 50_000


def test_a_batch_counts_every_environment() -> None:
    class Boards:
        num_envs, n_actions = 3, 2

        def reset(self) -> Any:
            self.t = np.zeros(3, int)
            return self.t

        def step(self, actions: Any) -> Any:
            assert actions.shape == (3,)
            self.t += 1
            ended = self.t == np.array([2, 3, 4])
            self.t[ended] = 0
            return self.t.copy(), np.zeros(3), ended, {}

    run = drive(Boards(), calls=12)
    run.run()
    assert (run.calls, run.steps) == (12, 36)
    assert run.lengths == {2: 6, 3: 4, 4: 3}
    assert run.resets.calls == 0, "it resets by itself: never are all three over at once"


def test_a_failing_step_keeps_what_was_measured() -> None:
    class Fails(Walk):
        def step(self, action: int) -> Any:
            if self.t == 3:
                raise ValueError("off the board")
            return super().step(action)

    run = drive(Fails(), warm_up_calls=100)
    with pytest.raises(DriveError) as told:
        run.run()
    assert told.value.message.startswith("step raised at step 4: ValueError: off the board (")
    assert "off the board" in told.value.trace
    assert "goldsplit/record" not in told.value.trace
    written = plain({}, run, told.value, finished=False)
    assert written["driven"]["steps"] == 3
    assert written["driven"]["times"]["calls"] == 3, "there is only the warm-up, so it is shown"
    assert written["problem"]["message"] == told.value.message


@pytest.mark.parametrize("what", ["reset", "action_masks"])
def test_other_failures_say_what_failed(what: str) -> None:
    env = Walk()

    def fail(*_: Any) -> Any:
        raise KeyError("board")

    setattr(env, what, fail)
    with pytest.raises(DriveError, match=r"reset raised|mask .* failed") as told:
        drive(env).run()
    assert "KeyError: 'board'" in told.value.message


def test_the_users_own_policy_is_given_observation_and_mask() -> None:
    seen: list[Any] = []

    def policy(observation: Any, mask: Any) -> int:
        seen.append((observation, mask))
        return 2

    drive(Walk(), calls=2, policy=policy, mask=lambda _env: [0, 0, 1]).run()
    assert seen[0] == ([0, 0], [0, 0, 1])


@pytest.mark.parametrize(
    ("action", "message"), [(7, "the mask (--mask) allows 2"), (0, "the mask (--mask) allows 2")]
)
def test_an_invalid_action_is_refused(action: int, message: str) -> None:
    with pytest.raises(DriveError) as told:
        drive(Walk(), policy=lambda _obs: action, mask=lambda _env: [False, False, True]).run()
    assert f"bots:policy returned the invalid action {action}: {message}" in told.value.message


def test_an_action_outside_of_the_space_is_refused() -> None:
    env = SimpleNamespace(action_space=SimpleNamespace(contains=lambda action: action < 2))
    check = make_check("bots:policy", env, None)
    check(1, None)
    with pytest.raises(DriveError, match="returned the invalid action 5: the action space is"):
        check(5, None)


def test_a_policy_that_fails_is_named() -> None:
    def policy(_observation: Any) -> int:
        raise IndexError("no such unit")

    with pytest.raises(DriveError, match="the policy bots:policy failed: IndexError: no such unit"):
        drive(Walk(), policy=policy).run()


def test_results_and_actions_that_do_not_fit_are_explained() -> None:
    class Boards(Walk):
        def step(self, action: int) -> Any:
            return [0, 0], [0.0, 0.0], np.array([True, False]), {}

    with pytest.raises(DriveError, match="what step returned cannot be read: ValueError") as told:
        drive(Boards()).run()
    assert "num_envs" in told.value.hint
    walk = Walk()
    walk.action_space = ["left", "right"]  # type: ignore[attr-defined]
    with pytest.raises(DriveError, match="no action could be chosen: IndexError") as told:
        drive(walk, mask=lambda _env: [False, False, True]).run()
    assert "True or False for each action" in told.value.hint


def test_agents_that_act_in_turn_are_refused() -> None:
    env = Walk()
    env.agent_selection = "player_0"  # type: ignore[attr-defined]
    with pytest.raises(DriveError, match="act in turn"):
        drive(env)


TIME_STEP = SimpleNamespace(step_type=2, last=lambda: True, observation="o", reward=1.0)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (("o", 1.0, True, False, {"a": 1}), ("o", 1.0, True, {"a": 1})),
        (("o", 1.0, False, True, {}), ("o", 1.0, True, {})),
        (("o", 1.0, np.bool_(False), {"a": 1}), ("o", 1.0, False, {"a": 1})),
        (("o", 1.0, False, True), ("o", 1.0, True, {})),
        (("o", 1.0, True), ("o", 1.0, True, {})),
        (TIME_STEP, ("o", 1.0, True, {})),
        (("o", 1.0), ("o", 1.0, None, {})),
        ("o", ("o", None, None, {})),
        (("o", {}, {"a": True, "b": False}, {"a": False, "b": True}, {}), ("o", {}, True, {})),
        (("o", {}, {"a": True, "b": False}, {}), ("o", {}, False, {})),
        (("o", {}, {"a": False, "__all__": True}, {}, {}), ("o", {}, True, {})),
    ],
)
def test_every_shape_of_a_step(result: Any, expected: Any) -> None:
    assert tuple(read_step(result, object())) == expected


def test_ends_that_only_the_environment_itself_tells() -> None:
    assert read_step("o", SimpleNamespace(done=True)).ended is True
    assert read_step("o", SimpleNamespace(game_over=lambda: False)).ended is False
    assert read_step("o", SimpleNamespace(is_over=lambda player: True)).ended is None


def test_the_ends_of_a_batch() -> None:
    outcome = read_step(
        (0, 0, [True, False, False], np.array([False, False, True]), {}), object(), batch=True
    )
    assert outcome.ended.tolist() == [True, False, True]
    assert read_step(0, object(), batch=True).ended is None


def test_every_shape_of_a_reset() -> None:
    assert read_reset(("o", {"a": 1})) == ("o", {"a": 1})
    assert read_reset(("x", "y")) == (("x", "y"), {}), "a pair that is the observation"
    assert read_reset(TIME_STEP) == ("o", {})
    assert takes_seed(lambda *, seed=None, options=None: None)
    assert not takes_seed(lambda: None)


def test_seeds_reach_the_environment_in_its_own_way() -> None:
    given: list[Any] = []

    class BySeed(Walk):
        def seed(self, seed: int) -> None:
            given.append(("seed", seed))

    class ByReset(Walk):
        def reset(self, seed: int | None = None) -> list[int]:  # type: ignore[override]
            given.append(("reset", seed))
            return super().reset()

    drive(BySeed(), calls=6).run()
    drive(ByReset(), calls=6).run()
    assert given == [("seed", 3), ("reset", 3), ("reset", None)]


def test_windows_are_joined_when_there_are_many() -> None:
    windows = Windows()
    for _ in range(1000):
        windows.add(4, WINDOW_NS // 2)
    assert MOST_WINDOWS // 2 <= len(windows.done) < MOST_WINDOWS
    assert windows.total_steps == 4000
    assert {steps for steps, _ in windows.done} == {4 * 2 * 8}, "all are equally long again"


def test_a_histogram_keeps_sums() -> None:
    times = Times()
    for ns in (100, 101, 5000):
        times.add(ns)
    written = times.plain()
    assert (written["calls"], written["ns"], written["longest_ns"]) == (3, 5201, 5000)
    assert sum(ns for _, _, ns in written["buckets"]) == 5201
