"""A profile and its findings, ready for any renderer."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

REPORT_FORMAT = "goldsplit-report"
#: Additions keep the version; a changed or removed field raises it.
REPORT_VERSION = 1
#: Sections after the findings.
_LAST = (
    "drift",
    "system",
    "trust",
    "facts",
    "deep",
    "structure",
    "processes",
    "user_lines",
    "functions",
    "devices",
    "source",
)


def finite(value: Any) -> Any:
    """Plain data as JSON has it: NaN and infinity become null, tuples lists."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    return [finite(inner) for inner in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run in a list of runs; None: not measured."""

    speed: float | None
    """Progress per second."""
    unit: str
    """What progress is counted in."""
    stage: str | None
    """The largest stage of the bottleneck."""
    share: float | None
    """Its share of wall time, 0..1."""


@dataclass(frozen=True, slots=True)
class Report:
    """What is shown."""

    profile: Profile
    findings: tuple[Finding, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The report as plain data, in the documented order."""
        data = finite(asdict(self.profile))
        findings = [finite(asdict(finding)) for finding in self.findings]
        ordered = ["run", "phases", "throughput", "stages", "categories", "unattributed", "lanes"]
        ordered.append("hotspots")
        head = {"format": REPORT_FORMAT, "version": REPORT_VERSION} | {key: data[key] for key in ordered}
        return head | {"findings": findings} | {key: data[key] for key in _LAST}
