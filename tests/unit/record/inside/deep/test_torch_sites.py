"""Calls of torch that the deep look sees."""

from __future__ import annotations

from threading import get_ident
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from goldsplit.record.inside.deep import torch_sites


def test_a_read_that_is_counted_already_is_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch finds the method of a read by its name, and so finds the one that counts it."""
    counted = []

    def item(tensor: torch.Tensor) -> Any:
        counted.append(tensor)
        return tensor.item()

    def nothing(*_: Any) -> None:
        return None

    monkeypatch.setitem(torch_sites._real_reads, "item", None)
    watch = SimpleNamespace(ident=get_ident(), lost_ns=0, set_profile=nothing, spend=nothing)
    sites: Any = SimpleNamespace(watch=watch, is_users=lambda code: False, close_call=nothing)
    assert torch_sites.TorchSites(sites).saw(item, (torch.tensor(3.0),), {}) == 3.0
    assert counted == []
