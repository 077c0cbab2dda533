"""What rules about the GPU share: the device that was measured, and its work for learning."""

from __future__ import annotations

from goldsplit.diagnose.rule import record_again
from goldsplit.model.device.device_use import DeviceUse
from goldsplit.model.profile import Profile
from goldsplit.model.stage import LEARN

#: Fewer windows of torch's profiler say too little.
LEAST_WINDOWS = 2


def measured_device(profile: Profile) -> DeviceUse | None:
    """The training process's device, if torch's profiler has looked at it."""
    return next(
        (
            use
            for use in profile.devices
            if use.busy_share is not None and use.kernel_windows >= LEAST_WINDOWS
        ),
        None,
    )


def learning_work(use: DeviceUse) -> float:
    """The share of wall time in which the device worked for learning."""
    return sum(row.busy_share for row in use.stages if row.stage.startswith(LEARN))


def idle_share(use: DeviceUse, cause: str, prefix: str = "") -> float:
    """The share of wall time in which the device was idle for one cause, in stages that begin with a text."""
    return sum(row.share for row in use.idle if row.cause == cause and row.stage.startswith(prefix))


def waited_for(profile: Profile, use: DeviceUse) -> float:
    """The share of wall time in which the host stood still for the device: a faster device saves no more."""
    held = sum(row.device_share for row in profile.stages)
    return min(0.99, max(use.waited_share or 0.0, held))


def record_device_again(profile: Profile) -> str:
    """The command that measures the device after the change."""
    return record_again(profile).replace("record --", "record --gpu --", 1)
