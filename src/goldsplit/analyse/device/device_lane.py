"""The device as a lane beside the processes' lanes, and its work in single spans for the exports."""

from __future__ import annotations

from goldsplit.analyse.device.device_causes import KernelLook
from goldsplit.model.detail import SpanWindow, StageSpan, ThreadName
from goldsplit.model.device.device_use import DeviceUse
from goldsplit.model.profile import Lane, LaneStage

DEVICE_ROLE = "device"
MOST_STAGES = 6
#: What work is called whose stage is not known.
OTHER_WORK = "other work"


def device_lane(use: DeviceUse, pid: int) -> Lane:
    """Busy and its stages; what was not measured is None."""
    idle = None if use.busy_share is None else max(0.0, 1.0 - use.busy_share)
    return Lane(
        pid=pid,
        process=use.name or use.kind,
        role=DEVICE_ROLE,
        thread=_title(use),
        thread_id=_id(use),
        busy_share=use.busy_share,
        wait_share=idle,
        barrier_share=None,
        charged_share=use.waited_share,
        cpu_seconds=None,
        env_steps=None,
        stages=[LaneStage(row.stage or OTHER_WORK, row.busy_share) for row in use.stages[:MOST_STAGES]],
    )


def device_name(use: DeviceUse, pid: int) -> ThreadName:
    """The device as a track of a timeline."""
    return ThreadName(pid, _id(use), use.name or use.kind, _title(use), DEVICE_ROLE)


def device_spans(looks: list[KernelLook], place: int, origin_ns: int) -> list[SpanWindow]:
    """The windows of torch's profiler: what the device worked for, when."""
    return [
        SpanWindow(
            place,
            (look.window.start_ns - origin_ns) / 1e9,
            (look.window.end_ns - look.window.start_ns) / 1e9,
            [
                StageSpan(
                    one.stage or OTHER_WORK,
                    "",
                    (one.start_ns - origin_ns) / 1e9,
                    (one.end_ns - one.start_ns) / 1e9,
                )
                for one in look.device.periods
                if one.start_ns >= look.window.start_ns and one.end_ns <= look.window.end_ns
            ],
        )
        for look in looks
    ]


def _title(use: DeviceUse) -> str:
    return f"{use.kind}:{use.index}" if use.index is not None else use.kind


def _id(use: DeviceUse) -> int:
    """No thread of the system has such a number."""
    return -1 - (use.index or 0)
