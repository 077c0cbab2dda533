"""What the options choose: the device, the log of single steps, the memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from goldsplit.train.errors import TrainError
from goldsplit.train.memories import FastMemory, PlainMemory
from goldsplit.train.options import DqnOptions
from goldsplit.train.surroundings import find_device, make_memory, make_world

CPU = torch.device("cpu")


def test_the_device_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert find_device(DqnOptions(device="auto")).type == "cuda"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert find_device(DqnOptions(device="auto")) == CPU
    with pytest.raises(TrainError, match="no CUDA device can be used here\nhint: choose device=cpu"):
        find_device(DqnOptions(device="cuda"))
    with pytest.raises(TrainError, match="torch knows no device 'gpu'"):
        find_device(DqnOptions(device="gpu"))


def test_the_threads_of_torch_are_those_of_the_options() -> None:
    before = torch.get_num_threads()
    try:
        find_device(DqnOptions(device="cpu", threads=2))
        assert torch.get_num_threads() == 2
        find_device(DqnOptions(device="cpu", threads=1))
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_the_memory_of_the_surroundings() -> None:
    options = DqnOptions(game="snake", envs=2)
    world = make_world(options)
    memory = make_memory(options, world, CPU)
    assert isinstance(memory, FastMemory)
    assert not memory.on_device
    assert isinstance(make_memory(DqnOptions(game="snake", surroundings="plain"), world, CPU), PlainMemory)


def test_plain_surroundings_log_every_step_of_every_game(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    options = DqnOptions(game="CartPole-v1", envs=2, surroundings="plain", folder=str(folder))
    world = make_world(options)
    world.reset(0)
    for _ in range(3):
        world.step(np.array([0, 1]))
    world.close()
    lines = (folder / "steps.log").read_text().splitlines()
    assert len(lines) == 6
    assert "[STEP] n=6 env=1 action=1 reward=1.0000 info={}" in lines[-1]


def test_without_games_there_is_no_world() -> None:
    with pytest.raises(TrainError, match="envs is 0"):
        make_world(DqnOptions(game="snake"), envs=0)
