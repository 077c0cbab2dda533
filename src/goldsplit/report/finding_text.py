"""Findings as text: one line in the verdict, and a section below the tables."""

from __future__ import annotations

import re

from goldsplit.model.finding import Finding, MeasuredGain, Place
from goldsplit.model.pasting import broken
from goldsplit.model.report import Report
from goldsplit.report import words
from goldsplit.report.bottleneck import Line
from goldsplit.report.next_step import saving

#: More findings than this are counted, not shown.
MOST_FINDINGS = 8
INDENT = "   "
LABEL_WIDTH = 7
#: Characters of a remedy that the verdict's last line has room for.
ROOM_FOR_NEXT = 70
#: Fewer of them say nothing.
LEAST_REMEDY = 12
_CLAUSE_ENDS = (": ", "; ", " (", ", or ", ". ", ", and ", ", then ")
#: The remedy that no line of the program needs, and that the command of its check applies.
WHOLE_PROGRAM = "threads:1"
#: Of a finding's title, however little room there is.
LEAST_TITLE = 40
#: Where the recording cannot say how much a remedy saves.
NO_CEILING = "gain not bounded by this recording"
_SENTENCE_END = re.compile(r"(?<=\.) +(?=[A-Z])")


def worthwhile(report: Report) -> list[Finding]:
    """The findings that are worth fixing, in their order."""
    return [finding for finding in report.findings if finding.worthwhile]


def still_open(report: Report) -> list[Finding]:
    """Those of them whose remedy was not tried in vain: what to do next is one of these."""
    return [one for one in worthwhile(report) if one.measured is None or not one.measured.lost]


def where(place: Place | None) -> str:
    """`push (train.py:350)`: the file without its folders, and no function for a script's top level."""
    if place is None:
        return ""
    spot = file_and_line(place)
    return f"{place.function} ({spot})" if place.function and place.function != "<module>" else spot


def file_and_line(place: Place) -> str:
    """`train.py:350`."""
    name = place.file.rpartition("/")[2]
    return f"{name}:{place.line}" if place.line else name


def gain(finding: Finding, unknown: str = f"gain {words.NOT_MEASURED}") -> str:
    """How much fixing it can save at most, and how much it did where it was tried. The gain of a remedy that
    serves several findings is said at the first of them."""
    if finding.unbounded:
        text = NO_CEILING if finding.measured is None else ""
    elif words.known(finding.ceiling_speedup) is not None:
        text = f"{words.speedup(finding.most_speedup)} at most"
    elif words.known(finding.share) is not None:
        text = f"{words.share(finding.share)} of wall time at most"
    else:
        text = unknown if finding.measured is None else ""
    return ", ".join(part for part in (text, measured(finding)) if part)


def measured(finding: Finding) -> str:
    """`measured 1.50x (1.41x to 1.60x): keep`; "" where it was not tried."""
    found = finding.measured
    if found is None:
        return ""
    if found.gain is None:
        return f"tried with {words.plain(found.overlay)}: {found.verdict}"
    if found.said_before and found.findings:
        return f"measured together with finding {found.findings[0]}: {found.verdict}"
    text = f"measured {words.speedup(found.gain)}"
    if found.low is not None and found.high is not None:
        text += f" ({words.speedup(found.low)} to {words.speedup(found.high)})"
    return f"{text}: {found.verdict}{beside(found)}"


def beside(found: MeasuredGain) -> str:
    """What a measured gain needs beside it: what it is about, and where it contradicts what was predicted."""
    text = ""
    if found.findings:
        text += f", for {numbered(found.findings)} together"
    if found.more_than_predicted:
        text += f"; more than predicted: {words.speedup(found.most_together)} at most"
    elif found.findings and found.most_together is not None:
        text += f", {words.speedup(found.most_together)} at most"
    if found.lost:
        text += f"; the tried remedy ({words.plain(found.overlay)}) lost, another one may not"
    return text


def numbered(findings: tuple[int, ...]) -> str:
    """`findings 1 and 5`"""
    *first, last = map(str, findings)
    return f"findings {', '.join(first)} and {last}" if first else f"finding {last} and smaller ones"


def share(finding: Finding) -> str:
    """`49 % (42–53 %) of wall time`; "" where it is not known."""
    if words.known(finding.share) is None:
        return ""
    text = words.share(finding.share)
    if finding.share_low is not None and finding.share_high is not None:
        text += f" ({words.share_range(finding.share_low, finding.share_high)})"
    return f"{text} of wall time"


def headline(report: Report, most: int = 0) -> str:
    """The first fault in one sentence; "" where there is none.

    `most`: about how many characters there is room for; its gain and confidence are never cut off."""
    found = [finding for finding in still_open(report) if not finding.pointer]
    if not found:
        return ""
    first = found[0]
    place = where(first.where)
    tail = f": {gain(first)}, confidence {first.confidence}"
    whole = f"{first.title}{f', in {place}' if place else ''}{tail}"
    if not most or len(whole) <= most:
        return whole
    return in_clauses(first.title, max(LEAST_TITLE, most - len(tail))) + tail


def in_clauses(title: str, most: int) -> str:
    """So many clauses of a title as there is room for; of a single long one its beginning."""
    if len(title) <= most:
        return title
    ends = [title.rfind(mark, 0, most + 1) for mark in (": ", ", ")]
    end = next((end for end in ends if end >= LEAST_TITLE), 0)
    return title[:end] if end else words.clip(title, most)


def first_fix(report: Report) -> Line | None:
    """What to do about the first finding; None where there is none."""
    found = still_open(report)
    if not found:
        return None
    first = found[0]
    if first.pointer:
        return Line("Next", f"look at {where(first.where)}{saving(first.most_speedup)}", "good", first.verify)
    tries = first.overlays[:1] == (WHOLE_PROGRAM,)  # the command has the remedy in it
    line = "" if tries or first.where is None else file_and_line(first.where)
    fix = f"{in_brief(first.remedy)} ({', '.join(part for part in ('finding 1', line) if part)})"
    if not first.verify:
        return Line("Next", fix, "good")
    return Line("Next", fix + ("; this tries it:" if tries else ", then check:"), "good", first.verify)


def in_brief(remedy: str) -> str:
    """The first words of a remedy: what to do, without how, why and what else."""
    text = " ".join(remedy.split())
    ends = [text.find(mark, LEAST_REMEDY) for mark in _CLAUSE_ENDS]
    end = min([end for end in ends if end > 0], default=len(text))
    return words.clip(text[:end].rstrip(".;,:"), ROOM_FOR_NEXT)


def not_worth(findings: tuple[Finding, ...]) -> str:
    """The findings that are too small to notice, in one line; "" where there are none."""
    small = [finding for finding in findings if not finding.worthwhile]
    if not small:
        return ""
    names = [f"{finding.code}{of_what(finding.where)} ({gain(finding)})" for finding in small]
    return f"Not worth your time: {words.listing(names, 6)}"


def of_what(place: Place | None) -> str:
    """` of push`, where a function is known."""
    return f" of {place.function}" if place is not None and place.function else ""


def finding_lines(findings: tuple[Finding, ...], width: int) -> list[str]:
    """The section's body: every finding with place, gain, remedy and check, none wider than `width`."""
    lines: list[str] = []
    shown = [finding for finding in findings if finding.worthwhile]
    for number, finding in enumerate(shown[:MOST_FINDINGS], 1):
        lines += entry(number, finding, width)
    if len(shown) > MOST_FINDINGS:
        lines.append(f"… and {len(shown) - MOST_FINDINGS} more; --json has all of them")
    return lines + words.wrap(not_worth(findings), width)


def entry(number: int, finding: Finding, width: int) -> list[str]:
    """One finding."""
    lines = words.wrap(finding.title, width, f"{number}. ".ljust(len(INDENT)), INDENT)
    place, stage = where(finding.where), finding.stage or ""
    saves = [gain(finding, words.NOT_MEASURED)]
    saves += [share(finding)] if finding.ceiling_speedup is not None else []
    saves += [f"confidence {finding.confidence}", f"effort: {finding.effort}" if finding.effort else ""]
    rows = (
        ("where", f"{place} · stage {stage}" if place and stage else place),
        ("stage", "" if place else stage),
        ("saves", " · ".join(part for part in saves if part)),
        ("do", in_short(finding.remedy, 2 * (width - len(INDENT) - LABEL_WIDTH))),
        ("risk", finding.risk),
    )
    for name, text in rows:
        if text:
            lines += words.wrap(text, width, INDENT + name.ljust(LABEL_WIDTH), INDENT + " " * LABEL_WIDTH)
    check = broken(words.plain(finding.verify), width - len(INDENT) - LABEL_WIDTH)
    labels = ["check", *[""] * len(check)]
    return lines + [
        f"{INDENT}{label:<{LABEL_WIDTH}}{part}" for label, part in zip(labels, check, strict=False)
    ]


def in_short(text: str, room: int) -> str:
    """As many whole sentences as there is room for; at least the first."""
    sentences = _SENTENCE_END.split(" ".join(text.split()))
    kept = sentences[0]
    for sentence in sentences[1:]:
        if len(kept) + 1 + len(sentence) > room:
            break
        kept += f" {sentence}"
    return kept.rstrip(";")
