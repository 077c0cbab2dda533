"""The command without a training: options in, trainer called, outcome out, mistakes as messages."""

from __future__ import annotations

import builtins
import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goldsplit.cli import main as goldsplit_main
from goldsplit.train import __main__ as own_main
from goldsplit.train import dqn
from goldsplit.train.checkpoints import FILE_NAME, Checkpoint, save
from goldsplit.train.evaluation import Evaluation
from goldsplit.train.options import DqnOptions, PpoOptions, TrainOptions
from goldsplit.train.training_run import Outcome

Command = Callable[..., int]
EVALUATED = Evaluation(10, 0.5, (0.2, 0.8), 1.0, (0.5, 1.5), 20.0)


@pytest.fixture(params=["goldsplit train", "python -m goldsplit.train"])
def command(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """command("dqn", …): run it in this process, by both entries; its exit code."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> int:
        first = ["goldsplit", "train"] if request.param == "goldsplit train" else ["train"]
        monkeypatch.setattr(sys, "argv", [*first, *arguments])
        try:
            (goldsplit_main.main if len(first) == 2 else own_main.main)()
        except SystemExit as end:
            return int(end.code or 0)
        return 0

    return call


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What dqn.train was called with; it trains nothing."""
    calls: list[dict[str, Any]] = []

    def train(options: TrainOptions, *, resume: Path | None = None, quiet: bool = False) -> Outcome:
        calls.append({"options": options, "resume": resume, "quiet": quiet})
        stopped = options.seed == 13
        return Outcome(
            "dqn",
            options,
            steps=1_000,
            total_steps=1_500,
            seconds=2.0,
            updates=50,
            evaluation=None if stopped else EVALUATED,
            checkpoint="a b.zip" if stopped else None,
            interrupted=stopped,
        )

    monkeypatch.setattr(dqn, "train", train)
    return calls


def test_options_reach_the_trainer(command: Command, asked: list[dict[str, Any]]) -> None:
    assert command("dqn", "--game", "snake", "--envs", "3", "--set", "batch=7", "--quiet") == 0
    (call,) = asked
    assert call == {"options": DqnOptions(game="snake", envs=3, batch=7), "resume": None, "quiet": True}


def test_json_is_one_line_on_stdout_and_talk_is_on_stderr(
    command: Command, asked: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("dqn", "--game", "snake", "--json") == 0
    printed = capsys.readouterr()
    (line,) = printed.out.splitlines()
    assert json.loads(line)["steps_per_second"] == 500.0
    assert "trained 1,000 steps in 2 s, 500 steps/s, 0.050 updates/step; 1,500 steps in all" in printed.err
    assert "wins 50% (20%-80%)" in printed.err
    assert command("dqn", "--game", "snake", "--quiet") == 0
    assert capsys.readouterr() == ("", "")


def test_ctrl_c_names_the_checkpoint_and_exits_with_130(
    command: Command, asked: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("dqn", "--game", "snake", "--seed", "13", "--json") == 130
    printed = capsys.readouterr()
    assert "checkpoint: a b.zip" in printed.err
    assert "train dqn --resume 'a b.zip'" in printed.err
    assert json.loads(printed.out)["interrupted"] is True


def test_a_second_ctrl_c_exits_with_130_too(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Outcome:
        raise KeyboardInterrupt

    monkeypatch.setattr(dqn, "train", interrupted)
    assert command("dqn", "--game", "snake") == 130


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("dqn", "--game", "snaek"), "--game: there is no game 'snaek'", "did you mean 'snake'?"),
        (
            ("dqn", "--set", "game=skirmsh"),
            "--set game=skirmsh: there is no game",
            "did you mean 'skirmish'?",
        ),
        (("dqn", "--profile", "blance"), "there is no profile 'blance'", "did you mean 'balance'?"),
        (("dqn", "--set", "enves=3"), "there is no option 'enves'", "did you mean 'envs'?"),
        (("dqn", "--envs", "0"), "--envs: envs = 0 is below 1", "envs takes a whole number, at least 1"),
        (("ppo", "--surroundings", "slow"), "is not plain or fast", "surroundings takes plain or fast"),
        (("dqn", "--resume", "none"), "there is no checkpoint none", "name a file"),
    ],
)
def test_mistakes_are_answered_with_2_a_message_and_a_hint(
    arguments: tuple[str, ...],
    message: str,
    hint: str,
    command: Command,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    said, hinted = printed.err.splitlines()
    assert said.startswith("error: ")
    assert message in said
    assert hinted.startswith("hint: ")
    assert hint in hinted


@pytest.mark.parametrize("arguments", [("sac",), (), ("dqn", "--envs", "many"), ("dqn", "--unknown")])
def test_what_click_refuses_exits_with_2(
    arguments: tuple[str, ...], command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(*arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_variable_with_a_mistake_is_named(
    command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOLDSPLIT_TRAIN_GAMMA", "2")
    assert command("dqn", "--dry-run") == 2
    assert "variable GOLDSPLIT_TRAIN_GAMMA: gamma = 2 is above 1" in capsys.readouterr().err


def test_a_dry_run_prints_a_profile_with_places(
    command: Command, asked: list[dict[str, Any]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert command("dqn", "--profile", "speed", "--seed", "3", "--dry-run") == 0
    printed = capsys.readouterr().out
    lines = {line.split(" = ")[0]: line for line in printed.splitlines()}
    assert lines["seed"].endswith("# --seed")
    assert lines["amp"].endswith("# profile speed")
    assert lines["game"].endswith("# default")
    assert asked == []


def resumable(place: Path, kind: str = "dqn", **options: Any) -> Path:
    made = (DqnOptions if kind == "dqn" else PpoOptions)(game="snake", envs=4, **options)
    return save(place / FILE_NAME, Checkpoint(kind, made, {"steps": 100}))


def test_a_resumed_training_has_the_saved_options_and_stays_in_its_folder(
    command: Command, asked: list[dict[str, Any]], tmp_path: Path
) -> None:
    resumable(tmp_path / "moved", folder="where/it/was")
    assert command("dqn", "--resume", "moved", "--steps", "500", "--quiet") == 0
    (call,) = asked
    assert call["options"] == DqnOptions(game="snake", envs=4, steps=500, folder="moved")
    assert call["resume"] == Path("moved") / FILE_NAME


def test_resuming_what_does_not_fit_is_refused(
    command: Command, asked: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    resumable(tmp_path / "one", folder="one")
    resumable(tmp_path / "two", folder="two")
    resumable(tmp_path / "ppo", kind="ppo", folder="ppo")
    refused = {
        ("--resume", "one", "--envs", "5"): "--envs: envs = 5, but the checkpoint was trained with 4",
        ("--resume", "one", "--game", "skirmish"): 'game = "skirmish", but the checkpoint',
        ("--resume", "ppo"): "ppo holds a ppo training",
        ("--resume", "one", "--folder", "two"): "two already holds a training",
        ("--folder", "two"): "two already holds a training",
    }
    for arguments, message in refused.items():
        assert command("dqn", *arguments) == 2
        assert message in capsys.readouterr().err
    assert asked == []


def test_a_missing_extra_is_named_with_how_to_get_it(
    command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def without_numba(name: str, *rest: Any, **more: Any) -> Any:
        if name == "numba":
            raise ModuleNotFoundError("No module named 'numba'", name="numba")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_numba)
    assert command("dqn", "--game", "snake") == 2
    printed = capsys.readouterr().err
    assert "needs numba, which is not installed" in printed
    assert "pip install 'goldsplit[games]'" in printed


def test_the_command_line_itself_imports_nothing_heavy() -> None:
    heavy = "'torch', 'numba', 'gymnasium'"
    program = f"import sys, goldsplit.cli.main; print([name for name in ({heavy}) if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_both_trainers_can_be_imported_and_have_one_interface() -> None:
    for name in ("dqn", "ppo"):
        module = importlib.import_module(f"goldsplit.train.{name}")
        assert list(module.train.__annotations__) == ["options", "resume", "quiet", "return"]
