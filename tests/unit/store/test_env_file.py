"""The files that the driver of an environment writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from goldsplit.errors import DamagedRunError
from goldsplit.model.env_alone.drive_record import (
    Bucket,
    EpisodeLength,
    Played,
    PlayHash,
    Problem,
    Request,
    SpeedWindow,
)
from goldsplit.model.wire import File
from goldsplit.store.env_file import read_env_file

TIMES = {"calls": 2, "ns": 30, "longest_ns": 20, "buckets": [[100, 1, 10], [105, 0, 0], [110, 1, 20]]}
DRIVEN = {
    "environment": "Game",
    "batch": None,
    "mask": "action_masks",
    "mask_ns": 5,
    "calls": 2,
    "steps": 2,
    "warm_up_calls": 1,
    "timed_steps": 1,
    "timed_ns": 20,
    "times": TIMES,
    "windows": [[1, 20]],
    "step_ns": 30,
    "resets": {"calls": 0, "ns": 0, "longest_ns": 0, "buckets": []},
    "first_reset_ns": None,
    "wall_ns": 50,
    "hash_ns": 3,
    "episodes": None,
    "lengths": [[2, 1]],
    "hash": {"value": "abc", "version": 1, "steps": 2, "wanted": 10},
    "dead_ends": 0,
}


def written(**changed: Any) -> dict[str, Any]:
    asked = {"target": "game:Game", "policy": "random", "seed": 3, "vector": 1, "steps": None}
    return {"asked": asked, "finished": True, "problem": None, "driven": DRIVEN} | changed


def read(folder: Path, content: Any) -> Any:
    path = folder / File.DRIVE_RECORDED
    path.write_text(json.dumps(content))
    return read_env_file(path)


def test_what_is_there_is_read(tmp_path: Path) -> None:
    assert read_env_file(tmp_path / File.DRIVE_RECORDED) is None
    record = read(tmp_path, written())
    assert (record.request, record.finished, record.problem) == (
        Request("game:Game", "random", 3, 1),
        True,
        None,
    )
    played = record.played
    assert played.times.buckets == (Bucket(100, 1, 10), Bucket(110, 1, 20)), "empty buckets say nothing"
    assert (played.windows, played.lengths) == ((SpeedWindow(1, 20),), (EpisodeLength(2, 1),))
    assert (played.hash, played.episodes) == (PlayHash("abc", 2, 10), None)


def test_a_driver_that_failed_before_its_first_reset(tmp_path: Path) -> None:
    problem = {"message": "no module", "hint": "install it", "trace": ""}
    record = read(tmp_path, written(driven=None, finished=False, problem=problem))
    assert (record.played, record.problem) == (Played(), Problem("no module", "install it", ""))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '"x"', "\x00"])
def test_damage_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / File.DRIVE_RECORDED
    path.write_text(text)
    with pytest.raises(DamagedRunError, match=r"env\.json") as told:
        read_env_file(path)
    assert told.value.hint


@pytest.mark.parametrize("key", sorted(DRIVEN))
@pytest.mark.parametrize("value", ["x", [[1]], {}, -1, 10**30])
def test_figures_of_the_wrong_kind_are_damage_or_text(tmp_path: Path, key: str, value: Any) -> None:
    if key in ("environment", "mask") or (key in ("windows", "lengths") and value == {}):
        assert read(tmp_path, written(driven=DRIVEN | {key: value})) is not None
        return
    with pytest.raises(DamagedRunError, match="not what a driver writes"):
        read(tmp_path, written(driven=DRIVEN | {key: value}))
