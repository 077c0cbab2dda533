"""The first ten lines of a report: what holds the run back, what fixing it saves, how far to trust it."""

from __future__ import annotations

from typing import Any

from goldsplit.model.launched import record_with, was_kept_out
from goldsplit.model.overlays.overlay import STOPPED
from goldsplit.model.profile import Profile, SystemFigures, categories_of
from goldsplit.model.progress import Drift
from goldsplit.model.recording import CUT_OFF, KEPT_OUT, LOST_WORKER, NOTHING_RECORDED
from goldsplit.model.report import Report
from goldsplit.model.stage import category_of
from goldsplit.model.wire import Counter
from goldsplit.report import finding_text, words
from goldsplit.report.bottleneck import Line as Line
from goldsplit.report.bottleneck import bottleneck, ended_at_once, leading
from goldsplit.report.device_text import device_lines
from goldsplit.report.next_step import (
    WORRYING_SHARE,
    device_is_missing,
    hottest_in_bottleneck,
    next_step,
    starts_it_all,
)
from goldsplit.report.over_time_text import changed, set_apart
from goldsplit.report.overlay_text import overlay_lines

#: Stages below this share of wall time are named as not worth the work.
SMALL_SHARE = 0.02
#: More notes than this are counted, not shown.
MOST_NOTES = 5
#: More counts than this are not listed.
MOST_COUNTS = 8
#: Functions for which the verdict has a ready option.
MOST_MAPPED = 2


def verdict(report: Report) -> list[Line]:
    """The whole verdict, most important first."""
    profile = report.profile
    lines = [ending(profile)] if profile.run.status != "complete" else []
    lines += overlay_lines(profile)
    lines += bottleneck(profile)
    lines.append(Line("Finding 1", finding_text.headline(report), "strong"))
    lines += [kinds(profile), runners_up(profile), not_worth(profile)] if profile.stages else []
    lines += device_lines(profile)
    lines += [speed(profile), *(Line("", text) for text in set_apart(profile.throughput))]
    lines += [drift(profile.drift), episodes(profile.drift), trust(profile)]
    lines += doubts(profile)
    lines.append(what_next(report))
    return [line for line in lines if line.text]


def what_next(report: Report) -> Line:
    """One thing to do: within the bottleneck, or a finding elsewhere that saves at least as much as that."""
    if was_kept_out(report.profile):
        return Line("Next", "record again without the option of Python that keeps goldsplit out", "good")
    found, profile = finding_text.still_open(report), report.profile
    here = next_step(profile)
    if not found or device_is_missing(profile):
        return here
    inside = bool(profile.stages) and category_of(found[0].stage or "") == leading(profile).category
    spot = None if inside else hottest_in_bottleneck(profile)
    saved = None if spot is None or starts_it_all(spot, profile.hotspots) else spot.ceiling_speedup
    if saved is not None and saved > found[0].likely_speedup:
        return here
    return finding_text.first_fix(report) or here


def ending(profile: Profile) -> Line:
    """How a run ended that did not finish normally."""
    what = {
        "running": "the run is still going on, or its recorder was killed",
        "interrupted": "the run was interrupted",
        "crashed": "the run ended with an error",
        "killed": "the run was killed",
        STOPPED: "an overlay has stopped the run",
    }.get(profile.run.status, f"status {profile.run.status}")
    if profile.run.status == "killed" and profile.run.exit_code is None:
        what = "goldsplit was killed while it recorded, and the program perhaps with it"
    code = "" if profile.run.exit_code is None else f" (exit code {profile.run.exit_code})"
    return Line("Ended", f"{what}{code}; everything up to that moment is shown", "warning")


def kinds(profile: Profile) -> Line:
    """The stages summed by category: the coarse picture."""
    totals = [(row.category, row.wall_share) for row in profile.categories or categories_of(profile.stages)]
    totals.append((words.NO_STAGE, profile.unattributed.wall_share))
    return Line(
        "By kind", ", ".join(f"{kind} {words.share(total)}" for kind, total in totals if total >= 0.005)
    )


def runners_up(profile: Profile) -> Line:
    """The next stages that are large enough to matter."""
    kind = leading(profile).category
    top = next(row for row in profile.stages if row.category == kind)
    rest = [row for row in profile.stages if row is not top and row.wall_share >= SMALL_SHARE]
    parts = [
        f"{r.stage} {words.share(r.wall_share)} (up to {words.speedup(r.ceiling_speedup)})" for r in rest
    ]
    return Line("Then", words.listing(parts, 3))


def not_worth(profile: Profile) -> Line:
    """The stages that are too small to work on."""
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
    if flow.env_steps_per_second is None and flow.updates_per_second:
        text = (
            f"{words.rate(flow.updates_per_second)} updates/s; no environment step was counted: progress is "
        )
        return Line("Speed", text + "counted in updates (record --progress module:function counts otherwise)")
    if flow.env_steps_per_second is None:
        text = f"{words.NOT_MEASURED}: no environment step was counted"
        hint = " (record --progress module:function says which function makes a step)"
        return Line("Speed", text + hint * bool(flow.windows))
    means = "" if flow.step_means is None else f" (an env step is {flow.step_means})"
    parts = [f"{words.rate(flow.env_steps_per_second)} env steps/s{means}"]
    parts.append(f"{words.rate(flow.seconds_per_1000_env_steps)} s per 1000 env steps")
    if flow.updates_per_env_step is not None:
        parts.append(f"{words.rate(flow.updates_per_env_step)} updates/step")
    return Line("Speed", " · ".join(parts))


def drift(change: Drift) -> Line:
    """First against last quarter of the run, in env steps."""
    if change.throughput_change is None:
        return Line("Over time", f"{words.NOT_MEASURED}: too short, or no environment steps")
    if change.changed is not None:
        return Line("Over time", changed(change))
    amount = words.share(abs(change.throughput_change))
    growing = [_growth(row) for row in change.growing_stages]
    if not growing and not change.slows_down:
        return Line("Over time", not_slower(change, amount))
    text = f"slows down: {amount} fewer env steps/s in the last quarter than in the first"
    if change.throughput_change > 0:
        text = f"{amount} more env steps/s in the last quarter, but one part became more expensive"
    if change.cost_factor is not None and change.slows_down:
        text += f"; an env step costs {change.cost_factor:.2f}x as much"
    return Line("Over time", text + (f"; {words.listing(growing, 2)}" if growing else ""), "warning")


def not_slower(change: Drift, amount: str) -> str:
    """A run that does not slow down: steady, faster and faster, or only now faster and now slower."""
    difference = change.throughput_change or 0.0
    if abs(difference) < 0.05:
        return "steady: the last quarter is within 5 % of the first"
    quarters = (
        f"{amount} {'more' if difference > 0 else 'fewer'} env steps/s in the last quarter than in the first"
    )
    if not change.windows_compared:
        return f"{quarters}; the time since learning began is too short to show a trend"
    if change.speeds_up and difference > 0:
        return f"speeds up: {quarters}"
    return f"no trend: {quarters}, but the cost per env step varies without rising or falling steadily"


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
    """Whether episodes became longer or shorter: this changes episodes per hour, not the cost of a step."""
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
        return f"{steady} analysed, start-up not told apart"
    text = f"start-up {words.seconds(parts.startup_seconds)} (not counted below), training {steady}"
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
    named = {Counter.USER + name for name in (Counter.ENV_STEPS, Counter.EPISODES, Counter.UPDATES)}
    asked = sorted(name for name in flow.counters if name.startswith(Counter.USER) and name not in named)
    parts += [f"{name.removeprefix(Counter.USER)} {words.count(flow.counters[name])}" for name in asked]
    return Line("Counted", words.listing(parts, MOST_COUNTS) or words.NOT_MEASURED)


def deep_look(profile: Profile) -> Line:
    """Which functions were watched and how much of the run was seen call by call, and what that cost."""
    deep = profile.deep
    if deep is None:
        return Line("Deep look", "")
    parts = []
    if deep.watched:
        steps = words.plural(deep.watched_env_steps, "env step")
        parts.append(f"{words.plural(deep.watched, 'function')} watched for {steps}")
    text = f"{words.plural(deep.windows, 'window')} with {words.plural(deep.env_steps, 'env step')}"
    parts.append(text if deep.watched else text + f" in {words.seconds(deep.seconds)}")
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
        used = f"memory at peak {words.size(gpu['memory_peak_bytes'])}"
        resident = f"a kernel was resident {words.share(gpu['utilisation'])} of the time"
        parts.append(f"{gpu['name']} (NVML): {resident}, {used}")
    return Line("Machine", " · ".join(parts if figures.gpu else [*parts, f"GPU {words.NOT_MEASURED}"]))


def trust(profile: Profile) -> Line:
    """How far to trust the rest."""
    figures = profile.trust
    text = f"{words.share(figures.attributed_share)} of wall time explained"
    if not profile.stages and not profile.unattributed.wall_share:
        text = f"wall time explained: {words.NOT_MEASURED}"
    if figures.own_function_share >= SMALL_SHARE:
        text += f" ({words.share(figures.own_function_share)} by your functions' names only)"
    text += " · recording cost "
    low, high = figures.overhead_low, figures.overhead_high
    if figures.overhead_share is None or low is None or high is None:
        text += words.NOT_MEASURED
    else:
        text += f"{words.share(figures.overhead_share)} ({words.share_range(low, high)})"
    text += f" · {words.plural(figures.samples, 'stack sample')}"
    odd = [f"{figures.failed_samples} failed"] if figures.failed_samples else []
    odd += [f"{figures.late_samples} late"] if figures.late_samples else []
    return Line("Trust", text + (f" ({', '.join(odd)})" if odd else ""))


def trust_in_short(profile: Profile) -> Line:
    """The same in a single line, where there is no room for more."""
    figures = profile.trust
    cost = words.NOT_MEASURED if figures.overhead_share is None else words.share(figures.overhead_share)
    samples = words.plural(figures.samples, "sample")
    explained = words.share(figures.attributed_share) if profile.stages else words.NOT_MEASURED
    return Line("Trust", f"explained {explained} · recording cost {cost} · {samples}")


def warnings(profile: Profile) -> list[Line]:
    """What makes the figures doubtful, with what to do about it where something can be done."""
    notes = profile.trust.notes
    kept_out = [note for note in notes if note.startswith(KEPT_OUT)]
    worse = (CUT_OFF,) if profile.run.status == "complete" else (CUT_OFF, LOST_WORKER)
    first = kept_out + [note for note in notes if note.startswith(worse)]
    found = list(first)
    delayed = profile.trust.waited_for_cpu_share
    if delayed is not None and delayed >= WORRYING_SHARE and not ended_at_once(profile):
        text = f"the driver was ready to run but had no core for {words.share(delayed)} of the time"
        found.append(text + whose_cores(profile.system))
    missing = profile.unattributed.wall_share
    if profile.stages and WORRYING_SHARE <= missing <= leading(profile).wall_share:
        found.append(
            f"{words.share(missing)} of wall time is in no known stage, and no stack shows your code in it"
        )
    own = len(found)
    notes = [note for note in notes if note not in first]
    found += notes[:MOST_NOTES]
    if len(notes) > MOST_NOTES:
        found.append(f"{len(notes) - MOST_NOTES} more notes; --json has all of them")
    told = [Line("Warning", text, "warning") for text in found]
    return told[:own] + ([] if kept_out else unmapped(profile)) + told[own:]


def doubts(profile: Profile) -> list[Line]:
    """The warnings without the one that the verdict's first line has said already."""
    return [line for line in warnings(profile) if profile.stages or NOTHING_RECORDED not in line.text]


def unmapped(profile: Profile) -> list[Line]:
    """Much time under the user's own functions: how to give it a stage."""
    own = profile.trust.own_function_share
    mapped = [row.map_with for row in profile.stages if row.map_with][:MOST_MAPPED]
    if own < WORRYING_SHARE or not mapped:
        return []
    options = [word for target in mapped for word in ("--stage", target)]
    again = record_with(profile.run.command, profile.run.folder, *options)
    text = f"{words.share(own)} of wall time is in no known stage; this gives it one:"
    return [Line("Warning", text, "warning", again)]


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
