"""A profile and its findings, ready for any renderer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

REPORT_FORMAT = "goldsplit-report"
#: Additions keep the version; a changed or removed field raises it.
REPORT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Report:
    """What is shown."""

    profile: Profile
    findings: tuple[Finding, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The report as plain data, in the documented order."""
        data = asdict(self.profile)
        findings = [asdict(finding) for finding in self.findings]
        ordered = ["run", "phases", "throughput", "stages", "unattributed", "lanes", "hotspots"]
        head = {"format": REPORT_FORMAT, "version": REPORT_VERSION} | {key: data[key] for key in ordered}
        return head | {"findings": findings} | {key: data[key] for key in ("drift", "system", "trust")}
