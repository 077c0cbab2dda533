"""What a run did with its GPU. Field names are those of the report JSON; None means "not measured"."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from goldsplit.model.device.device_record import Setting
from goldsplit.model.finding import Place


@dataclass(frozen=True, slots=True)
class DeviceStage:
    """The device's work for one stage: kernels and copies that the host asked for while it was in it."""

    stage: str
    busy_share: float
    """Of the steady phase's wall time in which the device did this work."""
    launches_per_call: float | None
    """Kernels and copies for one call of the stage."""
    work_us_per_call: float | None
    """How long the device worked for one call."""


@dataclass(frozen=True, slots=True)
class DeviceIdle:
    """Time in which the device did nothing, and what the host did meanwhile."""

    cause: str
    """`host` (busy in the stage), `environments`, `copies`, `launches` (the host gives the device its work
    too slowly), `waiting` (the host waits, too)."""
    stage: str
    share: float
    """Of the steady phase's wall time."""


@dataclass(frozen=True, slots=True)
class DeviceCopy:
    """Copies of one kind, as torch's profiler names them."""

    direction: str
    """`HtoD`, `DtoH` or `DtoD`."""
    memory: str
    """The host's side: `pageable`, `pinned`, or "" where there is none."""
    count_per_env_step: float | None
    bytes_each: float | None
    """None: this torch's profiler does not tell."""
    share_of_windows: float
    """Of the windows' time in which the device made such copies."""


@dataclass(frozen=True, slots=True)
class DeviceWait:
    """A line of user code that waited for the device; every 67th such call was looked at."""

    call: str
    """`item`, `cpu`, `synchronize`, …"""
    place: Place
    part: float
    """Of all waits that were looked at."""


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """One device that the training process used."""

    kind: str
    """`cuda`, `rocm` or `mps`."""
    index: int | None
    name: str
    asked: bool
    """Whether the run was recorded with `--gpu`."""
    note: str
    """Why something is not measured; "" where nothing is missing."""
    waited_share: float | None
    """Of the steady phase's wall time: the driver waited for the device, in calls that hooks see."""
    mark_windows: int = 0
    kernel_windows: int = 0
    window_seconds: float = 0.0
    """Of torch's profiler."""
    busy_share: float | None = None
    """Of the steady phase's wall time: kernels or copies ran."""
    stages: list[DeviceStage] = field(default_factory=list)
    idle: list[DeviceIdle] = field(default_factory=list)
    copies: list[DeviceCopy] = field(default_factory=list)
    waits: list[DeviceWait] = field(default_factory=list)
    launches_per_env_step: float | None = None
    launches_per_update: float | None = None
    gap_us: float | None = None
    """Median time between two kernels of a learning stage in which the device did nothing."""
    half_precision_share: float | None = None
    """Of the kernels' time: those of products in half precision or on tensor cores, by their names."""
    product_share: float | None = None
    """Of the kernels' time: matrix products and convolutions, by their names."""
    memory_peak_bytes: int | None = None
    """Of torch's allocator."""
    utilisation: float | None = None
    """NVML's: a kernel was resident, whatever part of the device it used."""
    matmul_precision: str | None = None
    graphs: int | None = None
    """CUDA graphs that the program has recorded."""
    capability: list[int] | None = None

    @classmethod
    def seen_in(cls, settings: dict[str, Any]) -> Self:
        """A device as its process names it, with nothing measured."""
        index = settings.get(Setting.INDEX)
        return cls(
            kind=str(settings.get(Setting.KIND, "")),
            index=index if isinstance(index, int) else None,
            name=str(settings.get(Setting.NAME, "")),
            asked=bool(settings.get(Setting.ASKED)),
            note="",
            waited_share=None,
        )
