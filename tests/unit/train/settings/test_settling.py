"""Where options come from: the order of places, and mistakes answered with their place."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from goldsplit.train.errors import TrainError
from goldsplit.train.options import KEPT, KINDS, DqnOptions, TrainOptions
from goldsplit.train.settings.given import shipped_profiles
from goldsplit.train.settings.options_file import write_options
from goldsplit.train.settings.settling import DEFAULT, Wanted, settle


def refused(kind: str, wanted: Wanted, variables: dict[str, str] | None = None) -> TrainError:
    with pytest.raises(TrainError) as error:
        settle(kind, wanted, variables=variables or {})
    assert error.value.hint
    return error.value


def profile(folder: Path, text: str) -> str:
    file = folder / "mine.toml"
    file.write_text(text)
    return str(file)


def test_later_places_win(tmp_path: Path) -> None:
    file = profile(tmp_path, "envs = 1\nbatch = 1\nsteps = 1\nseed = 1\n")
    variables = {"GOLDSPLIT_TRAIN_BATCH": "2", "GOLDSPLIT_TRAIN_STEPS": "2", "GOLDSPLIT_TRAIN_SEED": "2"}
    wanted = Wanted(file, ("steps=3", "seed=3"), {"seed": 4})
    found = settle("dqn", wanted, variables=variables)
    options = found.options
    assert (options.envs, options.batch, options.steps, options.seed) == (1, 2, 3, 4)
    assert options.warmup == DqnOptions().warmup
    assert found.places["warmup"] == DEFAULT
    assert found.places["envs"] == file
    assert found.places["batch"] == "variable GOLDSPLIT_TRAIN_BATCH"
    assert found.places["steps"] == "--set steps=3"
    assert found.places["seed"] == "--seed"


def test_values_from_text_have_the_type_of_their_option() -> None:
    sets = ("hidden=[64, 32]", "gamma=1", "steps=2e5", "envs=1_0", "amp=yes", "game=1", "surroundings=plain")
    options = settle("dqn", Wanted("", sets), variables={}).options
    assert isinstance(options, DqnOptions)
    assert (options.hidden, options.gamma, options.steps, options.envs) == ((64, 32), 1.0, 200_000, 10)
    assert (options.amp, options.game, options.surroundings) == (True, "1", "plain")
    assert isinstance(options.gamma, float)


@pytest.mark.parametrize(
    ("pair", "problem"),
    [
        ("envs=0", "is below 1"),
        ("gamma=0", "is not above 0"),
        ("gamma=1.01", "is above 1"),
        ("gamma=nan", "is not a finite number"),
        ("batch=2.5", "is not a whole number"),
        ("batch=many", "is not a whole number"),
        ("amp=2", "is not true or false"),
        ("hidden=64,x", "is not a list of whole numbers"),
        ("hidden=64,0", "is below 1"),
        ("hidden=", "is an empty list"),
        ("surroundings=quick", "is not plain or fast"),
        ("learning_rate=-1", "is not above 0"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place_and_what_is_right(pair: str, problem: str) -> None:
    error = refused("dqn", Wanted("", (pair,)))
    key = pair.partition("=")[0]
    assert error.message.startswith(f"--set {pair}: {key} = ")
    assert problem in error.message
    assert error.hint.startswith(f"{key} takes ")


def test_an_unknown_key_is_answered_with_the_closest(tmp_path: Path) -> None:
    error = refused("dqn", Wanted("", ("bach=3",)))
    assert "--set bach=3" in error.message
    assert "'batch'" in error.hint
    error = refused("dqn", Wanted(), {"GOLDSPLIT_TRAIN_WARM_UP": "3"})
    assert "GOLDSPLIT_TRAIN_WARM_UP" in error.message
    assert "'warmup'" in error.hint
    file = profile(tmp_path, "update_per_step = 3")
    error = refused("dqn", Wanted(file))
    assert file in error.message
    assert "'updates_per_step'" in error.hint
    file = profile(tmp_path, "[dqn]\ngama = 0.9")
    error = refused("ppo", Wanted(file))
    assert f"{file}, table [dqn]" in error.message, "also in a table that is not read now"
    assert "no value" in refused("dqn", Wanted("", ("envs",))).message


def test_a_key_of_the_other_trainer(tmp_path: Path) -> None:
    assert "option of ppo, not of dqn" in refused("dqn", Wanted("", ("rollout=64",))).message
    file = profile(tmp_path, "capacity = 10")
    assert "[dqn]" in refused("ppo", Wanted(file)).hint
    file = profile(tmp_path, "envs = 3\n[dqn]\ncapacity = 500\n[ppo]\nrollout = 7")
    found = settle("ppo", Wanted(file), variables={"GOLDSPLIT_TRAIN_CAPACITY": "3"})
    assert (found.options.envs, getattr(found.options, "rollout", None)) == (3, 7)
    assert getattr(settle("dqn", Wanted(file), variables={}).options, "capacity", None) == 500


def test_profiles_that_are_none(tmp_path: Path) -> None:
    error = refused("dqn", Wanted("sped"))
    assert "'speed'" in error.hint
    assert "balance, speed" in refused("dqn", Wanted("runs/x.toml")).hint
    file = profile(tmp_path, "envs = = 3")
    error = refused("dqn", Wanted(file))
    assert file in error.message
    assert "line 1" in error.message
    assert "'dqn'" in refused("dqn", Wanted(profile(tmp_path, "[dqm]\nenvs = 3"))).hint
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe\x00")
    assert "is not TOML" in refused("dqn", Wanted(file)).message


def test_toml_types_are_checked(tmp_path: Path) -> None:
    assert "not a whole number" in refused("dqn", Wanted(profile(tmp_path, "envs = true"))).message
    assert "not true or false" in refused("dqn", Wanted(profile(tmp_path, "amp = 1"))).message
    assert "not text" in refused("dqn", Wanted(profile(tmp_path, "game = 3"))).message
    assert settle("dqn", Wanted(profile(tmp_path, "steps = 1e6")), variables={}).options.steps == 1_000_000


@pytest.mark.parametrize("name", shipped_profiles())
@pytest.mark.parametrize("kind", KINDS)
def test_shipped_profiles_fit_both_trainers_and_say_why(name: str, kind: str) -> None:
    found = settle(kind, Wanted(name), variables={})
    named = [
        "envs",
        "subprocess",
        "updates_per_step",
        "batch",
        "warmup",
        "amp",
        "compile",
        "prefetch",
        "pin",
        "log_every",
    ]
    assert {found.places[key] for key in named} == {f"profile {name}"}
    text = (Path(__file__).parents[4] / "src/goldsplit/train/profiles" / f"{name}.toml").read_text()
    assert text.count("\n#") >= 8


def test_speed_plays_more_games_per_update_than_balance() -> None:
    speed, balance = (settle("dqn", Wanted(name), variables={}).options for name in ("speed", "balance"))
    assert speed.updates_per_step / speed.envs < balance.updates_per_step / balance.envs
    assert speed.batch < balance.batch
    assert speed.warmup < balance.warmup
    assert speed.log_every > balance.log_every


@pytest.mark.parametrize("kind", KINDS)
def test_the_options_of_a_training_can_be_used_again(kind: str, tmp_path: Path) -> None:
    sets = ("hidden=8,4", "gamma=0.5", 'game=a "b" \\c', "learning_rate=1e-7", "device=cpu", "self_play=3")
    before = settle(kind, Wanted("speed", sets, {"folder": str(tmp_path)}), variables={}).options
    file = write_options(kind, before, tmp_path)
    after = settle(kind, Wanted(str(file), (), {"folder": str(tmp_path)}), variables={}).options
    assert after == before
    assert settle(kind, Wanted(str(tmp_path)), variables={}).options.folder == "", "another training's folder"


def test_a_resumed_training_begins_with_what_was_saved() -> None:
    saved = DqnOptions(game="snake", envs=8, steps=100, batch=32)
    found = settle("dqn", Wanted("", ("steps=200",)), variables={}, saved=saved)
    assert (found.options.game, found.options.envs, found.options.steps) == ("snake", 8, 200)
    assert found.places["game"] == "the checkpoint"
    with pytest.raises(TrainError) as error:
        settle("dqn", Wanted(), variables={"GOLDSPLIT_TRAIN_ENVS": "9"}, saved=saved)
    assert "variable GOLDSPLIT_TRAIN_ENVS: envs = 9" in error.value.message
    assert "8" in error.value.hint


@pytest.mark.parametrize("kind", KINDS)
def test_what_may_change_at_a_resume(kind: str) -> None:
    free = {"steps", "folder", "evaluate_games", "evaluate_every", "checkpoint_every", "log_every", "device"}
    assert not free & set(KEPT[kind])
    assert {"game", "envs", "seed", "surroundings", "hidden", "subprocess"} <= set(KEPT[kind])


def test_options_are_checked_without_the_command_line_too() -> None:
    with pytest.raises(TrainError, match="envs = 0 is below 1"):
        DqnOptions(envs=0)
    with pytest.raises(TrainError, match="game = 3 is not text"):
        DqnOptions(game=3)  # type: ignore[arg-type]
    with pytest.raises(TrainError, match="no folder"):
        DqnOptions(checkpoint_every=5)


def test_every_option_says_what_it_means() -> None:
    for options in KINDS.values():
        for one in fields(options):
            assert len(one.metadata["doc"]) > 5, one.name
    assert {one.name for one in fields(TrainOptions)} >= {"steps", "folder"}
