"""skip, every, slow, no-eval, no-checkpoint: overlays that change all calls of a stage."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from goldsplit.model.stage import CHECKPOINT, ENV_OBSERVE, ENV_STEP, EVAL, LEARN_LOSS
from goldsplit.record.inside.alterations import UnlessLeftOut, after_made_calls
from goldsplit.record.inside.core import count_step
from goldsplit.record.inside.overlays import by_stage, lean_info, no_checkpoint, no_eval
from goldsplit.record.inside.overlays.ablations import every, skip, slow
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.span_wrapping import staged

Changed = Callable[..., dict[str, float]]


@pytest.fixture(autouse=True)
def clean_stages() -> Iterator[None]:
    by_stage.forget()
    yield
    by_stage.forget()


def counting(stage: str) -> tuple[Callable[[], int], list[int]]:
    calls: list[int] = []

    def call() -> int:
        calls.append(1)
        return len(calls)

    return staged(call, stage), calls


def test_skipped_calls_are_not_made(changed: Changed) -> None:
    skip.install(Changes("skip:learn.loss"), "learn.loss")
    learn, learnt = counting(LEARN_LOSS)
    step, steps = counting(ENV_STEP)
    assert [learn(), learn(), step()] == [None, None, 1]
    assert (len(learnt), len(steps)) == (0, 1)
    assert changed() == {"calls skipped": 2}


def test_each_third_call_is_made(changed: Changed) -> None:
    every.install(Changes("every:3:learn.loss"), "3:learn.loss")
    learn, learnt = counting(LEARN_LOSS)
    assert [learn() for _ in range(7)] == [1, 1, 1, 2, 2, 2, 3]
    assert len(learnt) == 3
    assert changed() == {"calls left out": 4}


def test_calls_left_out_are_not_counted(changed: Changed) -> None:
    every.install(Changes("every:3:learn.loss"), "3:learn.loss")
    skip.install(Changes("skip:env.step"), "env.step")
    counted: list[Any] = []

    def after(state: Any, node: Any, args: tuple[Any, ...], result: Any) -> None:
        counted.append(result)

    step = staged(lambda: "step", ENV_STEP, after)
    inner = staged(lambda: "observed", ENV_OBSERVE, after)
    learn = staged(lambda: (step(), inner(), "learnt")[2], LEARN_LOSS, after)
    for _ in range(6):
        learn()
        step()
    assert counted == ["observed", "learnt"] * 2


def test_what_counts_made_calls_can_be_sent_to_a_worker() -> None:
    skip.install(Changes("skip:env.step"), "env.step")
    sent = pickle.loads(pickle.dumps(after_made_calls(count_step, ENV_STEP)))
    assert type(sent) is UnlessLeftOut
    assert sent.after is count_step
    assert after_made_calls(count_step, ENV_OBSERVE) is count_step


def test_all_overlays_of_a_stage_take_part(changed: Changed) -> None:
    lean_info.install(Changes("lean-info"), "")
    every.install(Changes("every:2:env.step"), "2:env.step")
    slow.install(Changes("slow:env.step:1"), "env.step:1")
    counted: list[Any] = []
    made = (0, 1.0, False, False, {"board": 1})
    step = staged(lambda: made, ENV_STEP, lambda *given: counted.append(given[-1]))
    assert [step() for _ in range(4)] == [(*made[:-1], {})] * 4
    assert len(counted) == 2
    assert changed() == {"infos made smaller": 2, "calls left out": 2, "calls made slower": 4}


def test_calls_inside_a_call_of_the_stage_are_part_of_it(changed: Changed) -> None:
    every.install(Changes("every:2:learn.loss"), "2:learn.loss")
    inner, _ = counting(LEARN_LOSS)
    outer = staged(lambda: [inner(), inner()], LEARN_LOSS)
    assert outer() == [1, 2]
    assert changed() == {}


def test_saving_and_evaluating(changed: Changed, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.startswith(("stable_baselines3.", "sb3_contrib."))]:
        monkeypatch.delitem(sys.modules, name)  # the real classes are other tests'
    no_eval.install(Changes("no-eval"), "")
    no_checkpoint.install(Changes("no-checkpoint"), "")
    (evaluate, evaluated), (save, saved) = counting(EVAL), counting(CHECKPOINT)
    assert [evaluate(), save()] == [None, None]
    assert evaluated == saved == []
    assert changed() == {"calls skipped": 2}


def test_evaluation_of_sb3_answers_at_once(changed: Changed) -> None:
    module: Any = ModuleType("callbacks")
    module.evaluate_policy = lambda *args, **kwargs: (1.0, 2.0)
    parts = {"_on_step": lambda self: False, "eval_freq": 2, "n_calls": 0}
    module.EvalCallback = type("EvalCallback", (), parts)
    no_eval._quiet_callbacks(Changes("no-eval"), module)
    no_eval._no_evaluation(Changes("no-eval"), module)
    callback = module.EvalCallback()
    for callback.n_calls in range(1, 6):
        assert callback._on_step() is True
    assert changed() == {"calls skipped": 2}
    mean, spread = module.evaluate_policy("model", "env")
    assert mean != mean
    assert spread == 0.0
    assert module.evaluate_policy("model", "env", return_episode_rewards=True) == ([], [])
    assert changed() == {"calls skipped": 4}


def test_a_stage_is_slowed_by_a_share_of_its_own_time(
    changed: Changed, monkeypatch: pytest.MonkeyPatch
) -> None:
    spun: list[float] = []
    monkeypatch.setattr(slow, "spin", spun.append)
    slow.install(Changes("slow:env.step:50"), "env.step:50")
    observe = staged(lambda: sum(range(60_000)), ENV_OBSERVE)
    step = staged(lambda: (sum(range(20_000)), observe()), ENV_STEP)
    alone = staged(lambda: (sum(range(20_000)), sum(range(60_000))), ENV_STEP)
    for _ in range(60):
        step()
        alone()
    inside, both = (sorted(spun[start::2])[10] for start in (0, 1))
    assert inside < 0.6 * both
    assert changed() == {"calls made slower": 120}


def test_spinning_takes_its_time() -> None:
    begun = slow.clock()
    slow.spin(200_000)
    assert slow.clock() - begun >= 200_000
