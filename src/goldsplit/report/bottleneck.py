"""What takes most of the wall time: the category that leads, its largest stage, and what fixing saves."""

from __future__ import annotations

from dataclasses import dataclass

from goldsplit.model.profile import CategoryRow, Profile, StageRow, categories_of
from goldsplit.model.recording import NOTHING_RECORDED
from goldsplit.model.stage import VOCABULARY, YOUR_CODE
from goldsplit.report import words
from goldsplit.report.driver_waits import waited_for

#: A headline's share that is known less well than this is said to be.
WIDEST = 0.10
#: A category with less than this is not the whole run, however wide its interval.
NEARLY_ALL = 0.95
#: A program that worked for less than this, without a step and a sample, has ended at once.
AT_ONCE_SECONDS = 1.0
_MEANING = {stage.name: stage.meaning for stage in VOCABULARY}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the verdict; it may be wrapped."""

    label: str
    text: str
    tone: str = "plain"
    """plain, strong, good or warning: a colour only; the text says the same."""
    command: str = ""
    """What to type, below the text: it can be copied whole."""


def bottleneck(profile: Profile) -> list[Line]:
    """The category that takes most of the wall time, its largest stage, for whom the driver waits, and how
    much fixing saves at most."""
    if not profile.stages:
        why = why_empty(profile) or "no stage was seen in this run"
        return [Line("Bottleneck", f"{words.NOT_MEASURED}: {why}", "warning")]
    if ended_before_training(profile):
        text = f"{words.NOT_MEASURED}: the run ended with an error before its first environment step"
        return [Line("Bottleneck", text, "warning")]
    kind = leading(profile)
    missing = profile.unattributed.wall_share
    if missing > kind.wall_share and ended_at_once(profile):
        lasted = words.seconds(profile.phases.steady_seconds)
        text = f"{words.NOT_MEASURED}: the program ended after {lasted} of its own work, without a step"
        return [Line("Bottleneck", text, "warning")]
    if missing > kind.wall_share:
        text = f"{words.NOT_MEASURED}: {words.share(missing)} of wall time is in no known stage, and no "
        return [Line("Bottleneck", text + "stack shows your code in it", "warning")]
    top = next(row for row in profile.stages if row.category == kind.category)
    name = f"{YOUR_CODE} in no known stage" if kind.category == YOUR_CODE else kind.category
    lines = [Line("Bottleneck", f"{name} takes {_with_interval(kind)} of wall time{ceiling(kind)}", "strong")]
    lines.append(Line("", largest(kind, top)))
    if top.waited_share >= 0.5 * top.wall_share:
        lines.append(Line("", waited_for(top, profile.lanes)))
    elif mostly_waits(top):
        lines.append(Line("", mostly_waits(top)))
    lines.append(Line("", doubtful(kind, top, profile.trust.samples)))
    return lines


def leading(profile: Profile) -> CategoryRow:
    """The category with most of the wall time."""
    return (profile.categories or categories_of(profile.stages))[0]


def ceiling(kind: CategoryRow) -> str:
    """How fast the run can get at most by making a category's stages faster."""
    if kind.ceiling_speedup is None and kind.wall_share >= NEARLY_ALL:
        return ": it is the whole run"
    if kind.ceiling_speedup is None:  # only at the upper end of a wide interval
        return ". How fast the run could be without it is not known: the shares are too uncertain"
    if kind.ceiling_speedup >= words.LARGEST_SPEEDUP:
        return f". If this took no time, the run would be more than {words.LARGEST_SPEEDUP}x as fast"
    most = words.speedup(kind.ceiling_speedup)
    return f". Even if this took no time, the run would be at most {most} as fast"


def largest(kind: CategoryRow, top: StageRow) -> str:
    """A category's largest stage."""
    meaning = _MEANING.get(top.stage, "")
    alone = kind.wall_share - top.wall_share < 0.005
    text = f"All of it is {top.stage}" if alone else f"Most of it: {top.stage} {_with_interval(top)}"
    if not alone and top.wall_share < 0.5 * kind.wall_share:
        text = f"Its largest part: {top.stage} {_with_interval(top)}"
    if not alone and top.ceiling_speedup is not None:
        text += f", alone up to {words.speedup(top.ceiling_speedup)}"
    return text + (f" ({meaning})" if meaning else "") + "."


def doubtful(kind: CategoryRow, top: StageRow, samples: int) -> str:
    """Says so where a headline's interval is too wide to act upon, and what makes it narrower."""
    width = max((row.wall_share_high - row.wall_share_low) / 2 for row in (kind, top))
    if width <= WIDEST:
        return ""
    return (
        f"These shares are known only to ±{100 * width:.0f} points, from {words.plural(samples, 'sample')}: "
        "record longer, or with a higher --rate."
    )


def ended_before_training(profile: Profile) -> bool:
    """Whether an error came before the first step: there is no training loop to judge."""
    flow = profile.throughput
    return profile.run.status == "crashed" and flow.env_steps is None and flow.updates is None


def ended_at_once(profile: Profile) -> bool:
    """Whether a program did nothing for so short a time that there is nothing to judge."""
    flow = profile.throughput
    nothing_done = flow.env_steps is None and flow.updates is None
    return nothing_done and not profile.trust.samples and profile.phases.steady_seconds < AT_ONCE_SECONDS


def why_empty(profile: Profile) -> str:
    """The cause of a recording in which there is nothing, as its note says; "" where it is not known."""
    begins = f"{NOTHING_RECORDED}: "
    return next((note.removeprefix(begins) for note in profile.trust.notes if note.startswith(begins)), "")


def _with_interval(row: StageRow | CategoryRow) -> str:
    if not words.is_interval(row.wall_share_low, row.wall_share_high):
        return words.share(row.wall_share)
    return f"{words.share(row.wall_share)} ({words.interval(row.wall_share_low, row.wall_share_high)})"


def mostly_waits(row: StageRow) -> str:
    """Says so where a communication stage used little processor time; "" otherwise."""
    if (
        row.category != "communication"
        or row.cpu_seconds is None
        or not row.thread_seconds
        or row.cpu_seconds > 0.5 * row.thread_seconds
    ):
        return ""
    used = words.share(row.cpu_seconds / row.thread_seconds)
    return f"It mostly waits: the threads in it used a core for only {used} of that time."
