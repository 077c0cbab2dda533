"""What rules read from the deep look."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.deep_reading import (
    builds_observation_or_mask,
    by_function,
    callees_with_lines,
    calls_per_step,
    env_target,
    is_called_for_its_effect,
    verify_command,
)
from goldsplit.model.hot_code.source_look import SourceLook


def test_sites_by_function_the_most_expensive_line_first(make: SimpleNamespace) -> None:
    cheap = make.site("text", "eval", share=0.1)
    expensive = make.site("text", "eval", share=0.2, place=make.place(40))
    other = make.site("text", "eval", place=make.place(50, "observe"))
    groups = by_function([cheap, other, expensive])
    assert list(groups.values()) == [[expensive, cheap], [other]]
    assert callees_with_lines([cheap, expensive]) == "eval line 12, 40"


def test_calls_per_step_are_unknown_without_steps(make: SimpleNamespace) -> None:
    assert calls_per_step([make.site("text", "eval", calls_per_env_step=None)]) is None
    assert calls_per_step([make.site("text", "eval"), make.site("text", "eval")]) == 2.0


def test_functions_called_for_their_effect_or_for_their_result(make: SimpleNamespace) -> None:
    acts = ("Game.step", "reset", "Memory.push_batch", "Game.enemy_turn", "Unit.__init__")
    assert all(is_called_for_its_effect(make.deep_function(name)) for name in acts)
    assert is_called_for_its_effect(make.deep_function("Unit.wound", constant_result="None"))
    answers = ("Game.path_field", "Game.observe", "action_masks")
    assert not any(is_called_for_its_effect(make.deep_function(name)) for name in answers)
    assert [builds_observation_or_mask(make.deep_function(name)) for name in answers] == [False, True, True]


@pytest.mark.parametrize(
    ("command", "file", "target"),
    [
        ("python train.py", "hex.py", "hex"),
        ("python train.py", "core/hex.py", "core.hex"),
        ("python ./train.py --fast", "core/hex.py", "core.hex"),
        ("python scripts/train.py", "scripts/hex.py", "scripts/hex.py"),
        ("python -m scripts.train", "scripts/hex.py", "scripts.hex"),
    ],
)
def test_the_environment_is_named_by_its_step(
    make: SimpleNamespace, command: str, file: str, target: str
) -> None:
    """As `goldsplit env` takes it in the folder that the run was started in."""
    step = make.deep_function(
        "HexBattle.step", place=make.place(9, "HexBattle.step", f"/home/me/game/{file}")
    )
    scripts = [make.place(3, "main", f"/home/me/game/{name}") for name in ("train.py", "scripts/train.py")]
    functions = [step, *(make.deep_function(place=place) for place in scripts)]
    profile = make.profile({"env.step": 0.5}, deep=make.deep_look(functions=functions))
    profile = dataclasses.replace(profile, run=dataclasses.replace(profile.run, command=command.split()))
    assert env_target(profile) is None, "nobody knows whether it can be made without arguments"
    source = SourceLook(drivable=(f"/home/me/game/{file}:HexBattle",))
    profile = dataclasses.replace(profile, source=source)
    assert env_target(profile) == f"{target}:HexBattle"
    assert verify_command(profile, "env.observe") == f"goldsplit env {target}:HexBattle --hash"
    assert verify_command(profile, "learn.loss") == f"goldsplit record --deep -- {command}"


@pytest.mark.parametrize("command", ["python /elsewhere/train.py", "./start.sh"])
def test_an_environment_that_cannot_be_imported_is_not_offered(make: SimpleNamespace, command: str) -> None:
    """A check that cannot run is worse than none: nobody knows from where `hex` is imported."""
    file = "/home/me/game/core/hex.py"
    step = make.deep_function("HexBattle.step", place=make.place(9, "HexBattle.step", file))
    profile = make.profile(
        {"env.step": 0.5},
        deep=make.deep_look(functions=[step]),
        source=SourceLook(drivable=(f"{file}:HexBattle",)),
    )
    profile = dataclasses.replace(profile, run=dataclasses.replace(profile.run, command=command.split()))
    assert env_target(profile) is None


def test_without_a_known_environment_the_training_is_recorded_again(make: SimpleNamespace) -> None:
    assert env_target(make.profile({})) is None
    assert verify_command(make.profile({}), "env.step") == "goldsplit record --deep -- python train.py"
