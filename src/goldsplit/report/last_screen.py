"""What a recording ends with: the verdict in so few lines that they stay on the screen."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from goldsplit.model.pasting import our_command
from goldsplit.model.profile import Profile
from goldsplit.model.recording import STACKS_BY_TIMER
from goldsplit.model.report import Report
from goldsplit.report import finding_text, words
from goldsplit.report.bottleneck import Line, bottleneck
from goldsplit.report.device_text import device_lines
from goldsplit.report.overlay_text import overlay_lines, overlays_in_short
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.report.verdict import doubts, ending, speed, trust, trust_in_short, what_next

MOST_LINES = 15
#: Rows up to this importance are shortened before one of them is left out; the others come if there is room.
ESSENTIAL = 2
#: So many overlays are told with what they changed.
MOST_OVERLAYS = 3
#: Of a text that must not be left out, however long the names in it are.
SHORT_TEXT = 125


@dataclass(slots=True)
class Row:
    """One line of the verdict, which may take several on the screen."""

    importance: int
    """0: what holds the run back, what to do, how far to believe it; 1: its stage, what doing it saves."""
    line: Line
    shorter: list[Line] = field(default_factory=list)
    """The same in fewer lines, the longest first."""
    shown: list[str] = field(default_factory=list)
    """As it is on the screen; empty: left out."""


def last_screen(
    report: Report, run: str, renderer: TerminalRenderer, most_lines: int = MOST_LINES, path: str = ""
) -> str:
    """At most so many lines: bottleneck, the first finding, what to do next, how far to believe it.

    `run`: what the run is called on a command line; `path`: where it is, if that is not the same."""
    profile = report.profile
    told = f"{words.plain(profile.run.id)} · {profile.run.status} · {words.seconds(profile.run.wall_seconds)}"
    steady = profile.phases.steady_seconds
    if steady:
        told += f", {words.seconds(steady)} of it training"
    head = renderer.paint(words.clip(told, renderer.width), "strong")
    foot = [f"all of it: {our_command(f'show {run}')}", f"run: {path or run}"]
    rows = [row for row in by_place(report, run) if row.line.text]
    choose(rows, renderer, most_lines - 1 - sum(-(-len(line) // renderer.width) for line in foot))
    body = [text for row in rows for text in row.shown]
    return renderer.written("\n".join([head, *body, *foot]) + "\n")


def choose(rows: list[Row], renderer: TerminalRenderer, room: int) -> None:
    """Which rows are shown, and how long: first the essential ones, each as short as it can be; then those
    get longer as long as there is room; then the others, the most important first."""
    ordered = sorted(rows, key=lambda row: row.importance)
    forms = {id(row): [renderer.paragraph(line) for line in (row.line, *row.shorter)] for row in rows}
    essential = [row for row in ordered if row.importance <= ESSENTIAL]
    for row in essential:
        shortest = min(forms[id(row)], key=len)
        if len(shortest) <= room:
            row.shown, room = shortest, room - len(shortest)
    for row in essential:
        longest = next((one for one in forms[id(row)] if len(one) <= room + len(row.shown)), row.shown)
        if row.shown:
            row.shown, room = longest, room + len(row.shown) - len(longest)
    for row in ordered:
        whole = forms[id(row)][0]
        if row.importance > ESSENTIAL and len(whole) <= room:
            row.shown, room = whole, room - len(whole)


def by_place(report: Report, run: str) -> list[Row]:
    """All that could be said, in the order in which it is read."""
    profile = report.profile
    status = profile.run.status
    ended = [ending(profile)] if status != "complete" else []
    first, *others = bottleneck(profile)
    doubtful = doubts(profile)
    refused = [Line("Warning", note, "warning") for note in profile.trust.notes if STACKS_BY_TIMER in note]
    doubtful = [line for line in doubtful if line not in refused]
    finding = Line("Finding 1", finding_text.headline(report), "strong")
    rows = [
        # An interrupted run: the first line says that, and users did it themselves.
        *(Row(5 if status == "interrupted" else 2, line) for line in ended),
        *overlay_rows(profile),
        Row(0, first),
        *(Row(1, line, [clipped(line)]) for line in others[:1]),
        *(Row(7, line) for line in others[1:]),
        *(Row(3, line) for line in device_lines(profile)[:1]),
        Row(1, finding, [replace(finding, text=finding_text.headline(report, SHORT_TEXT))]),
        next_row(report, run),
        Row(6, speed(profile)),
        Row(0, trust(profile), [trust_in_short(profile)]),
        *(Row(2, line, [clipped(line)]) for line in refused[:1]),
        *(Row(2, line, [first_clause(line)]) for line in doubtful[:1]),
        *(Row(8, line) for line in doubtful[1:2]),
    ]
    return rows


def overlay_rows(profile: Profile) -> list[Row]:
    """What was changed from outside: few overlays with what they did, many by their names."""
    told = [Row(2, line, [clipped(line)]) for line in overlay_lines(profile)]
    if len(profile.run.overlays) <= MOST_OVERLAYS:
        return told
    whole, *fewer = (overlays_in_short(profile, most) for most in (len(profile.run.overlays), 3, 1))
    beside = told[: len(told) - len(profile.run.overlays)]
    return [*beside, *(Row(2, line, [clipped(one) for [one] in fewer]) for line in whole)]


def next_row(report: Report, run: str) -> Row:
    """What to do; where its command is long, `show` has it."""
    line = what_next(report)
    if not line.command:
        return Row(0, line, [clipped(line)])
    text = f"{line.text.rstrip(':')}; the command for that is under Next in"
    without = replace(line, text=text, command=our_command(f"show {run}"))
    return Row(0, line, [without, clipped(replace(line, text=line.text.rstrip(":"), command=""))])


def first_clause(line: Line) -> Line:
    """What is doubtful, without the reason and what to do: `show` has those."""
    whose = re.match(r"process \d+: ", line.text)
    who, rest = (whose[0], line.text[whose.end() :]) if whose else ("", line.text)
    text = who + re.split(r"[,:;] ", rest, maxsplit=1)[0]
    return clipped(replace(line, text=text, command=""))


def clipped(line: Line) -> Line:
    """So much of it as fits on two lines."""
    return replace(line, text=words.clip(line.text, SHORT_TEXT))
