"""The report's `devices`: what the training process's device did, as far as it was looked at."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.device.device_causes import DeviceCauses, KernelLook
from goldsplit.analyse.device.idle_causes import gap_us, idle_causes
from goldsplit.analyse.device.per_call import PerCall, calls_in_run, host_times, per_call
from goldsplit.analyse.intermediate import Intermediate
from goldsplit.model.device.device_record import Setting, Work
from goldsplit.model.device.device_use import DeviceCopy, DeviceIdle, DeviceStage, DeviceUse, DeviceWait
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.profile import Fact
from goldsplit.model.progress import Throughput
from goldsplit.model.recording import Recording
from goldsplit.model.wire import Counter as Counters

NOT_ASKED = "device not measured, waits for it count where the program waits: record with --gpu"
_NO_WINDOW = "device not measured: no window of its clock or of torch's profiler lies in the steady phase"
_COPY = re.compile(r"Memcpy (?P<way>\w+)(?: \((?P<source>\w+) -> (?P<goal>\w+)\))?")
#: Names of kernels of matrix products, and of those that use half precision or tensor cores.
_PRODUCT = re.compile(r"gemm|gemv|conv|cutlass|wgrad|dgrad|fprop|nvjet|splitK", re.IGNORECASE)
_HALF = re.compile(r"bf16|fp16|f16|half|h16816|tf32|s1688|tensorop|hmma", re.IGNORECASE)
MOST_WAITS = 8
#: A stage with this part of the driver's time may hide much of the device's work if no window saw it.
LEAST_UNSEEN = 0.03


@dataclass(frozen=True, slots=True)
class _Measured:
    """What windows of torch's profiler give."""

    looks: list[KernelLook]
    stages: list[DeviceStage]
    idle: list[DeviceIdle]
    launches: float
    """In the whole steady phase."""
    unseen: list[str]
    """Stages with a good part of the driver's time into which no window fell."""

    @property
    def work(self) -> list[Work]:
        return [one for look in self.looks for one in look.window.work]

    @property
    def seconds(self) -> float:
        return sum(look.window.end_ns - look.window.start_ns for look in self.looks) / 1e9


def device_uses(found: Intermediate, seen: list[Fact], speed: Throughput) -> list[DeviceUse]:
    """One row for the device of the training process; none where it used no device."""
    settings = found.own.process.device.settings
    if not settings:
        return []
    causes = found.finder.device
    measured = _measured(causes.looks if causes is not None else [], found)
    wall = found.own.wall_ns(*found.borders) or 1
    index = _whole(settings.get(Setting.INDEX))
    asked = bool(settings.get(Setting.ASKED))
    is_whole = bool(measured.looks) and not measured.unseen
    return [
        DeviceUse(
            kind=str(settings.get(Setting.KIND, "")),
            index=index,
            name=str(settings.get(Setting.NAME, "")),
            asked=asked,
            note=_note(asked, causes, str(settings.get(Setting.NO_WINDOWS, "")), measured.unseen),
            waited_share=min(1.0, found.split.device_ns / wall) if asked else None,
            mark_windows=causes.marks if causes is not None else 0,
            kernel_windows=len(measured.looks),
            window_seconds=measured.seconds,
            busy_share=min(1.0, sum(row.busy_share for row in measured.stages)) if is_whole else None,
            stages=measured.stages,
            idle=measured.idle,
            copies=_copies(measured, speed.env_steps),
            waits=_waits(seen, found.driver.process.pid),
            launches_per_env_step=_each(measured, speed.env_steps),
            launches_per_update=_each(measured, speed.updates),
            gap_us=gap_us(measured.looks),
            half_precision_share=_part(measured.work, _HALF),
            product_share=_part(measured.work, _PRODUCT),
            memory_peak_bytes=_peak(found.own, found.borders[1]),
            utilisation=_utilisation(found.recording, index, found.borders),
            matmul_precision=_text(settings.get(Setting.MATMUL_PRECISION)),
            graphs=_whole(settings.get(Setting.GRAPHS)),
            capability=_numbers(settings.get(Setting.CAPABILITY)),
        )
    ]


def _measured(looks: list[KernelLook], found: Intermediate) -> _Measured:
    sums = per_call(looks)
    series, thread, borders = found.own, found.driver.thread, found.borders
    wall = series.wall_ns(*borders) or 1
    calls, host = calls_in_run(series, thread, borders), host_times(series, thread, borders)
    stages, launches = [], 0.0
    for stage, launched in sums.launches.items():
        total_ns = sums.total_ns(stage, calls[stage], host[stage])
        launches += launched * total_ns / (sums.work_ns[stage] or 1)
        stages.append(_stage(stage, total_ns / wall, sums))
    shares: dict[str, float] = defaultdict(float)
    for node, ns in series.self_times(thread, *borders).items():
        shares[series.owner_of(thread, node).stage] += ns / wall
    shares[""] += max(0.0, 1.0 - sum(shares.values()))
    stages.sort(key=lambda row: -row.busy_share)
    unseen = [
        stage
        for stage, ns in host.items()
        if looks and stage and ns / wall >= LEAST_UNSEEN and not sums.host_ns[stage]
    ]
    return _Measured(looks, stages, idle_causes(looks, sums.launches, shares), launches, sorted(unseen))


def _stage(stage: str, share: float, sums: PerCall) -> DeviceStage:
    calls = sums.calls[stage]
    return DeviceStage(
        stage=stage,
        busy_share=min(1.0, share),
        launches_per_call=sums.launches_of_calls[stage] / calls if calls else None,
        work_us_per_call=sums.work_of_calls_ns[stage] / calls / 1e3 if calls else None,
    )


def _note(asked: bool, causes: DeviceCauses | None, no_windows: str, unseen: list[str]) -> str:
    if not asked:
        return NOT_ASKED
    if causes is None:
        return f"{_NO_WINDOW}{f' ({no_windows})' if no_windows else ''}"
    if not causes.looks:
        return f"kernels not measured: {no_windows or 'no window of the profiler'}"
    if unseen:
        return (
            f"busy share not measured: no window of the profiler fell into {', '.join(unseen)}; record longer"
        )
    return ""


def _each(measured: _Measured, number: int | None) -> float | None:
    return measured.launches / number if measured.looks and number else None


def _copies(measured: _Measured, env_steps: int | None) -> list[DeviceCopy]:
    """Copies by direction and memory, the most expensive first."""
    groups: dict[tuple[str, str], list[Work]] = defaultdict(list)
    work = measured.work
    for one in work:
        seen = _COPY.match(one.name)
        if seen is not None:
            sides = f"{seen['source']} {seen['goal']}".lower()
            memory = "pageable" if "pageable" in sides else "pinned" if "pinned" in sides else ""
            groups[seen["way"], memory].append(one)
    scale = measured.launches / len(work) if work else 0.0
    rows = [
        DeviceCopy(
            direction=way,
            memory=memory,
            count_per_env_step=len(copies) * scale / env_steps if env_steps else None,
            bytes_each=sum(copy.bytes for copy in copies) / len(copies) or None,
            share_of_windows=sum(copy.end_ns - copy.start_ns for copy in copies) / 1e9 / measured.seconds
            if measured.seconds
            else 0.0,
        )
        for (way, memory), copies in groups.items()
    ]
    return sorted(rows, key=lambda row: -row.share_of_windows)


def _waits(seen: list[Fact], pid: int) -> list[DeviceWait]:
    """The lines that waited for the device, by the time of the waits that were looked at."""
    rows = [
        fact
        for fact in seen
        if fact.kind == FactKind.DEVICE_WAIT and fact.pid == pid and fact.place is not None
    ]
    total = sum(fact.amount for fact in rows)
    rows.sort(key=lambda fact: -fact.amount)
    return [
        DeviceWait(fact.detail, fact.place, fact.amount / total)
        for fact in rows[:MOST_WAITS]
        if total > 0 and fact.place is not None
    ]


def _part(work: list[Work], names: re.Pattern[str]) -> float | None:
    """The part of the kernels' time in kernels with such names; copies are none."""
    times: Counter[bool] = Counter()
    for one in work:
        if not one.name.startswith(("Memcpy", "Memset")):
            times[bool(names.search(one.name))] += one.end_ns - one.start_ns
    total = sum(times.values())
    return times[True] / total if total else None


def _peak(series: Series, end_ns: int) -> int | None:
    value = series.summed(Counters.DEVICE_PEAK_BYTES, end_ns)
    return round(value) if value else None


def _utilisation(recording: Recording, index: int | None, borders: tuple[int, int]) -> float | None:
    """NVML's figure in the steady phase."""
    if index is None:
        return None
    rows = [
        sample.gpu[index].utilisation
        for sample in recording.system
        if len(sample.gpu) > index >= 0 and borders[0] <= sample.t_ns <= borders[1]
    ]
    return sum(rows) / len(rows) if rows else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _numbers(value: Any) -> list[int] | None:
    return [int(one) for one in value] if isinstance(value, list) and value else None
