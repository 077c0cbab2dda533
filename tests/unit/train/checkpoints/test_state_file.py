"""Plain data, arrays and tensors through a file: nothing changes, and damage is found."""

from __future__ import annotations

import math
import random
from collections import OrderedDict, deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from goldsplit.train.checkpoints.state_file import (
    DamagedError,
    NotPlainError,
    read_header,
    read_state,
    write_state,
)


def through(state: Any, folder: Path) -> Any:
    write_state(folder / "state.zip", {"format": "test"}, state)
    return read_state(folder / "state.zip")


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        2**127 + 1,
        0.1,
        -0.0,
        math.inf,
        "ü\n",
        b"",
        b"\x00\xff",
        [],
        [1, [2, (3, None)]],
        (1, (2,)),
        {},
        {"a": 1, 2: {3: (4,)}, None: 0, (1, 2): "x"},
        deque([1, (2, 3)], maxlen=5),
        deque([1]),
        np.random.default_rng(3).bit_generator.state,
        random.Random(3).getstate(),
    ],
)
def test_plain_data_comes_back_as_it_was(value: Any, tmp_path: Path) -> None:
    found = through(value, tmp_path)
    assert found == value
    assert type(found) is type(value)
    if isinstance(value, deque):
        assert found.maxlen == value.maxlen


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i1", "u8", "?", ">i4", "c16"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 4), (2, 3, 4)])
def test_arrays_come_back_bit_by_bit(dtype: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    array = np.arange(math.prod(shape)).reshape(shape).astype(dtype)
    found = through([array, array.T], tmp_path)
    assert found[0].tobytes() == array.tobytes()
    assert (found[0].dtype, found[0].shape) == (array.dtype, shape)
    assert np.array_equal(found[1], array.T)
    assert found[0].flags.owndata
    assert found[0].flags.writeable


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.uint8])
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_tensors_come_back_bit_by_bit(dtype: torch.dtype, shape: tuple[int, ...], tmp_path: Path) -> None:
    tensor = torch.arange(math.prod(shape)).reshape(shape).to(dtype)
    found = through({"x": tensor, "t": tensor.T if tensor.ndim == 2 else tensor}, tmp_path)
    assert torch.equal(found["x"], tensor)
    assert found["x"].dtype is dtype
    assert found["t"].shape == (tensor.T if tensor.ndim == 2 else tensor).shape


def test_numbers_of_numpy_keep_their_type(tmp_path: Path) -> None:
    found = through([np.float32(0.1), np.int64(-3), np.bool_(True)], tmp_path)
    assert [type(one) for one in found] == [np.float32, np.int64, np.bool_]
    assert found == [np.float32(0.1), -3, True]


def test_a_network_and_its_optimizer(tmp_path: Path) -> None:
    network = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(network.parameters())
    network(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    found = through({"network": network.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path)
    other = torch.nn.Linear(3, 2)
    second = torch.optim.Adam(other.parameters())
    other.load_state_dict(OrderedDict(found["network"]))
    second.load_state_dict(found["optimizer"])
    for model, steps in ((network, optimizer), (other, second)):
        steps.zero_grad()
        model(torch.ones(1, 3)).sum().backward()
        steps.step()
    assert torch.equal(network.weight, other.weight)


class Thing:
    pass


@pytest.mark.parametrize("value", [Thing(), {1, 2}, np.array([Thing()]), torch.optim])
def test_anything_else_is_refused_with_its_way(value: Any, tmp_path: Path) -> None:
    with pytest.raises(NotPlainError, match=r"state\['deep'\]\[0\] is a "):
        write_state(tmp_path / "state.zip", {}, {"deep": [value]})
    assert list(tmp_path.iterdir()) == [], "neither a file nor a part of one"


def test_a_failed_write_leaves_the_file_before(tmp_path: Path) -> None:
    path = tmp_path / "state.zip"
    write_state(path, {"n": 1}, "good")
    with pytest.raises(NotPlainError):
        write_state(path, {"n": 2}, Thing())
    assert (read_header(path), read_state(path)) == ({"n": 1}, "good")
    assert [file.name for file in tmp_path.iterdir()] == ["state.zip"]


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_off_is_damaged(share: float, tmp_path: Path) -> None:
    path = tmp_path / "state.zip"
    write_state(path, {}, np.arange(1_000))
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(DamagedError):
        read_state(path)


def test_a_changed_bit_is_found(tmp_path: Path) -> None:
    path = tmp_path / "state.zip"
    write_state(path, {}, np.arange(10_000))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(DamagedError):
        read_state(path)
