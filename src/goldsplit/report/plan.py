"""A recording as a performance plan: baseline, costs, steps, and what remains."""

from __future__ import annotations

import math

from goldsplit.model.finding import Finding
from goldsplit.model.launched import record_again
from goldsplit.model.pasting import joined
from goldsplit.model.plan import Plan, PlanStep
from goldsplit.model.profile import Hotspot, Profile
from goldsplit.model.report import Report
from goldsplit.report import finding_text, verdict, words
from goldsplit.report.markdown import breakdown, code, fence, function, stage_title, table, text, whose_code

MOST_HOTSPOTS = 15
#: In the place of a ceiling that the recording cannot give.
NOT_BOUNDED = "not bounded"
#: Versions worth knowing when figures are compared later.
PACKAGES = ("torch", "numpy", "gymnasium", "stable-baselines3", "sb3-contrib")


class PlanRenderer:
    """`render` takes data only."""

    def render(self, report: Report, plan: Plan) -> str:
        """The whole document."""
        profile = report.profile
        sections = (
            ("Baseline", baseline(profile)),
            ("Where the time goes", time_by_stage(profile, plan)),
            ("Hot spots", hot_spots(profile)),
            ("Steps, in this order", steps(profile, plan)),
            ("Not worth doing", not_worth(profile, plan)),
            ("What remains after all steps", remains(profile, plan)),
            ("How to compare", comparing(profile)),
        )
        lines = [
            f"# Performance plan: {text(profile.run.name or profile.run.id)}",
            "",
            f"Written by `goldsplit plan` from the recording {code(profile.run.id)}. Every figure was "
            "measured on that run. What a step saves is the most that it can save, predicted from where the "
            "time went.",
        ]
        for number, (title, body) in enumerate(sections, 1):
            lines += ["", f"## {number}. {title}", "", *body]
        return "\n".join(lines) + "\n"


def baseline(profile: Profile) -> list[str]:
    """What was run where, how fast it was, and how far to trust it."""
    run, flow = profile.run, profile.throughput
    versions = [f"{name} {run.packages[name]}" for name in PACKAGES if name in run.packages]
    system = str(run.environment.get("os") or "")
    revision = str((run.git or {}).get("revision") or "")[:12]
    changed = " with changes that are not committed" if (run.git or {}).get("changed") else ""
    rows = [
        ["Command", code(joined(run.command))],
        ["Machine", text(", ".join(part for part in (system, f"Python {run.python}", *versions) if part))],
        ["Source", f"{code(revision)}{changed}" if revision else f"revision {words.NOT_MEASURED}"],
        ["Throughput", text(verdict.speed(profile).text)],
        ["Episodes per second", words.rate(flow.episodes_per_second)],
        ["Counted", text(verdict.counted(profile).text)],
        ["Phases", text(f"{words.seconds(run.wall_seconds)}: {verdict.phases(profile)}")],
        ["Over time", text(verdict.drift(profile.drift).text)],
        ["Load", text(verdict.machine(profile).text)],
        ["Trust", text(verdict.trust(profile).text)],
    ]
    doubts = [
        f"- {text(line.text)}{f' {code(line.command)}' if line.command else ''}"
        for line in verdict.warnings(profile)
    ]
    return table(["What", "Measured"], rows, "ll") + (["", "Warnings:", "", *doubts] if doubts else [])


def time_by_stage(profile: Profile, plan: Plan) -> list[str]:
    """By kind, then by stage with "optimizable?"."""
    kinds = [f"By kind: {text(verdict.kinds(profile).text)}.", ""] if profile.stages else []
    whose = ["", whose_code(plan)] if plan.share_by_kind else []
    return [*kinds, *breakdown(profile, plan), *whose]


def hot_spots(profile: Profile) -> list[str]:
    """Functions with counts, and how much each can save at most."""
    if not profile.hotspots:
        return [f"{words.NOT_MEASURED}: no stack samples were taken in the training loop."]
    rows = [
        [
            function(spot),
            code(spot.stage) if spot.stage else words.DASH,
            words.share(spot.self_share),
            words.share(spot.total_share),
            words.per_step(spot.calls_per_env_step),
            text(spot.kind),
            words.speedup(spot.ceiling_speedup),
        ]
        for spot in profile.hotspots[:MOST_HOTSPOTS]
    ]
    titles = ["Function", "Stage", "Self", "Total", "Calls/env step", "Whose", "At most"]
    lines = table(titles, rows, "llrrrlr")
    if all(spot.calls_per_env_step is None for spot in profile.hotspots):
        again = code(record_again(profile, deep=True))
        lines += ["", f"Calls per env step: {words.NOT_MEASURED}; {again} counts them."]
    return lines


def steps(profile: Profile, plan: Plan) -> list[str]:
    """What to do, first as a table, then one by one."""
    if not plan.steps:
        return no_steps(profile, plan)
    tried = any(step.finding.measured is not None for step in plan.steps)
    rows = [
        [
            str(number),
            text(step.finding.title),
            code(finding_text.where(step.finding.where)) if step.finding.where else words.DASH,
            NOT_BOUNDED if step.finding.unbounded else words.speedup(step.finding.most_speedup),
            *([measured(step.finding)] if tried else []),
            together(step) if step.counts else words.DASH,
            text(step.finding.effort or words.DASH),
        ]
        for number, step in enumerate(plan.steps, 1)
    ]
    extra = ["Measured"] if tried else []
    titles = ["#", "What", "Where", "At most", *extra, "Together at most", "Effort"]
    lines = table(titles, rows, "rllr" + "r" * len(extra) + "rl")
    for number, step in enumerate(plan.steps, 1):
        lines += ["", f"### Step {number}: {text(step.finding.title)}", "", *one_step(step, number > 1)]
    return lines


def one_step(step: PlanStep, has_earlier: bool) -> list[str]:
    """Where, why, how much it saves, what to do, how to prove it."""
    finding = step.finding
    place = finding.where
    where = ""
    if place is not None:
        line = f":{place.line}" if place.line else ""
        where = code(f"{place.file}{line}") + f" in {code(place.function)}"
    share = f" ({finding_text.share(finding)})" if words.known(finding.share) is not None else ""
    if share and finding.unbounded:
        share = f"; seen: {finding_text.share(finding)}"
    gain = finding_text.gain(finding, words.NOT_MEASURED)
    adds = has_earlier and step.counts and not step.unbounded
    before = f"; with the steps above {together(step)} at most" if adds else ""
    rows = (
        ("Where", where or "no single line"),
        ("Stage", code(finding.stage) if finding.stage else ""),
        ("Evidence", evidence(finding)),
        ("Saves", f"{gain}{share}{before}"),
        ("Do", text(finding.remedy)),
        ("Effort", text(finding.effort)),
        ("Risk", text(finding.risk) or "none known"),
        ("Confidence", text(finding.confidence)),
    )
    lines = [f"- **{name}**: {told}" for name, told in rows if told]
    return [*lines, "- **Proof**:", "", *shell(finding.verify)] if finding.verify else lines


def measured(finding: Finding) -> str:
    """What trials of the remedy said; a dash where it was not tried."""
    found = finding.measured
    if found is None:
        return words.DASH
    if found.gain is None:
        return found.verdict
    if found.said_before and found.findings:
        return f"with step {found.findings[0]}"
    joint = f", {finding_text.numbered(found.findings)}" if found.findings else ""
    more = ", more than predicted" if found.more_than_predicted else ""
    return f"{words.speedup(found.gain)} ({found.verdict}{joint}{more})"


def together(step: PlanStep) -> str:
    """How much this step and all steps before it save."""
    if step.unbounded:
        return NOT_BOUNDED
    return words.speedup(math.inf if step.together_speedup is None else step.together_speedup)


def evidence(finding: Finding) -> str:
    """The figures behind a finding."""
    figures = [words.figure(name, value) for name, value in finding.evidence.items()]
    return "; ".join(f"{text(name)} {text(value)}" for name, value in figures)


def no_steps(profile: Profile, plan: Plan) -> list[str]:
    """No rule found anything: the user's hottest functions, and how to look deeper."""
    lines = ["No rule found a known fault above 2 % of wall time."]
    if profile.deep is None and profile.stages:
        lines.append("Single calls were not recorded; this command records them:")
        lines += ["", *shell(record_again(profile, deep=True))]
    if plan.candidates:
        lines += ["", "Your own hottest functions, and how much each can save at most:", ""]
        lines += [candidate_line(n, spot) for n, spot in enumerate(plan.candidates, 1)]
    return lines


def candidate_line(number: int, spot: Hotspot) -> str:
    share, ceiling = words.share(spot.self_share), words.speedup(spot.ceiling_speedup)
    return f"{number}. {function(spot)}: {share} of wall time, {ceiling} at most"


def not_worth(profile: Profile, plan: Plan) -> list[str]:
    """What is too small to work on, and why."""
    small = [answer.stage for answer in plan.answers if answer.answer == "small"]
    cells = [
        [stage_title(row.stage), words.share(row.wall_share), words.speedup(row.ceiling_speedup)]
        for row in profile.stages
        if row.stage in small
    ]
    titles = ["Stage", "Share of wall time", "Speed-up if it took no time"]
    lines = table(titles, cells, "lrr") if cells else []
    faults = [
        f"- {text(finding.title)}{place}: {finding_text.gain(finding)}"
        for finding in plan.not_worth
        for place in [f" ({text(finding_text.where(finding.where))})" if finding.where else ""]
    ]
    if cells or faults:
        return [*lines, *([""] if cells and faults else []), *faults]
    return ["Nothing below 2 % was found." if profile.stages else f"{words.NOT_MEASURED}."]


def remains(profile: Profile, plan: Plan) -> list[str]:
    """The next bottleneck, if every step is a full success."""
    if not plan.steps:
        return ["There are no steps, so the table above is what remains."]
    counted = [step for step in plan.steps if step.counts]
    if not counted:
        return ["The remedy of every step was tried and lost, so the table above is what remains."]
    last = counted[-1]
    lines = [f"If every step reached its ceiling, the run would be {together(last)} as fast."]
    if last.unbounded:
        lines = [
            "How fast the run would be is not bounded: one step may save more than was seen of its fault."
        ]
    if not plan.left:
        return lines
    rows = [
        [code(row.stage), *map(words.share, (row.share, row.share_left, row.share_after))]
        for row in plan.left
        if row.share >= verdict.SMALL_SHARE or row.share_after >= verdict.SMALL_SHARE
    ]
    outside = (
        profile.unattributed.wall_share,
        plan.unattributed_left_share,
        plan.left_unattributed_share,
    )
    rows.append(["in no stage", *map(words.share, outside)])
    lines += ["", *table(["Stage", "Now", "Left of it", "After"], rows, "lrrr"), ""]
    lines.append("*Now* and *Left of it* are of today's wall time, *After* is of the shorter run's.")
    return lines


def comparing(profile: Profile) -> list[str]:
    """How to tell a gain from noise."""
    return [
        "Record without and with a step, alternating, several times, on the same machine and with the same "
        "seed. Compare seconds per 1000 env steps, and the stage that the step is about:",
        "",
        *shell(record_again(profile)),
    ]


def shell(command: str) -> list[str]:
    """A command to copy, every character of it."""
    line = words.plain(command)
    ticks = fence(line, 3)
    return [f"{ticks}sh", line, ticks]
