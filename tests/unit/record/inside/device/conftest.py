"""A device without a device: its clock is the test's, and it reaches marks when the test says so."""

from __future__ import annotations

from typing import Any

import pytest


class FakeClock:
    """Each mark is the device's time at which it will be reached."""

    kind = "cuda"

    def __init__(self) -> None:
        self.time_ns = 0
        self.marks = 0
        self.given_back: list[Any] = []
        self.reached = True
        self.capturing = False
        self.fails = False

    def index(self) -> int:
        return 0

    def mark(self) -> int:
        if self.fails:
            raise RuntimeError("no event")
        self.marks += 1
        self.time_ns += 1_000
        return self.time_ns

    def has_reached(self, mark: int) -> bool:
        return self.reached

    def between_ns(self, first: int, second: int) -> int:
        return second - first

    def give_back(self, marks: list[Any], index: int) -> None:
        self.given_back += marks

    def is_capturing(self) -> bool:
        return self.capturing

    def peak_bytes(self) -> int | None:
        return 4096


@pytest.fixture
def device() -> FakeClock:
    return FakeClock()
