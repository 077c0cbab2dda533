"""Samples beside the source: only hot lines, only files as they were."""

from __future__ import annotations

import dataclasses
import textwrap

import pytest
from tests.unit.diagnose.conftest import TRAIN, profile, run_info

from goldsplit.analyse.source_look.look import with_source_look
from goldsplit.model.finding import Place
from goldsplit.model.hot_code.function_cost import FunctionCost
from goldsplit.model.profile import Profile

SOURCE = textwrap.dedent(
    """
    class Cave:
        n_actions = 4
        def __init__(self, seed=0):
            pass
        def reset(self):
            pass
        def step(self, action):
            pass
        def flood(self, start):
            queue = [start]
            while queue:
                cell = queue.pop(0)

    class Arena:
        def __init__(self, config):
            self.action_space = config
        def reset(self):
            pass
        def step(self, action):
            pass
    """
)
POP = 13


def cost(lines: dict[int, float], function: str = "Cave.flood") -> FunctionCost:
    share = sum(lines.values())
    return FunctionCost(
        Place(TRAIN, POP, function),
        share,
        share,
        share,
        100,
        share,
        0.0,
        {"env.step": share},
        own_lines=lines,
    )


def looked(costs: list[FunctionCost], changed: float = 0.0, text: str = SOURCE) -> Profile:
    run = dataclasses.replace(profile(functions=costs), run=run_info(started=100.0))
    return with_source_look(run, lambda file: (text.splitlines(), changed))


def test_a_hot_line_is_named_with_its_share() -> None:
    (idiom,) = looked([cost({POP: 0.3, POP - 1: 0.1})]).source.idioms
    assert (idiom.kind, idiom.place.line, idiom.text) == ("pop-first", POP, "cell = queue.pop(0)")
    assert idiom.share == pytest.approx(0.3)
    assert idiom.part_of_function == pytest.approx(0.75)


def test_a_line_without_samples_is_not_named() -> None:
    assert looked([cost({POP - 1: 0.4})]).source.idioms == []


def test_a_changed_or_missing_or_broken_file_says_nothing() -> None:
    assert looked([cost({POP: 0.3})], changed=200.0).source.idioms == []
    assert looked([cost({POP: 0.3})], text="def f(:").source.idioms == []

    def missing(file: str) -> tuple[list[str], float]:
        raise FileNotFoundError(file)

    assert with_source_look(profile(functions=[cost({POP: 0.3})]), missing).source.idioms == []


def test_which_classes_can_be_driven_alone() -> None:
    assert looked([cost({POP: 0.3})]).source.drivable == (f"{TRAIN}:Cave",)


def test_a_class_that_leaves_methods_to_others_cannot() -> None:
    text = SOURCE.replace(
        "def flood(self, start):",
        "def act(self):\n        raise NotImplementedError\n    def flood(self, start):",
    )
    assert looked([cost({POP + 2: 0.3})], text=text).source.drivable == ()


def test_how_many_arguments_a_function_takes() -> None:
    assert looked([cost({POP: 0.3})]).source.arguments == {f"{TRAIN}:Cave.flood": 1}


HELPER = "def brighten(shot):\n    return shot.astype('float32')\n"
USER = "def look(self):\n    wide = brighten(self.shot)\n    return wide[::4, ::4]\n"


@pytest.mark.parametrize("calls", [True, False], ids=["called", "not-called"])
def test_a_call_into_another_file_is_followed_where_samples_saw_it(calls: bool) -> None:
    other = TRAIN.replace("train", "pictures")
    caller = FunctionCost(Place(TRAIN, 3, "look"), 0.4, 0.3, 0.5, 100, 0.1, 0.0, {"env.step": 0.4})
    helper = FunctionCost(
        Place(other, 2, "brighten"),
        0.3,
        0.2,
        0.4,
        100,
        0.3,
        0.0,
        {"env.step": 0.3},
        within={caller.key: 0.3} if calls else {},
    )
    run = dataclasses.replace(profile(functions=[caller, helper]), run=run_info(started=100.0))
    texts = {TRAIN: USER, other: HELPER}
    found = with_source_look(run, lambda file: (texts[file].splitlines(), 0.0)).source.late_crops
    if not calls:
        assert found == ()
        return
    (crop,) = found
    assert (crop.place, crop.lines) == (Place(TRAIN, 3, "look"), (2, 3))
    assert crop.text == "return wide[::4, ::4]"
