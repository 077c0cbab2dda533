"""What a variant runs, where no git is needed."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from goldsplit.errors import ConfigError
from goldsplit.experiment.variants import prepare, takes_seed
from goldsplit.model.experiment.design import ConfigEdit, Variant


def test_a_variant_of_variables_and_arguments(make: SimpleNamespace, tmp_path: Path) -> None:
    plan = make.plan(command=("python", "train.py", "--seed", "{seed}"))
    assert takes_seed(plan)
    prepared = prepare(plan, Variant("x", {"A": "1"}, ("--b", "2")), tmp_path / "e", tmp_path)
    assert prepared.command_for(7) == ("python", "train.py", "--seed", "7", "--b", "2")
    assert prepared.environment_for(7, "SEED") == {"A": "1", "SEED": "7", "PYTHONHASHSEED": "7"}
    assert prepared.directory is None
    own = prepare(plan, Variant("x", {"PYTHONHASHSEED": "0"}), tmp_path / "e", tmp_path)
    assert own.environment_for(7, "")["PYTHONHASHSEED"] == "0", "the variant's own wish wins"


def test_a_settings_file_is_copied_and_the_copy_is_named(make: SimpleNamespace, tmp_path: Path) -> None:
    (tmp_path / "train.toml").write_text("a = 1\nb = 2\n")
    variant = Variant("x", edits=(ConfigEdit("train.toml", "a", "5"), ConfigEdit("train.toml", "b", "6")))
    for command in (("python", "t.py", "train.toml"), ("python", "t.py", "--config=train.toml")):
        prepared = prepare(make.plan(command=command), variant, tmp_path / "e", tmp_path)
        copy = Path(prepared.command[2].removeprefix("--config="))
        assert tomllib.loads(copy.read_text()) == {"a": 5, "b": 6}
        assert copy.is_absolute()
    assert (tmp_path / "train.toml").read_text() == "a = 1\nb = 2\n"


def test_a_settings_file_that_is_not_there(make: SimpleNamespace, tmp_path: Path) -> None:
    variant = Variant("x", edits=(ConfigEdit("no.toml", "a", "5"),))
    with pytest.raises(ConfigError, match=r"^cannot read no\.toml: No such file"):
        prepare(make.plan(command=("python", "no.toml")), variant, tmp_path / "e", tmp_path)
