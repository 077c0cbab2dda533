"""Hooks of calls that wait, on tensors that only say that they are on a device."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.record.inside.core import this_thread
from goldsplit.record.inside.device import wait_hooks
from goldsplit.record.inside.engine import ThreadState

torch = pytest.importorskip("torch")


@pytest.fixture
def hooked(state: ThreadState) -> Iterator[Any]:
    """As much of torch as the hooks need; its tensors are ours."""

    class Tensor:
        def __init__(self, is_cuda: bool) -> None:
            self.is_cuda = is_cuda

        def item(self, *args: Any, **kwargs: Any) -> str:
            return str(this_thread().current.stage)

        tolist = __bool__ = __int__ = __float__ = __index__ = cuda = cpu = to = copy_ = item

    class Waits:
        def synchronize(self) -> str:
            return str(this_thread().current.stage)

    def made(data: Any, **kwargs: Any) -> str:
        return str(this_thread().current.stage)

    fake = SimpleNamespace(
        Tensor=Tensor,
        device=torch.device,
        as_tensor=made,
        tensor=made,
        cuda=SimpleNamespace(
            synchronize=Waits().synchronize, Stream=Waits, Event=type("Event", (Waits,), {})
        ),
    )
    wait_hooks.install(fake)
    yield fake
    wait_hooks.remove()
    wait_hooks._gone.clear()


WAITS = "transfer.wait"


@pytest.mark.parametrize("name", ["item", "tolist", "cpu"])
def test_reads_of_the_device_wait_and_others_do_not(hooked: Any, name: str) -> None:
    assert getattr(hooked.Tensor(True), name)() == WAITS
    assert getattr(hooked.Tensor(False), name)() == ""


@pytest.mark.parametrize(
    ("on_device", "args", "kwargs", "waits"),
    [
        (True, ("cpu",), {}, True),
        (True, (), {"device": torch.device("cpu")}, True),
        (True, ("cuda",), {}, False),
        (False, ("cuda:1",), {}, True),
        (False, (torch.device("cuda"),), {}, True),
        (False, ("cuda",), {"non_blocking": True}, False),
        (False, (0,), {}, True),
        (True, (torch.float16,), {}, False),
    ],
)
def test_only_blocking_copies_wait(hooked: Any, on_device: bool, args: Any, kwargs: Any, waits: bool) -> None:
    assert (hooked.Tensor(on_device).to(*args, **kwargs) == WAITS) is waits


def test_copies_into_tensors(hooked: Any) -> None:
    host, device = hooked.Tensor(False), hooked.Tensor(True)
    assert device.copy_(host) == WAITS
    assert device.copy_(host, non_blocking=True) == ""
    assert device.copy_(device) == ""


def test_tensors_made_on_the_device(hooked: Any) -> None:
    assert hooked.as_tensor([1], device="cuda") == WAITS
    assert hooked.tensor([1], device="cpu") == ""
    assert hooked.tensor([1]) == ""


def test_synchronize(hooked: Any) -> None:
    assert hooked.cuda.synchronize() == WAITS
    assert hooked.cuda.Stream().synchronize() == WAITS
    assert hooked.cuda.Event().synchronize() == WAITS


def test_time_and_calls_are_counted_below_a_transfer(hooked: Any, state: ThreadState) -> None:
    for _ in range(3):
        hooked.Tensor(True).cpu()
    counts = {(node.parent.stage, node.stage): node.count for node in state.nodes if node.parent is not None}
    assert counts["transfer", WAITS] == 3
    assert counts["", "transfer"] == 3


def test_the_real_methods_come_back_for_good(hooked: Any) -> None:
    wait_hooks.remove()
    assert hooked.Tensor(True).item() == ""
    wait_hooks.install(hooked)
    assert hooked.Tensor(True).item() == ""


def test_real_torch_keeps_its_functions(state: ThreadState) -> None:
    try:
        wait_hooks.install(torch)
        assert pickle.loads(pickle.dumps(torch.tensor)) is torch.tensor
        assert torch.as_tensor([1, 2]).to(torch.float64).tolist() == [1.0, 2.0]
        assert torch.ones(1).item() == 1.0
        assert torch.zeros(2).copy_(torch.ones(2)).cpu().sum().item() == 2.0
    finally:
        wait_hooks.remove()
        wait_hooks._gone.clear()
    assert torch.tensor.__name__ == "tensor"
