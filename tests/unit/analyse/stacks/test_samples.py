"""What a stack says: the spans around it, and the finest stage inside the innermost one."""

from __future__ import annotations

import pytest

from goldsplit.analyse.stacks.samples import meaning_of
from goldsplit.model.recording import Frame

FILE = "/home/me/game.py"
CALL = Frame("Module._call_impl", "/x/site-packages/torch/nn/modules/module.py", 9)


def span(stage: str) -> Frame:
    return Frame(f"goldsplit:{stage}", "", 0)


def fn(name: str) -> Frame:
    return Frame(name, FILE, 5)


@pytest.mark.parametrize(
    ("frames", "spans", "stage"),
    [
        ([fn("main")], (), None),
        ([fn("main"), fn("Game.step")], (), "env.step"),
        ([fn("main"), span("env.step"), fn("Game.step")], ("env.step",), "env.step"),
        ([span("env.step"), fn("Game.step"), fn("View.observe")], ("env.step",), "env.observe"),
        ([span("env.step"), fn("Game.step"), fn("View.observe"), fn("odds")], ("env.step",), "env.observe"),
        # what the user's mapping says counts, whatever the function is named
        ([span("env.opponent"), fn("Foe.step"), fn("odds")], ("env.opponent",), "env.opponent"),
        # a name outside the span divides nothing
        ([fn("Game.step"), span("game.sight"), fn("sight"), fn("odds")], ("game.sight",), "game.sight"),
        # an evaluation owns what is inside it
        ([span("eval"), fn("evaluate"), span("env.step"), fn("Game.step")], ("eval",), "eval"),
        # an environment does not act or learn, whatever its bot's functions are named
        ([span("env.step"), fn("Game.step"), fn("Bot.select_action")], ("env.step",), "env.opponent"),
        ([span("learn.loss"), fn("learn"), fn("Memory.sample_batch")], ("learn.loss",), "replay.sample"),
        ([fn("train_step"), span("forward"), CALL, CALL], ("learn.forward",), "learn.forward"),
        ([fn("main"), span("forward"), CALL, CALL], ("act",), "act"),
        ([span("env.step"), fn("step"), span("wait"), fn("x")], ("wait", "env.step"), None),
    ],
)
def test_the_spans_and_the_finest_stage(frames: list[Frame], spans: tuple[str, ...], stage: str) -> None:
    found = meaning_of(frames)
    assert (found.spans, found.stage) == (spans, stage)


def test_imports_outside_spans_are_start_up() -> None:
    loading = Frame("_load", "<frozen importlib._bootstrap>", 1)
    assert meaning_of([fn("main"), loading]).importing
    assert not meaning_of([span("env.step"), fn("Game.step"), loading]).importing


def test_a_forked_worker_is_not_in_the_span_in_which_it_was_started() -> None:
    """A pool forks its workers in `submit`: their stacks begin with their parent's."""
    start = Frame("Process._bootstrap", "/usr/lib/python3.11/multiprocessing/process.py", 314)
    meant = meaning_of([fn("main"), span("vec.send"), fn("submit"), start, fn("worker_life")])
    assert (meant.spans, meant.stage) == ((), None)
    assert meaning_of([span("vec.send"), start, span("env.step"), fn("step")]).spans == ("env.step",)
