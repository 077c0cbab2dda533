"""A report as plain data."""

from __future__ import annotations

import json

from goldsplit.model.profile import Phases, Profile, RunInfo, SystemFigures, Trust, Unattributed
from goldsplit.model.progress import Drift, Throughput
from goldsplit.model.report import REPORT_FORMAT, REPORT_VERSION, Report


def test_a_report_is_plain_data_in_the_documented_order() -> None:
    profile = Profile(
        run=RunInfo("i", "n", ["python"], 0, "complete", 1.0, 2.0, "h", "3.11", {}, None, None, {}),
        phases=Phases(None, 1.0, None),
        throughput=Throughput(*([None] * 9), counters={}, metrics={}, windows=[]),
        stages=[],
        unattributed=Unattributed(0.0, 1.0),
        lanes=[],
        hotspots=[],
        drift=Drift(None, []),
        system=SystemFigures(None, 2, None, []),
        trust=Trust(0.0, None, None, None, 0, 0, 0, None, None),
    )
    data = Report(profile).to_json()
    assert list(data) == [
        "format", "version", "run", "phases", "throughput", "stages", "categories", "unattributed", "lanes",
        "hotspots", "findings", "drift", "system", "trust", "facts", "deep", "structure", "processes",
        "user_lines",
        "functions",
        "devices",
        "source",
    ]  # fmt: skip
    assert (data["format"], data["version"]) == (REPORT_FORMAT, REPORT_VERSION) == ("goldsplit-report", 1)
    assert json.loads(json.dumps(data)) == data
    assert data["throughput"]["env_steps"] is None, "never measured is not 0"
