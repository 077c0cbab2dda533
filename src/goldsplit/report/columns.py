"""The columns of every table, each in one list: terminal, HTML page and live panel all walk these.

A new column is one entry here. It shows up on the terminal and on the page unless `on` says otherwise.
"""

from __future__ import annotations

from functools import partial

from goldsplit.model.deep import CacheUse, DeepFunction, Site
from goldsplit.model.detail import FlameFrame, FlameNode, StageWindow
from goldsplit.model.profile import Hotspot, Lane, Profile, StageRow
from goldsplit.model.whatif import Ceiling
from goldsplit.report import words
from goldsplit.report.column import Column, On
from goldsplit.report.driver_waits import lane_name, mostly_in, without_core

#: Less time in no stage is not worth a row.
LEAST_SHOWN = 0.0005


def stage_rows(profile: Profile) -> list[StageRow]:
    """The rows of the stage table: all stages, then the time that is in no stage, if any."""
    share = profile.unattributed.wall_share
    if share < LEAST_SHOWN:
        return profile.stages
    no_stage = StageRow(
        stage=words.NO_STAGE,
        category="other",
        source="",
        wall_seconds=profile.unattributed.wall_seconds,
        wall_share=share,
        wall_share_low=share,
        wall_share_high=share,
        calls=None,
        mean_us=None,
        p50_us=None,
        p95_us=None,
        p99_us=None,
        us_per_env_step=None,
        thread_seconds=None,
        cpu_seconds=None,
        ceiling_speedup=None,
        waited_share=0.0,
    )
    return [*profile.stages, no_stage]


def is_sampled(row: StageRow) -> bool:
    """Whether the stage is known from stack samples only."""
    return row.source == "sampled"


def stage_name(row: StageRow) -> str:
    """A star marks what is known from stack samples only."""
    return words.plain(row.stage) + ("*" if is_sampled(row) else "")


def stage_tip(row: StageRow) -> str:
    """How a row is known, and how a function becomes a stage."""
    tip = "sampled" if is_sampled(row) else ""
    return f'{tip}; to name it: --stage "{row.map_with}"' if row.map_with else tip


def inside(spot: Hotspot) -> str:
    """Whose code takes a function's time: the user's, or that of a library's function that it calls."""
    if spot.kind == "yours" or spot.library is None:
        return spot.kind
    return words.called(spot.library, spot.library_file or "")


def cpu_seconds(value: float | None) -> str:
    """In five characters up to a day of processor time."""
    value = words.known(value)
    return words.DASH if value is None else f"{value:.1f}" if value < 999.95 else f"{value:.0f}"


def results(one: DeepFunction) -> str:
    """What comparing a function's results has shown."""
    if not one.compared:
        return words.NOT_MEASURED
    if one.constant_result is not None:
        return f"always {words.plain(one.constant_result)}"
    if not one.repeats:
        return words.plural(one.distinct_results, "different result")
    if one.differing:
        return f"differed {words.plural(one.differing, 'time')}: unsafe to cache"
    return "equal every time"


STAGES: tuple[Column[StageRow], ...] = (
    Column("stage", stage_name, width=15, most=44, shorten=words.clip_function, tip=stage_tip),
    Column("", lambda row: row.wall_share, on=On.TERMINAL, bar=On.TERMINAL, width=6, most=20, fills=True),
    Column("share", lambda row: row.wall_share, words.share, right=True, width=6, bar=On.PAGE),
    Column(
        "interval",
        lambda row: words.interval(row.wall_share_low, row.wall_share_high),
        right=True,
        width=9,
        narrow=False,
        hint="95 % interval; a dash: timed exactly",
        order=lambda row: row.wall_share_high,
    ),
    Column("calls", lambda row: row.calls, words.count, right=True, width=6, narrow=False),
    Column("mean", lambda row: row.mean_us, words.duration, right=True, width=7, narrow=False),
    Column("p95", lambda row: row.p95_us, words.duration, right=True, width=7, spare=True, narrow=False),
    Column(
        "per step",
        lambda row: row.us_per_env_step,
        words.duration,
        right=True,
        width=8,
        if_measured=True,
        narrow=False,
        hint="wall time per environment step",
    ),
    Column(
        "ceiling",
        lambda row: row.ceiling_speedup,
        words.speedup,
        right=True,
        width=7,
        hint="speed-up of the run if the stage took no time",
    ),
)

LANES: tuple[Column[Lane], ...] = (
    Column("process", lane_name, on=On.TERMINAL | On.PANEL, width=17),
    Column("process", lambda lane: f"{lane.pid} {words.plain(lane.process)}", on=On.PAGE),
    Column("role", lambda lane: lane.role, on=On.ALL, width=10),
    Column("thread", lambda lane: lane.thread, on=On.PAGE, narrow=False),
    Column("busy", lambda lane: lane.at_work_share, words.share, right=True, on=On.ALL, width=5, bar=On.PAGE),
    Column("wait", lambda lane: lane.wait_share, words.share, right=True, on=On.ALL, width=5),
    Column(
        "no core",
        without_core,
        words.share,
        right=True,
        on=On.ALL,
        width=7,
        spare=True,
        if_measured=True,
        hint="at work, but other threads or programs had the cores",
    ),
    Column(
        "barrier",
        lambda lane: lane.barrier_share,
        words.share,
        right=True,
        on=On.ALL,
        width=7,
        spare=True,
        if_measured=True,
        hint="finished its part of a round while another worker was still busy",
    ),
    Column(
        "holds up",
        lambda lane: lane.charged_share,
        words.share,
        right=True,
        width=8,
        narrow=False,
        hint="share of the driver's time spent waiting for it",
    ),
    Column("CPU s", lambda lane: lane.cpu_seconds, cpu_seconds, right=True, width=5, narrow=False),
    Column("mostly in", mostly_in, on=On.ALL, width=16, fills=True, shorten=words.whole_parts, narrow=False),
)

HOTSPOTS: tuple[Column[Hotspot], ...] = (
    Column("function", lambda spot: spot.function, width=16, fills=True),
    Column(
        "where",
        lambda spot: words.file_and_line(spot.file, spot.line),
        width=18,
        fills=True,
        shorten=words.without_folder,
        tip=lambda spot: words.plain(spot.file),
    ),
    Column(
        "stage",
        lambda spot: words.function_only(spot.stage or words.DASH),
        width=12,
        most=18,
        spare=True,
        narrow=False,
    ),
    Column(
        "self",
        lambda spot: spot.self_share,
        words.share,
        right=True,
        width=5,
        bar=On.PAGE,
        hint="share of wall time in the function itself and in library code that it calls",
    ),
    Column(
        "total",
        lambda spot: spot.total_share,
        words.share,
        right=True,
        width=5,
        narrow=False,
        hint="with everything that it calls",
    ),
    Column(
        "calls/step",
        lambda spot: spot.calls_per_env_step,
        words.per_step,
        right=True,
        width=5,
        if_measured=True,
        short="/step",
        narrow=False,
        hint="calls per environment step",
    ),
    Column(
        "ceiling",
        lambda spot: spot.ceiling_speedup,
        words.speedup,
        right=True,
        on=On.PAGE,
        narrow=False,
        hint="speed-up of the run if its own code took no time",
    ),
    Column("samples", lambda spot: spot.samples, words.count, right=True, on=On.PAGE, narrow=False),
    Column(
        "mostly in",
        inside,
        width=9,
        most=20,
        narrow=False,
        hint="your own code, or the library's function that it calls and that takes most of its time",
    ),
)

#: What `goldsplit whatif` answers without a question.
CEILINGS: tuple[Column[Ceiling], ...] = (
    Column("stage", lambda row: row.stage, width=15, most=30),
    Column("share", lambda row: row.wall_share, words.share, right=True, width=7),
    Column("if free", lambda row: row.free, words.speedup, right=True, width=9),
    Column("2x faster", lambda row: row.twice, words.speedup, right=True, width=10),
    Column("by share alone", lambda row: row.by_share, words.speedup, right=True, width=15),
)

DEEP_FUNCTIONS: tuple[Column[DeepFunction], ...] = (
    Column("function", lambda one: one.place.function),
    Column(
        "where",
        lambda one: words.file_and_line(one.place.file, one.place.line),
        narrow=False,
        tip=lambda one: words.plain(one.place.file),
    ),
    Column("calls/step", lambda one: one.calls_per_env_step, words.per_step, right=True),
    Column("self", lambda one: one.self_share, words.share, right=True, bar=On.PAGE),
    Column("total", lambda one: one.total_share, words.share, right=True, narrow=False),
    Column(
        "repeated",
        lambda one: f"{one.repeats} of {one.compared}" if one.compared else words.NOT_MEASURED,
        right=True,
        narrow=False,
        hint="calls with arguments seen before, of those compared",
        order=lambda one: one.repeats,
    ),
    Column(
        "cost of repeats", lambda one: one.repeat_share if one.compared else None, words.share, right=True
    ),
    Column("results", results, narrow=False),
)

DEEP_SITES: tuple[Column[Site], ...] = (
    Column("calls", lambda site: site.callee),
    Column("kind", lambda site: site.kind, words.label, narrow=False),
    Column(
        "from",
        lambda site: words.file_and_line(site.place.file, site.place.line),
        tip=lambda site: words.plain(site.place.function),
    ),
    Column("calls/step", lambda site: site.calls_per_env_step, words.per_step, right=True),
    Column("share", lambda site: site.share, words.share, right=True),
    Column(
        "different",
        lambda site: words.DASH if site.distinct is None else f"{site.distinct} of {site.compared}",
        right=True,
        narrow=False,
        hint="different arguments, of those compared",
        order=lambda site: site.distinct,
    ),
    Column("detail", lambda site: site.detail, narrow=False),
)

DEEP_CACHES: tuple[Column[CacheUse], ...] = (
    Column(
        "cache",
        lambda one: one.place.function,
        tip=lambda one: words.file_and_line(one.place.file, one.place.line),
    ),
    Column("kind", lambda one: one.kind, words.label, narrow=False),
    Column("hits", lambda one: one.hits, words.count, right=True),
    Column("misses", lambda one: one.misses, words.count, right=True),
    Column("clears", lambda one: one.clears, words.count, right=True),
    Column(
        "key",
        lambda one: one.key_us,
        words.duration,
        right=True,
        narrow=False,
        hint="time to make the key and look it up",
    ),
    Column(
        "value",
        lambda one: one.value_us,
        words.duration,
        right=True,
        narrow=False,
        hint="time to compute the value",
    ),
)

#: The widest boxes of the flame view.
BOXES: tuple[Column[tuple[FlameFrame, FlameNode]], ...] = (
    Column("box", lambda box: box[0].function),
    Column(
        "where",
        lambda box: words.file_and_line(box[0].file, box[0].line) if box[0].file else "stage",
        narrow=False,
    ),
    Column("share", lambda box: box[1].weight, words.share, right=True),
    Column("itself", lambda box: box[1].own, words.share, right=True),
)


def window_columns(stages: list[str]) -> list[Column[StageWindow]]:
    """The table over time has one column per stage."""
    return [
        Column("from", lambda window: window.start, words.seconds, right=True),
        Column("length", lambda window: window.seconds, words.seconds, right=True),
        Column("env steps/s", lambda window: window.env_steps_per_second, words.rate, right=True),
        *(Column(stage, partial(_share_in, stage), words.share, right=True) for stage in stages),
        Column(words.NO_STAGE, lambda window: window.unattributed_share, words.share, right=True),
    ]


def _share_in(stage: str, window: StageWindow) -> float | None:
    return window.stages.get(stage)
