"""Findings as text: one line in the verdict, and a section below the tables."""

from __future__ import annotations

import re

from goldsplit.model.finding import Finding, Place
from goldsplit.model.report import Report
from goldsplit.report import words

#: More findings than this are counted, not shown.
MOST_FINDINGS = 8
INDENT = "   "
LABEL_WIDTH = 7
#: Characters of a remedy that the verdict's last line has room for.
ROOM_FOR_NEXT = 120
_SENTENCE_END = re.compile(r"(?<=[.;]) +")


def worthwhile(report: Report) -> list[Finding]:
    """The findings that are worth fixing, in their order."""
    return [finding for finding in report.findings if finding.worthwhile]


def where(place: Place | None) -> str:
    """`push (train.py:350)`: the file without its folders, and no function for a script's top level."""
    if place is None:
        return ""
    spot = f"{place.file.rpartition('/')[2]}:{place.line}" if place.line else place.file.rpartition("/")[2]
    return f"{place.function} ({spot})" if place.function and place.function != "<module>" else spot


def gain(finding: Finding, unknown: str = f"gain {words.NOT_MEASURED}") -> str:
    """How much fixing it can save at most."""
    if words.known(finding.ceiling_speedup) is not None:
        return f"{words.speedup(finding.ceiling_speedup)} at most"
    if words.known(finding.share) is not None:
        return f"{words.share(finding.share)} of wall time at most"
    return unknown


def headline(report: Report) -> str:
    """The first finding in one sentence; "" where there is none."""
    found = worthwhile(report)
    if not found:
        return ""
    first = found[0]
    place = where(first.where)
    return f"{first.title}{f', in {place}' if place else ''}: {gain(first)}, confidence {first.confidence}"


def first_fix(report: Report) -> str:
    """What to do about the first finding; "" where there is none."""
    found = worthwhile(report)
    if not found:
        return ""
    first = found[0]
    place = where(first.where)
    fix = f"fix finding 1 in {place}" if place else in_short(first.remedy, ROOM_FOR_NEXT).rstrip(".;")
    return f"{fix}, then check: {first.verify}" if first.verify else fix


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
    if finding.ceiling_speedup is not None and finding.share is not None:
        saves.append(f"{words.share(finding.share)} of wall time")
    saves += [f"confidence {finding.confidence}", f"effort: {finding.effort}" if finding.effort else ""]
    rows = (
        ("where", f"{place} · stage {stage}" if place and stage else place),
        ("stage", "" if place else stage),
        ("saves", " · ".join(part for part in saves if part)),
        ("do", in_short(finding.remedy, 2 * (width - len(INDENT) - LABEL_WIDTH))),
        ("risk", finding.risk),
        ("check", finding.verify),
    )
    for name, text in rows:
        if text:
            lines += words.wrap(text, width, INDENT + name.ljust(LABEL_WIDTH), INDENT + " " * LABEL_WIDTH)
    return lines


def in_short(text: str, room: int) -> str:
    """As many whole sentences as there is room for; at least the first."""
    sentences = _SENTENCE_END.split(" ".join(text.split()))
    kept = sentences[0]
    for sentence in sentences[1:]:
        if len(kept) + 1 + len(sentence) > room:
            break
        kept += f" {sentence}"
    return kept.rstrip(";")
