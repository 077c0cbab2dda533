"""The command: what it refuses, and how names are chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from goldsplit.cli.experiments.ab import ab, experiment_folder, make_plan
from goldsplit.cli.main import cli
from goldsplit.errors import GoldsplitError
from goldsplit.experiment.metrics import CPU_METRIC
from goldsplit.store.experiment_files import create_experiment

NOTHING: dict[str, Any] = dict.fromkeys(
    ("metric", "pairs", "minimum_gain", "seed", "seed_variable", "duration", "name", "experiments")
) | {"variants": (), "gates": (), "early_stop": False, "equivalent": False, "ci": False, "resume": False}


def test_a_plan_file_and_what_the_command_line_changes(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text('command = ["true"]\npairs = 4\n[variants.a]\nargs = "x"\n')
    options = NOTHING | {"pairs": 9, "ci": True, "name": "mine"}
    plan = make_plan((str(file),), options)
    assert (plan.name, plan.pairs, plan.metric, plan.command) == ("mine", 9, CPU_METRIC, ("true",))
    assert make_plan((str(file), "false"), NOTHING).command == ("false",)


def test_all_on_the_command_line() -> None:
    options = NOTHING | {
        "variants": ("a:env=X=1",),
        "gates": ("win_rate",),
        "duration": 5.0,
        "early_stop": True,
    }
    plan = make_plan(("true", "my train.py"), options)
    assert (plan.name, plan.duration_seconds, plan.early_stop) == ("my-train", 5.0, True)
    assert [variant.name for variant in plan.variants] == ["base", "a"]
    assert plan.gates[0].name == "win_rate"


def test_a_name_that_is_taken_gets_a_number_unless_it_goes_on(tmp_path: Path) -> None:
    options = NOTHING | {"variants": ("a:env=X=1",), "experiments": tmp_path}
    plan = make_plan(("true", "t.py"), options)
    assert experiment_folder(plan, options)[0] == tmp_path / "t"
    create_experiment(tmp_path / "t", plan)
    folder, renamed = experiment_folder(plan, options)
    assert (folder, renamed.name) == (tmp_path / "t-2", "t-2")
    more = make_plan(("true", "t.py"), options | {"pairs": 16})
    assert experiment_folder(more, options | {"resume": True}) == (tmp_path / "t", more)
    other = make_plan(("false", "t.py"), options)
    with pytest.raises(GoldsplitError, match="another plan"):
        experiment_folder(other, options | {"resume": True})


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["p.toml", "--name", "fps", "--pairs", "3"], ("true",)),
        (["--pairs", "3", "p.toml", "--name", "fps"], ("true",)),
        (["--pairs", "3", "p.toml", "--name", "fps", "--", "echo", "--name", "x"], ("echo", "--name", "x")),
        (["--pairs", "3", "--name=fps", "p.toml", "echo", "--name", "x"], ("echo", "--name", "x")),
    ],
)
def test_options_may_follow_the_plan(arguments: list[str], command: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text('command = ["true"]\n[variants.a]\nargs = "x"\n')
    words = [str(file) if word == "p.toml" else word for word in arguments]
    context = ab.make_context("ab", words, help_option_names=["-h", "--help"])
    plan = make_plan(context.params.pop("plan_or_command"), context.params)
    assert (plan.name, plan.pairs, plan.command) == ("fps", 3, command)


def test_an_unknown_option_after_the_plan_is_called_that() -> None:
    result = CliRunner().invoke(cli, ["ab", "p.toml", "--nmae", "fps"])
    assert result.exit_code == 2
    assert "No such option" in result.output
    assert "--name" in result.output


def test_a_training_command_keeps_its_options() -> None:
    context = ab.make_context(
        "ab", ["--pairs", "3", "python", "t.py", "--name", "x"], help_option_names=["-h", "--help"]
    )
    assert context.params["plan_or_command"] == ("python", "t.py", "--name", "x")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--variant", "a:env=X=1"], "no command"),
        (["--", "true"], "nothing to compare"),
        (["--variant", "a:env=X=1", "--", "no-such-program"], "cannot run"),
        (["--variant", "a:env=X=1", "--metric", "fps", "--", "true"], "no metric"),
        (["--variant", "a:env=X=1", "--resume", "--name", "never", "--", "true"], "holds no experiment"),
        (["missing.toml"], "cannot read"),
        (["--variant", "a:with=threads:x", "--", "true"], "variant a: --with: overlay threads cannot"),
        (["--variant", "a:env=X=1", "--metric", "seconds_to_target", "--", "true"], "without a target"),
        (["--variant", "a:env=X=1", "--metric", "stage:env.stp", "--", "true"], "no stage 'env.stp'"),
    ],
)
def test_wrong_input(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["ab", *arguments])
    assert isinstance(result.exception, GoldsplitError)
    assert message in result.exception.message
    assert result.exception.hint
    assert list(tmp_path.iterdir()) == []
