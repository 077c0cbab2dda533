"""A GPU as a profile shows it, for the tests of rules about it."""

from __future__ import annotations

import dataclasses
from typing import Any

from goldsplit.model.device.device_use import DeviceCopy, DeviceIdle, DeviceStage, DeviceUse, DeviceWait
from goldsplit.model.finding import Place

TRAIN = "/home/me/game/train.py"
LEARN = DeviceStage("learn.backward", 0.1, 40.0, 100.0)
LAUNCHES = DeviceIdle("launches", "learn.backward", 0.4)
READ = DeviceWait("item", Place(TRAIN, 12, "act"), 0.6)
LOSS = DeviceWait("item", Place(TRAIN, 30, "learn"), 0.4)
COPY = DeviceCopy("HtoD", "pageable", 1.0, 4096.0, 0.08)


def device(**changes: Any) -> DeviceUse:
    made = DeviceUse("cuda", 0, "RTX", True, "", 0.3, 20, 6, 1.0, 0.2, [LEARN], [LAUNCHES])
    return dataclasses.replace(made, **changes)
