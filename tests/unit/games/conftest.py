"""What the tests of all games share."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def one_thread_of_torch(request: pytest.FixtureRequest) -> Iterator[None]:
    """Plain twins work on tiny tensors: threads that wait for each other only slow them down."""
    if "torch" not in sys.modules and not request.node.get_closest_marker("needs_torch"):
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
