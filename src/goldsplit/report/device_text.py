"""What the GPU did, in words: for the verdict of the terminal and of the page."""

from __future__ import annotations

from goldsplit.model.device.device_use import DeviceCopy, DeviceIdle, DeviceUse
from goldsplit.model.profile import Profile
from goldsplit.report import words
from goldsplit.report.bottleneck import Line

#: Stages, causes and lines below this share are left out.
LEAST_SHARE = 0.01
MOST_NAMED = 4
_CAUSES = {
    "host": "the host was busy in {}",
    "environments": "the environments worked ({})",
    "copies": "the host copied ({})",
    "launches": "the host gave it work too slowly in {}",
    "waiting": "the host waited in {}",
}


def device_lines(profile: Profile) -> list[Line]:
    """One paragraph for each device; none where the run used none."""
    return [line for use in profile.devices for line in _lines(use)]


def _lines(use: DeviceUse) -> list[Line]:
    name = use.name or use.kind
    found = [Line("Device", f"{name}: {'; '.join(_figures(use))}", "warning" if use.note else "plain")]
    texts = (_work(use), _idle(use), _waits(use), _copies(use), _memory(use))
    return found + [Line("", text) for text in texts if text]


def _figures(use: DeviceUse) -> list[str]:
    parts = [use.note] if use.note else []
    if use.busy_share is not None:
        parts.append(
            f"busy {words.share(use.busy_share)} of wall time (from {use.kernel_windows} windows of torch's "
            f"profiler, {use.window_seconds:.1f} s)"
        )
    if use.waited_share is not None and use.waited_share >= 0.001:
        parts.append(f"the driver waited for it {words.share(use.waited_share)} of wall time")
    return parts or [f"busy {words.NOT_MEASURED}"]


def _work(use: DeviceUse) -> str:
    rows = [row for row in use.stages if row.busy_share >= LEAST_SHARE]
    if not rows:
        return ""
    named = [f"{row.stage or words.NO_STAGE} {words.share(row.busy_share)}" for row in rows[:MOST_NAMED]]
    return f"It worked for {words.listing(named, MOST_NAMED)}."


def _idle(use: DeviceUse) -> str:
    rows = [row for row in use.idle if row.share >= LEAST_SHARE][:MOST_NAMED]
    return f"It was idle while {words.listing([_cause(row) for row in rows], MOST_NAMED)}." if rows else ""


def _cause(row: DeviceIdle) -> str:
    stage = row.stage or words.NO_STAGE
    return f"{_CAUSES.get(row.cause, '{}').format(stage)} {words.share(row.share)}"


def _waits(use: DeviceUse) -> str:
    named = [
        f"{row.call} at {words.file_and_line(row.place.file, row.place.line)} ({words.share(row.part)})"
        for row in use.waits[:MOST_NAMED]
    ]
    return f"Lines that wait for it: {words.listing(named, MOST_NAMED)}." if named else ""


def _copies(use: DeviceUse) -> str:
    named = [
        f"{row.direction}{f' {row.memory}' if row.memory else ''}: {_size_each(row)}"
        f"{words.share(row.share_of_windows)} of the windows"
        for row in use.copies[:MOST_NAMED]
    ]
    return f"Copies: {words.listing(named, MOST_NAMED)}." if named else ""


def _size_each(row: DeviceCopy) -> str:
    return f"{words.size(round(row.bytes_each))} each, " if row.bytes_each is not None else ""


def _memory(use: DeviceUse) -> str:
    parts = []
    if use.memory_peak_bytes is not None:
        parts.append(f"memory at peak {words.size(use.memory_peak_bytes)} by torch's allocator")
    if use.utilisation is not None:
        parts.append(f"NVML: a kernel was resident {words.share(use.utilisation)} of the time")
    return f"{' · '.join(parts)}." if parts else ""
