"""An environment alone, for a terminal or a log file: its speed, its slow steps, its hot functions."""

from __future__ import annotations

from goldsplit.model.env_alone.env_look import EnvLook
from goldsplit.model.report import Report
from goldsplit.model.stage import DRIVER
from goldsplit.report import words
from goldsplit.report.finding_text import finding_lines
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.report.terminal_tables import hotspot_table
from goldsplit.report.verdict import Line


class EnvTerminalRenderer:
    """Width and colour are those of `page`; `render` takes data only."""

    def __init__(self, page: TerminalRenderer) -> None:
        self.page = page

    def render(self, look: EnvLook, report: Report | None) -> str:
        """The whole look as text that ends with a newline."""
        page = self.page
        lines = [page.paint(line, "strong") for line in words.wrap(head(look), page.width)]
        lines.append("")
        for line in summary(look, report):
            lines += page.paragraph(line) if line.text else []
        if report is not None:
            lines += self.explained(report)
        return page.written("\n".join(lines) + "\n")

    def explained(self, report: Report) -> list[str]:
        """What is hot, and what to do about it."""
        page, profile = self.page, report.profile
        lines: list[str] = []
        if profile.hotspots:
            lines += page.section(hot_title(report), hotspot_table(profile.hotspots, page.width))
        if report.findings:
            lines += [
                "",
                page.paint("Findings (faults first, largest saving first; then where to look)", "strong"),
            ]
            lines += finding_lines(report.findings, page.width)
        return lines


def hot_title(report: Report) -> str:
    """What the shares below are of. With cheap steps the driver takes a large part, so this says how much."""
    profile = report.profile
    driver = next((row.wall_share for row in profile.stages if row.stage == DRIVER), 0.0)
    besides = f"; the driver takes {words.share(driver)}" if driver >= 0.05 else ""
    return f"Hot functions (share of wall time{besides}; {profile.trust.samples} stack samples)"


def head(look: EnvLook) -> str:
    """What was driven, and how."""
    asked = look.asked
    parts = [asked.target]
    if asked.batch is not None:
        parts.append(f"{asked.batch} environments at a time")
    if asked.vector > 1:
        parts.append(f"{asked.vector} environments in turn")
    policy = f"{asked.policy} actions" if ":" not in asked.policy else f"policy {asked.policy}"
    if asked.mask is not None:
        policy = f"{policy}, valid by {asked.mask}"
    return " · ".join([*parts, policy, f"seed {asked.seed}"])


def summary(look: EnvLook, report: Report | None) -> list[Line]:
    """The lines above the tables."""
    return [
        ending(look),
        speed(look),
        step(look),
        slowest(look),
        reset(look),
        mask(look),
        episodes(look),
        driver(look),
        recorded(look, report),
        trajectory(look),
        *(Line("Note", note, "warning") for note in look.notes),
    ]


def ending(look: EnvLook) -> Line:
    """Why it ended early."""
    if look.finished:
        return Line("", "")
    why = look.failure.message if look.failure is not None else "interrupted"
    return Line("Ended early", f"{why}; everything up to that moment is shown", "warning")


def speed(look: EnvLook) -> Line:
    """Steps per second."""
    found = look.speed
    text = f"{words.rate(found.steps_per_second)} env steps/s"
    if found.steps_per_second is None:
        text = f"{words.NOT_MEASURED}: no step after the warm-up"
    elif found.low is not None and found.high is not None:
        text += f" ({words.rate(found.low)} to {words.rate(found.high)} in most of {found.windows} windows)"
    else:
        text += f" (spread {words.NOT_MEASURED}: the run was too short)"
    return Line("Speed", text, "strong")


def step(look: EnvLook) -> Line:
    """The distribution of step times."""
    found = look.step
    if not found.calls:
        return Line("", "")
    figures = f"p50 {words.duration(found.p50_us)} · p95 {words.duration(found.p95_us)} · "
    figures += f"p99 {words.duration(found.p99_us)} · max {words.duration(found.max_us)}"
    over = f"{found.calls:,} {steps_of(look)} without recording"
    if look.warm_up_steps:
        over += f", after {words.plural(look.warm_up_steps, 'step')} of warm-up"
    return Line("Step", f"{figures} ({over})")


def steps_of(look: EnvLook) -> str:
    """What was timed: steps, or calls that step many environments at once."""
    return "calls of step" if look.asked.batch is not None else "steps"


def slowest(look: EnvLook) -> Line:
    """How much of the time the slowest steps take."""
    share = look.step.slowest_share
    if share is None:
        return Line("", "")
    return Line("Slowest 5 %", f"of the {steps_of(look)} take {words.share(share)} of the step time")


def reset(look: EnvLook) -> Line:
    """What starting an episode costs."""
    parts = []
    if look.reset.calls:
        parts.append(
            f"{words.duration(look.reset.mean_us)} each, {words.duration(look.reset.max_us)} at most"
        )
        parts.append(f"{words.share(look.reset_share)} of the environment's time")
    if look.first_reset_us is not None:
        parts.append(f"the first one took {words.duration(look.first_reset_us)}")
    return Line("Reset", " · ".join(parts))


def mask(look: EnvLook) -> Line:
    """What asking for valid actions costs."""
    if look.asked.mask is None:
        return Line("Mask", "none found: every action of the space is taken as valid")
    if look.mask_us is None:
        return Line("Mask", f"{look.asked.mask}: comes with the step")
    per = "call" if look.asked.batch is not None else "step"
    told = f"{words.duration(look.mask_us)} per {per}, {words.share(look.mask_share)}"
    return Line("Mask", f"{look.asked.mask}: {told} of the environment's time")


def episodes(look: EnvLook) -> Line:
    """How many, how long."""
    found = look.episodes
    if found.ended is None:
        return Line("Episodes", f"{words.NOT_MEASURED}: step does not say when one is over")
    if not found.ended or found.mean_steps is None:
        return Line("Episodes", "none ended")
    ended = f"{found.ended:,} ended"
    if found.shortest_steps == found.longest_steps:
        each = " each" if found.ended > 1 else ""
        return Line("Episodes", f"{ended} after {found.longest_steps} steps{each}")
    lengths = f"{found.shortest_steps} to {found.longest_steps} steps, median {found.p50_steps:.0f}"
    return Line("Episodes", f"{ended} after {lengths}, mean {found.mean_steps:.1f}")


def driver(look: EnvLook) -> Line:
    """The driver's own share, which is in no figure above."""
    if look.driver_share is None:
        return Line("", "")
    what = "choosing actions and accounting"
    if look.hash_share is not None:
        what += f"; the hash {words.share(look.hash_share)}"
    return Line("Driver", f"{words.share(look.driver_share)} of wall time ({what}); not in the figures above")


def recorded(look: EnvLook, report: Report | None) -> Line:
    """Which steps the tables below show."""
    if report is None:
        return Line("Recorded", "no: hot functions and findings are missing")
    text = f"another {look.steps:,} steps, for the tables below"
    deep = report.profile.deep
    if deep is None:
        return Line("Recorded", f"{text}; no deep look: the run was too short for a window")
    windows = f"{words.plural(deep.windows, 'window')} with {deep.env_steps:,} steps"
    if not deep.watched:
        return Line("Recorded", f"{text}; deep look in {windows}")
    return Line(
        "Recorded", f"{text}; {words.plural(deep.watched, 'function')} watched, deep look in {windows}"
    )


def trajectory(look: EnvLook) -> Line:
    """The hash, which steps it covers, and whether it can be trusted."""
    found = look.hash
    if found is None:
        return Line("", "")
    over = f"{found.value} over {found.steps:,} {steps_of(look)} (observations, masks, rewards, ends)"
    if not found.complete:
        return Line("Hash", f"incomplete, do not compare it: {over}", "warning")
    if found.repeated is False:
        again = (
            "another process, same seed, played differently: the environment is not reproducible; if it is "
            """seeded when it is made, say so: --kwargs '{"seed": 0}'"""
        )
        return Line("Hash", f"{over}; {again}", "warning")
    return Line("Hash", over + ("; the same in a second process" if found.repeated else ""))
