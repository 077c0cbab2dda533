"""Checkpoints: the round trip, and what every other file is answered with."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from goldsplit.train.checkpoints import (
    FILE_NAME,
    Checkpoint,
    check_same,
    head,
    load,
    random_states,
    restore_random,
    save,
)
from goldsplit.train.errors import TrainError
from goldsplit.train.options import DqnOptions, PpoOptions

OPTIONS = DqnOptions(game="snake", envs=4, hidden=(8, 4), folder="there")


def written(folder: Path, **changes: Any) -> Path:
    """A checkpoint whose header was changed."""
    path = save(
        folder / FILE_NAME, Checkpoint("dqn", OPTIONS, {"steps": 7, "rows": np.arange(3)}, {"x": (1,)})
    )
    with zipfile.ZipFile(path) as parts:
        kept = {name: parts.read(name) for name in parts.namelist()}
    header = {**json.loads(kept["header.json"]), **changes}
    with zipfile.ZipFile(path, "w") as parts:
        for name, content in {**kept, "header.json": json.dumps(header).encode()}.items():
            parts.writestr(name, content)
    return path


def refused(path: Path, kind: str = "dqn") -> TrainError:
    with pytest.raises(TrainError) as error:
        load(path, kind)
    assert error.value.hint
    return error.value


def test_round_trip_by_file_and_by_folder(tmp_path: Path) -> None:
    path = written(tmp_path)
    for place in (path, tmp_path):
        found = load(place, "dqn")
        assert (found.kind, found.options, found.run) == ("dqn", OPTIONS, {"x": (1,)})
        assert found.state["rows"].tolist() == [0, 1, 2]
    header = head(path)
    assert (header.kind, header.steps, header.options) == ("dqn", 7, OPTIONS)


def test_other_files_are_answered_with_what_they_are(tmp_path: Path) -> None:
    assert "no checkpoint" in refused(tmp_path / "none.zip").message
    assert FILE_NAME in refused(tmp_path).message
    text = tmp_path / "text.zip"
    text.write_text("hello")
    assert "another kind of file" in refused(text).message
    network = tmp_path / "network.pt"
    torch.save({"w": torch.ones(2)}, network)
    assert "it has no part header.json" in refused(network).message
    foreign = written(tmp_path / "a", format="other")
    assert "not the checkpoint of a training" in refused(foreign).message
    listed = tmp_path / "list.zip"
    with zipfile.ZipFile(listed, "w") as parts:
        parts.writestr("header.json", "[1]")
    assert "not the checkpoint of a training" in refused(listed).message


def test_versions_and_kinds(tmp_path: Path) -> None:
    newer = refused(written(tmp_path, version=99, goldsplit="9.9"))
    assert "format version 99" in newer.message
    assert "9.9" in newer.hint
    other = refused(written(tmp_path), kind="ppo")
    assert "holds a dqn training" in other.message
    assert "goldsplit train dqn" in other.hint
    assert "'sac'" in refused(written(tmp_path, kind="sac")).message


@pytest.mark.parametrize("options", [{"unknown": 1}, {"envs": "many"}, {"envs": 0}, {"hidden": [1.5]}])
def test_options_of_another_version_are_refused(options: Any, tmp_path: Path) -> None:
    assert "this goldsplit does not know" in refused(written(tmp_path, options=options)).message


@pytest.mark.parametrize("options", [[1], None])
def test_options_that_are_none_are_refused(options: Any, tmp_path: Path) -> None:
    assert "has no options" in refused(written(tmp_path, options=options)).message


def test_a_damaged_state_is_said(tmp_path: Path) -> None:
    path = written(tmp_path)
    with zipfile.ZipFile(path) as parts:
        kept = {name: parts.read(name) for name in parts.namelist()}
    with zipfile.ZipFile(path, "w") as parts:
        for name, content in {**kept, "arrays.bin": b""}.items():
            parts.writestr(name, content)
    assert "arrays" in refused(path).message
    with zipfile.ZipFile(path, "w") as parts:
        for name, content in {**kept, "state.json": b"{}"}.items():
            parts.writestr(name, content)
    assert "cannot be read" in refused(path).message


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainError, match="cannot be written"):
        save(tmp_path / "file" / "x.zip", Checkpoint("dqn", OPTIONS, {}))


def test_options_that_must_stay() -> None:
    check_same(OPTIONS, DqnOptions(game="snake", envs=4, hidden=(8, 4), steps=9, folder="else"))
    with pytest.raises(TrainError, match=r"hidden = \[128, 128\], but .* with \[8, 4\]"):
        check_same(OPTIONS, DqnOptions(game="snake", envs=4))
    with pytest.raises(TrainError, match="rollout = 64"):
        check_same(PpoOptions(), PpoOptions(rollout=64))


def test_random_numbers_go_on(tmp_path: Path) -> None:
    torch.manual_seed(3)
    save(tmp_path / "a.zip", Checkpoint("dqn", OPTIONS, random_states()))
    expected = torch.rand(4)
    restore_random(load(tmp_path / "a.zip", "dqn").state)
    assert torch.equal(torch.rand(4), expected)
