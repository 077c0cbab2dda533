"""The first ten lines of a report: what holds the run back, what fixing it buys, how far to believe it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from goldsplit.model.profile import Drift, Profile, StageRow, SystemFigures
from goldsplit.model.report import Report
from goldsplit.model.stage import VOCABULARY
from goldsplit.report import findings, words
from goldsplit.report.next_step import WORRYING_SHARE, next_step
from goldsplit.report.waits import waited_for

#: Stages below this share of wall time are named as not worth the work.
SMALL_SHARE = 0.02
#: More notes than this are counted, not shown.
MOST_NOTES = 5
#: Counters that the user asked for are named so, and shown; so many counts at most.
OWN_COUNTER, MOST_COUNTS = "user:", 8
_MEANING = {stage.name: stage.meaning for stage in VOCABULARY}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the verdict; it may be wrapped."""

    label: str
    text: str
    tone: str = "plain"
    """plain, strong, good, warning: for colour only, never the sole bearer of meaning."""


def verdict(report: Report) -> list[Line]:
    """The whole verdict, most important first."""
    profile = report.profile
    lines = [ending(profile)] if profile.run.status != "complete" else []
    lines += bottleneck(profile)
    lines.append(Line("Finding 1", findings.headline(report), "strong"))
    lines += [kinds(profile), runners_up(profile), not_worth(profile)] if profile.stages else []
    lines += [speed(profile), drift(profile.drift), episodes(profile.drift), trust(profile)]
    lines += warnings(profile)
    lines.append(Line("Next", findings.next_step(report) or next_step(profile), "good"))
    return [line for line in lines if line.text]


def ending(profile: Profile) -> Line:
    """How a run ended that did not simply finish."""
    what = {
        "running": "the run is still going on, or its recorder was killed",
        "interrupted": "the run was interrupted",
        "crashed": "the run ended with an error",
        "killed": "the run was killed",
    }.get(profile.run.status, f"status {profile.run.status}")
    code = "" if profile.run.exit_code is None else f" (exit code {profile.run.exit_code})"
    return Line("Ended", f"{what}{code}; everything up to that moment is shown", "warning")


def bottleneck(profile: Profile) -> list[Line]:
    """What takes most of the wall time, for whom the driver waits, and what it would buy to make it free."""
    missing = profile.unattributed.wall_share
    if not profile.stages:
        return [Line("Bottleneck", f"{words.NOT_MEASURED}: no stage was seen in this run", "warning")]
    if ended_before_training(profile):
        text = f"{words.NOT_MEASURED}: the run ended with an error before its first environment step"
        return [Line("Bottleneck", text, "warning")]
    top = profile.stages[0]
    if missing > top.wall_share:
        text = f"unknown: {words.share(missing)} of wall time is in code that belongs to no known stage"
        return [Line("Bottleneck", text, "warning")]
    meaning = _MEANING.get(top.stage)
    sentence = f"{top.stage} takes {_with_interval(top)} of wall time" + (f": {meaning}." if meaning else ".")
    lines = [Line("Bottleneck", sentence, "strong")]
    if top.waited_share >= 0.5 * top.wall_share:
        lines.append(Line("", waited_for(top, profile.lanes)))
    elif idle_inside(top):
        lines.append(Line("", "It hardly computes: the threads in it had a core for " + idle_inside(top)))
    ceiling = top.ceiling_speedup
    text = (
        "it is the whole run"
        if ceiling is None
        else f"{words.speedup(ceiling)} faster at most, if it cost nothing"
    )
    lines.append(Line("Fixing it", text))
    return lines


def ended_before_training(profile: Profile) -> bool:
    """Whether there was no loop to judge: what took longest before an early error holds nothing back."""
    flow = profile.throughput
    return profile.run.status == "crashed" and flow.env_steps is None and flow.updates is None


def _with_interval(row: StageRow) -> str:
    if not words.is_interval(row.wall_share_low, row.wall_share_high):
        return words.share(row.wall_share)
    return f"{words.share(row.wall_share)} ({words.interval(row.wall_share_low, row.wall_share_high)})"


def idle_inside(row: StageRow) -> str:
    """How little of a communication stage's time is processor time; "" where it is not, or not known."""
    if (
        row.category != "communication"
        or row.cpu_seconds is None
        or not row.thread_seconds
        or row.cpu_seconds > 0.5 * row.thread_seconds
    ):
        return ""
    return f"{words.share(row.cpu_seconds / row.thread_seconds)} of that time. It waits."


def kinds(profile: Profile) -> Line:
    """The stages summed by category: the coarse picture."""
    totals: dict[str, float] = {}
    for row in profile.stages:
        totals[row.category] = totals.get(row.category, 0.0) + row.wall_share
    totals["unknown"] = profile.unattributed.wall_share
    ranked = sorted(totals.items(), key=lambda item: -item[1])
    return Line(
        "By kind", ", ".join(f"{kind} {words.share(total)}" for kind, total in ranked if total >= 0.005)
    )


def runners_up(profile: Profile) -> Line:
    """The next stages that are worth something."""
    rest = [row for row in profile.stages[1:] if row.wall_share >= SMALL_SHARE]
    parts = [
        f"{r.stage} {words.share(r.wall_share)} (up to {words.speedup(r.ceiling_speedup)})" for r in rest
    ]
    return Line("Then", words.listing(parts, 3))


def not_worth(profile: Profile) -> Line:
    """What nobody should spend a weekend on."""
    small = [row for row in profile.stages if row.wall_share < SMALL_SHARE]
    if not small:
        return Line("Not worth it", "")
    names = words.listing([row.stage for row in small], 4)
    total = words.share(sum(row.wall_share for row in small))
    amount = f"each below {SMALL_SHARE * 100:.0f} %, together {total}" if len(small) > 1 else f"only {total}"
    return Line("Not worth it", f"{names}: {amount}")


def speed(profile: Profile) -> Line:
    """Throughput of the steady phase."""
    flow = profile.throughput
    if flow.env_steps_per_second is None:
        return Line("Speed", f"{words.NOT_MEASURED}: no environment step was counted")
    parts = [f"{words.rate(flow.env_steps_per_second)} env steps/s"]
    parts.append(f"{words.rate(flow.seconds_per_1000_env_steps)} s per 1000 env steps")
    if flow.updates_per_env_step is not None:
        parts.append(f"{words.rate(flow.updates_per_env_step)} updates/step")
    return Line("Speed", " · ".join(parts))


def drift(change: Drift) -> Line:
    """First against last quarter of the run, in env steps."""
    if change.throughput_change is None:
        return Line("Over time", f"{words.NOT_MEASURED}: too short, or no environment steps")
    amount = words.share(abs(change.throughput_change))
    growing = [_growth(row) for row in change.growing_stages]
    if not growing and not change.slows_down:
        if abs(change.throughput_change) < 0.05:
            return Line("Over time", "steady: the last quarter is within 5 % of the first")
        if change.throughput_change > 0:
            return Line("Over time", f"{amount} more env steps/s in the last quarter than in the first")
        if change.windows_compared:
            text = f"no trend: {amount} fewer env steps/s in the last quarter than in the first, but no "
            return Line("Over time", text + "steady rise of the cost per env step since learning began")
        text = f"{amount} fewer env steps/s in the last quarter than in the first; too short since learning "
        return Line("Over time", text + "began to tell a trend")
    text = f"slows down: {amount} fewer env steps/s in the last quarter than in the first"
    if change.throughput_change > 0:
        text = f"{amount} more env steps/s in the last quarter, and yet one part became dearer"
    if change.cost_factor is not None and change.slows_down:
        text += f"; an env step costs {change.cost_factor:.2f}x as much"
    return Line("Over time", text + (f"; {words.listing(growing, 2)}" if growing else ""), "warning")


def _growth(row: dict[str, Any]) -> str:
    """One stage that grew: from what to what, by which factor, with what."""
    text = (
        f"{row['stage']} {words.duration(row['us_per_env_step_first'])} → "
        f"{words.duration(row['us_per_env_step_last'])} per env step"
    )
    if row.get("factor"):
        text += f" ({row['factor']:.1f}x"
        if row.get("against"):
            first, last = (_level(row["against"], row[key]) for key in ("against_first", "against_last"))
            text += f", with {row['against']} {first} → {last}"
        text += ")"
    return text


def _level(what: str, value: float) -> str:
    return words.size(value) if what == "memory" else words.count(value)


def episodes(change: Drift) -> Line:
    """Whether episodes became longer or shorter: that changes episodes per hour, not the cost of a step."""
    if change.episodes_change not in ("longer", "shorter") or change.episode_factor is None:
        return Line("", "")
    first, last = change.episode_steps_first, change.episode_steps_last
    return Line(
        "",
        f"Episodes became {change.episodes_change}: {words.count(first)} → {words.count(last)} env steps "
        f"({change.episode_factor:.1f}x). Count progress in env steps: an episode now takes "
        f"{change.episode_factor * (change.cost_factor or 1.0):.1f}x as long as at first.",
    )


def phases(profile: Profile) -> str:
    """Start-up is split off; shares are of the steady phase."""
    parts = profile.phases
    steady = words.seconds(parts.steady_seconds)
    if not parts.steady_seconds:
        return "nothing measured"
    if parts.startup_seconds is None:
        return f"{steady} looked at, start-up not split off"
    text = f"start-up {words.seconds(parts.startup_seconds)} (split off), training {steady}"
    if parts.shutdown_seconds is not None:
        text += f", shutdown {words.seconds(parts.shutdown_seconds)}"
    return text


def counted(profile: Profile) -> Line:
    """What the whole run did."""
    flow = profile.throughput
    rows = (("env step", flow.env_steps), ("episode", flow.episodes), ("update", flow.updates))
    parts = [words.plural(number, what) for what, number in rows if number is not None]
    if flow.eval_env_steps:
        parts.append(words.plural(flow.eval_env_steps, "env step") + " in evaluations")
    asked = [name for name in flow.counters if name.startswith(OWN_COUNTER)]
    parts += [
        f"{name.removeprefix(OWN_COUNTER)} {words.count(flow.counters[name])}" for name in sorted(asked)
    ]
    return Line("Counted", words.listing(parts, MOST_COUNTS) or words.NOT_MEASURED)


def deep_look(profile: Profile) -> Line:
    """How much of the run every call was seen in, and what that cost."""
    deep = profile.deep
    if deep is None:
        return Line("Deep look", "")
    text = f"{words.plural(deep.windows, 'window')} with {words.plural(deep.env_steps, 'env step')}"
    parts = [text + f" in {words.seconds(deep.seconds)}"]
    if words.known(deep.slowdown) is not None:
        parts.append(f"{words.speedup(deep.slowdown)} slower inside")
    parts.append(f"cost {words.share(deep.run_share)} of the run")
    return Line("Deep look", " · ".join(parts))


def machine(profile: Profile) -> Line:
    """What the process tree used."""
    figures = profile.system
    cores = words.plural(figures.cores, "core")
    known = figures.cpu_percent is not None
    parts = [
        f"{(figures.cpu_percent or 0) / 100:.1f} of {cores} busy" if known else f"{cores}, load not measured"
    ]
    parts.append(f"memory at peak {words.size(figures.rss_peak_bytes)}")
    for gpu in figures.gpu:
        peak = words.size(gpu["memory_peak_bytes"])
        parts.append(f"{gpu['name']}: {words.share(gpu['utilisation'])} in use, {peak} at peak")
    return Line("Machine", " · ".join(parts if figures.gpu else [*parts, f"GPU {words.NOT_MEASURED}"]))


def trust(profile: Profile) -> Line:
    """How far to believe the rest."""
    figures = profile.trust
    text = f"{words.share(figures.attributed_share)} of wall time explained · recording cost "
    low, high = figures.overhead_low, figures.overhead_high
    if figures.overhead_share is None or low is None or high is None:
        text += words.NOT_MEASURED
    else:
        text += f"{words.share(figures.overhead_share)} ({words.share_range(low, high)})"
    text += f" · {words.plural(figures.samples, 'stack sample')}"
    odd = [f"{figures.failed_samples} failed"] if figures.failed_samples else []
    odd += [f"{figures.late_samples} late"] if figures.late_samples else []
    return Line("Trust", text + (f" ({', '.join(odd)})" if odd else ""))


def warnings(profile: Profile) -> list[Line]:
    """Doubts, each with what to do where something can be done."""
    found = []
    delayed = profile.trust.waited_for_cpu_share
    if delayed is not None and delayed >= WORRYING_SHARE:
        text = f"the driver was ready to run but had no core for {words.share(delayed)} of the time"
        found.append(text + whose_cores(profile.system))
    missing = profile.unattributed.wall_share
    if profile.stages and missing >= WORRYING_SHARE:
        found.append(f"{words.share(missing)} of wall time is in no known stage; --stage maps your functions")
    notes = profile.trust.notes
    found += notes[:MOST_NOTES]
    if len(notes) > MOST_NOTES:
        found.append(f"{len(notes) - MOST_NOTES} more notes; --json has all of them")
    return [Line("Warning", text, "warning") for text in found]


def whose_cores(system: SystemFigures) -> str:
    """Who had the cores that the driver wanted, and what to do."""
    busy = None if system.cpu_percent is None else system.cpu_percent / 100
    if busy is None or system.cores - busy < 1.0:
        return ": close other programs, or use fewer workers or threads"
    cores = words.plural(system.cores, "core")
    return (
        f", though this run kept only {busy:.1f} of {cores} busy: other programs or a CPU limit took the "
        "rest, and shares of wall time may be distorted; close them and record again"
    )
