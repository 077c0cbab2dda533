"""How an update is carried out: as it is on the CPU; on CUDA as the options say, with a way back."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from goldsplit.fast.learner import GraphedUpdate
from goldsplit.train.options import DqnOptions
from goldsplit.train.updating.carrying_out import Eager, carried_out, mode_of

WEIGHT = torch.nn.Parameter(torch.zeros(3))
OPTIMIZER = torch.optim.Adam([WEIGHT])


def update(value: torch.Tensor) -> torch.Tensor:
    return value + 1


def test_on_the_cpu_an_update_stays_as_it_is() -> None:
    options = DqnOptions(amp=True, compile=True)
    assert carried_out(update, OPTIMIZER, options, torch.device("cpu")) is update
    assert mode_of(update) == "eager"


def test_on_cuda_the_options_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = torch.device("cuda")
    assert isinstance(carried_out(update, OPTIMIZER, DqnOptions(), cuda), GraphedUpdate)
    assert isinstance(carried_out(update, OPTIMIZER, DqnOptions(graph=False), cuda), Eager)
    assert isinstance(carried_out(update, OPTIMIZER, DqnOptions(surroundings="plain"), cuda), Eager)


def test_where_compilation_fails_the_update_runs_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def broken(value: torch.Tensor) -> torch.Tensor:
        calls.append(value)
        raise RuntimeError("no compiler here")

    monkeypatch.setattr(torch, "compile", lambda function, dynamic: broken)
    monkeypatch.setattr(torch, "autocast", lambda *a, **k: torch.no_grad())
    eager = Eager(update, amp=False, compiled=True)
    assert eager(torch.ones(1)).item() == eager(torch.ones(1)).item() == 2.0
    assert len(calls) == 1
    assert mode_of(eager) == "eager (not compiled: RuntimeError)"
