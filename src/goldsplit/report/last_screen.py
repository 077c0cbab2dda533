"""What a recording ends with: the verdict in so few lines that they stay on the screen."""

from __future__ import annotations

from goldsplit.model.pasting import our_command
from goldsplit.model.recording import STACKS_BY_TIMER
from goldsplit.model.report import Report
from goldsplit.report import finding_text, words
from goldsplit.report.bottleneck import Line, bottleneck
from goldsplit.report.device_text import device_lines
from goldsplit.report.overlay_text import overlay_lines
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.report.verdict import ending, speed, trust, trust_in_short, warnings, what_next

MOST_LINES = 15


def last_screen(report: Report, run: str, renderer: TerminalRenderer) -> str:
    """At most so many lines: bottleneck, the first finding, what to do next, how far to believe it.

    `run`: what the run is called on a command line."""
    profile = report.profile
    told = f"{profile.run.id} · {profile.run.status} · {words.seconds(profile.run.wall_seconds)}"
    steady = profile.phases.steady_seconds
    head = renderer.paint(told + (f", {words.seconds(steady)} of it training" if steady else ""), "strong")
    foot = [f"all of it: {our_command(f'show {run}')}", f"run: {run}"]
    room = MOST_LINES - 1 - len(foot)
    kept: list[list[str]] = []
    trusted = trust(profile)
    for _, place, line in sorted(by_importance(report), key=lambda one: one[0]):
        lines = renderer.paragraph(line)
        if line == trusted and len(lines) > room:
            lines = renderer.paragraph(trust_in_short(profile))
        if len(lines) <= room:
            kept.append([f"{place:02d}", *lines])
            room -= len(lines)
    body = [text for _, *lines in sorted(kept, key=lambda one: one[0]) for text in lines]
    return renderer.written("\n".join([head, *body, *foot]) + "\n")


def by_importance(report: Report) -> list[tuple[int, int, Line]]:
    """Importance (0 is never left out for another), place on the screen, and line."""
    profile = report.profile
    status = profile.run.status
    ended = [ending(profile)] if status != "complete" else []
    first, *others = bottleneck(profile)
    doubts = warnings(profile)
    refused = [Line("Warning", note, "warning") for note in profile.trust.notes if STACKS_BY_TIMER in note]
    doubts = [line for line in doubts if line not in refused]
    rows: list[tuple[int, list[Line]]] = [
        (5 if status == "interrupted" else 1, ended),  # the first line says that, and users did it themselves
        (1, overlay_lines(profile)),
        (0, [first]),
        (3, others[:1]),
        (7, others[1:]),
        (3, device_lines(profile)[:1]),
        (2, [Line("Finding 1", finding_text.headline(report), "strong")]),
        (0, [what_next(report)]),
        (6, [speed(profile)]),
        (4, [trust(profile)]),
        (1, refused[:1]),
        (5, doubts[:1]),
        (8, doubts[1:2]),
    ]
    lines = [(importance, line) for importance, part in rows for line in part if line.text]
    return [(importance, place, line) for place, (importance, line) in enumerate(lines)]
