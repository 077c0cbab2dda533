"""goldsplit try: what it refuses before anything runs, and what it asks of a recording."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import pytest

from goldsplit.analyse.profile import analyse
from goldsplit.cli.experiments.try_command import make_plan, with_metric
from goldsplit.cli.main import main
from goldsplit.errors import CommandError
from goldsplit.model.recording import Recording
from goldsplit.model.report import Report

OPTIONS: dict[str, Any] = {
    "only": False,
    "overlays": (),
    "seed_arg": None,
    "seed_variable": "",
    "seed": 1,
    "name": "",
    "config": None,
    "stage_texts": (),
    "progress": None,
}


def test_the_seed_goes_behind_its_option() -> None:
    plan = make_plan(("true", "my train.py"), OPTIONS | {"seed_arg": "--seed"})
    assert plan.command == ("true", "my train.py", "--seed", "{seed}")
    assert plan.name == "try-my-train"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--only", "--", "true"], "--only without --overlay"),
        (["--overlay", "thread:1", "--", "true"], "there is no such overlay"),
        (["--", "no-such-program-anywhere"], "no such command"),
        (["--minutes", "0", "--", "true"], "--minutes"),
    ],
)
def test_bad_input(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["goldsplit", "try", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / ".goldsplit").exists()


def test_what_is_compared() -> None:
    plan = make_plan(("true",), OPTIONS)
    empty = analyse(Recording({}, [], [], [], []))

    def counted(**changes: int) -> Report:
        return Report(dataclasses.replace(empty, throughput=dataclasses.replace(empty.throughput, **changes)))

    assert with_metric(plan, counted(env_steps=5)).metric == "env_steps_per_second"
    assert with_metric(plan, counted(updates=5)).metric == "updates_per_second"
    with pytest.raises(CommandError, match="neither env steps nor updates"):
        with_metric(plan, counted())


def test_a_recording_that_was_cut_may_have_been_too_short() -> None:
    empty = analyse(Recording({}, [], [], [], []))
    for status, said in (
        ("interrupted", "give more --minutes; else name"),
        ("complete", "name what is one step"),
    ):
        run = dataclasses.replace(empty.run, status=status, wall_seconds=18.0)
        with pytest.raises(CommandError) as wrong:
            with_metric(make_plan(("true",), OPTIONS), Report(dataclasses.replace(empty, run=run)))
        assert said in (wrong.value.hint or "")
        assert ("18 s" in (wrong.value.hint or "")) == (status == "interrupted")
