"""Give the driver's waits for the device to the stages whose work the device did meanwhile."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING

from goldsplit.analyse.wall.causes import WaitEvidence
from goldsplit.analyse.wall.ownership import ROOT, Owner
from goldsplit.model.stage import TRANSFER

if TYPE_CHECKING:
    from goldsplit.analyse.device.device_causes import DeviceCauses
    from goldsplit.analyse.wall.partition import StageTime


def charge_device(
    stages: MutableMapping[str, StageTime], device: DeviceCauses | None, node: int, ns: float, owner: Owner
) -> None:
    """Divide one waiting node's time. What the device does not explain (it was idle: the call itself, the
    copy's way, waking up) belongs to the stage around the wait."""
    around = owner.enclosing or TRANSFER
    evidence = device.evidence(node) if device is not None else WaitEvidence()
    shares = evidence.shares()
    half_widths = evidence.half_widths(shares)
    if not shares:  # the device was not looked at: it is not known what it did
        stages[owner.stage].direct_ns += ns
        return
    for cause, share in shares.items():
        target = stages[cause.stage or around]
        target.direct_ns += ns * share
        target.uncertain_ns += ns * half_widths.get(cause, 0.0)
        if cause.stage:
            target.device_ns += ns * share


def move_held_up(
    stages: MutableMapping[str, StageTime],
    device: DeviceCauses | None,
    direct: MutableMapping[str, float],
    own: MutableMapping[int, float],
) -> None:
    """Where the host was held up in calls that no hook sees (a full queue, a copy inside a library), that
    part of a stage's time goes to the stage whose work the device did."""
    if device is None:
        return
    for stage in list(direct):
        for other, part in device.moved(stage).items():
            _move(stages, other, part * direct[stage])
            direct[stage] -= part * direct[stage]
    for other, part in device.moved("").items():
        _move(stages, other, part * own[ROOT])
        own[ROOT] -= part * own[ROOT]


def _move(stages: MutableMapping[str, StageTime], stage: str, ns: float) -> None:
    stages[stage].direct_ns += ns
    stages[stage].device_ns += ns
