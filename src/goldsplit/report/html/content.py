"""Report and Detail as the texts and rows of the page. It lays out; it computes nothing."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

from goldsplit.model.detail import Detail, SourceFile
from goldsplit.model.finding import Finding, Place
from goldsplit.model.launched import record_again
from goldsplit.model.pasting import joined
from goldsplit.model.profile import Lane, Profile
from goldsplit.model.report import Report
from goldsplit.report import finding_text, words
from goldsplit.report.columns import is_sampled
from goldsplit.report.driver_waits import without_core
from goldsplit.report.html.charts import stage_paint
from goldsplit.report.html.page_tables import (
    deep_tables,
    flame_table,
    hotspot_table,
    lane_table,
    stage_table,
    windows_table,
)
from goldsplit.report.verdict import counted, deep_look, machine, phases, verdict

#: A finding names a function's first line; the page shows the lines around those that are hot.
NEAR_LINES = 12


def page_content(report: Report, detail: Detail, rules: Mapping[str, str]) -> dict[str, Any]:
    """Everything that the template shows, by the name that it has there. `rules`: the text of each."""
    profile = report.profile
    anchors = source_anchors(detail)
    paint = {
        stage: f"c-{category} s{shade}" for stage, (category, shade) in stage_paint(profile, detail).items()
    }
    return {
        "run": profile.run,
        "title": f"{profile.run.name or profile.run.id} · goldsplit",
        "head": f"{profile.run.status} · {words.seconds(profile.run.wall_seconds)}: {phases(profile)}",
        "verdict": verdict(report),
        "stage_bar": _stage_bar(profile, paint),
        "stages": stage_table(profile, paint),
        "sampled": any(map(is_sampled, profile.stages)),
        "worthwhile": [finding_card(one, anchors, rules) for one in report.findings if one.worthwhile],
        "small": [
            (one.title, one.code, finding_text.gain(one)) for one in report.findings if not one.worthwhile
        ],
        "windows": windows_table(detail.windows, [row.stage for row in profile.stages]),
        "lanes": lane_table(profile.lanes),
        "strips": _strip_names(profile.lanes, detail),
        "hotspots": hotspot_table(profile.hotspots),
        "kinds": sorted({spot.kind for spot in profile.hotspots}, key=lambda kind: (kind != "yours", kind)),
        "boxes": flame_table(detail),
        "sources": [
            source_rows(source) | {"anchor": f"source-{number}"}
            for number, source in enumerate(detail.sources)
        ],
        "deep": deep_tables(profile.deep),
        "deep_line": deep_look(profile).text,
        "trust": trust_rows(profile),
        "notes": profile.trust.notes,
        "context": context_rows(profile),
        "packages": sorted(profile.run.packages.items()),
        "command": joined(profile.run.command),
        "deeper": record_again(profile, deep=True),
        "facts": [counted(profile), machine(profile)],
    }


def _stage_bar(profile: Profile, paint: dict[str, str]) -> list[tuple[str, str, float, str]]:
    """The whole run as one bar: stage, colour, share, words."""
    parts = [(row.stage, paint[row.stage], row.wall_share) for row in profile.stages]
    parts.append((words.NO_STAGE, "c-none s0", profile.unattributed.wall_share))
    return [(stage, colour, share, words.share(share)) for stage, colour, share in parts if share >= 0.001]


def source_anchors(detail: Detail) -> dict[tuple[str, int], str]:
    """Where the page has a line of a file."""
    return {
        (source.file, line.number): f"source-{number}-{line.number}"
        for number, source in enumerate(detail.sources)
        for line in source.lines
    }


def finding_card(
    finding: Finding, anchors: Mapping[tuple[str, int], str], rules: Mapping[str, str]
) -> dict[str, Any]:
    """One finding, with links to its source line and to its function in the flame view."""
    place = finding.where
    return {
        "finding": finding,
        "anchor": "" if place is None else anchor_of(place, anchors),
        "find": "" if place is None else place.function or place.file.rpartition("/")[2],
        "file": "" if place is None else place.file.rpartition("/")[2],
        "rule": rules.get(finding.code, ""),
        "where": _place(finding.where),
        "gain": finding_text.gain(finding),
        "share": words.share(finding.share) if finding.share is not None else "",
        "evidence": [words.figure(name, value) for name, value in finding.evidence.items()],
    }


def anchor_of(place: Place, anchors: Mapping[tuple[str, int], str]) -> str:
    """The place's line, or the first shown one below it: a `def` is never hot, its lines are."""
    lines = range(place.line, place.line + NEAR_LINES) if place.line else ()
    return next((anchors[place.file, line] for line in lines if (place.file, line) in anchors), "")


def _place(place: Place | None) -> str:
    if place is None:
        return ""
    spot = f"{words.plain(place.file)}:{place.line}" if place.line else words.plain(place.file)
    return f"{words.plain(place.function)} — {spot}" if place.function else spot


def _strip_names(lanes: list[Lane], detail: Detail) -> list[dict[str, str]]:
    """For each strip: which thread it is, and how its time went."""
    by_thread = {(lane.pid, lane.thread_id): lane for lane in lanes}
    found = []
    for strip in detail.strips:
        thread = detail.threads[strip.thread]
        lane = by_thread.get((thread.pid, thread.thread_id))
        parts = []
        if lane is not None:
            named = (
                ("busy", lane.at_work_share),
                ("wait", lane.wait_share),
                ("no core", without_core(lane)),
                ("barrier", lane.barrier_share),
            )
            parts = [f"{name} {words.share(share)}" for name, share in named if share is not None]
        name = words.plain(thread.process if thread.thread in ("", "MainThread") else thread.thread)
        found.append({"role": thread.role, "name": f"{thread.pid} {name}", "figures": " · ".join(parts)})
    return found


def source_rows(source: SourceFile) -> dict[str, Any]:
    """One file: its lines in order, with a gap where lines are left out."""
    lines: list[dict[str, Any]] = []
    before = None
    hottest = max((line.own_share for line in source.lines), default=0.0) or 1.0
    for line in source.lines:
        lines.append(
            {
                "gap": before is not None and line.number != before + 1,
                "number": line.number,
                "text": "" if line.text is None else line.text,
                "own": words.share(line.own_share) if line.own_share > 0 else "",
                "total": words.share(line.total_share) if line.total_share > 0 else "",
                "heat": math.sqrt(line.own_share / hottest),  # so that warm lines beside a hot one show
                "title": words.plural(line.samples, "sample"),
            }
        )
        before = line.number
    shares = f"{words.share(source.own_share)} of wall time in its own lines"
    return {
        "file": words.plain(source.file),
        "name": source.file.rpartition("/")[2],
        "shares": shares,
        "doubt": source.doubt,
        "lines": lines,
    }


def trust_rows(profile: Profile) -> list[tuple[str, str]]:
    """How far to trust the page."""
    trust = profile.trust
    cost = words.NOT_MEASURED
    if trust.overhead_share is not None:
        cost = words.share(trust.overhead_share)
        if trust.overhead_low is not None and trust.overhead_high is not None:
            cost += f" ({words.share_range(trust.overhead_low, trust.overhead_high)})"
    delayed = trust.waited_for_cpu_share
    explained = words.share(trust.attributed_share) if profile.stages else words.NOT_MEASURED
    rate = "" if trust.sample_rate_hz is None else f" at about {trust.sample_rate_hz:.0f} per second"
    return [
        ("wall time explained", explained),
        ("cost of recording", cost),
        ("stack samples", f"{trust.samples:,}{rate}"),
        ("failed samples", f"{trust.failed_samples:,}"),
        ("late samples", f"{trust.late_samples:,}"),
        ("driver ready, but no core", words.NOT_MEASURED if delayed is None else words.share(delayed)),
    ]


def context_rows(profile: Profile) -> list[tuple[str, str]]:
    """Which run it was, and where."""
    run = profile.run
    git = run.git or {}
    started = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(run.started)) if run.started else ""
    rows = [
        ("id", run.id),
        ("started", started),
        ("ended", run.status + ("" if run.exit_code is None else f", exit code {run.exit_code}")),
        ("git", ", ".join(f"{words.label(key)} {value}" for key, value in git.items())),
        ("python", run.python),
        ("host", run.host),
        ("seed", "" if run.seed is None else str(run.seed)),
    ]
    rows += [(words.label(key), str(value)) for key, value in run.environment.items()]
    return [(name, words.plain(text) or "not recorded") for name, text in rows]
