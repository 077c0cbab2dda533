"""The tables of the page that show the profile: stages, windows, threads, hot spots, flame boxes."""

from __future__ import annotations

from goldsplit.model.detail import Detail, StageWindow
from goldsplit.model.profile import Hotspot, Lane, Profile, StageRow
from goldsplit.report import words
from goldsplit.report.html.table import Cell, Column, Row, Table, bar, short_file, without_empty_columns

MOST_BOXES = 40


def stage_table(profile: Profile, paint: dict[str, str]) -> Table:
    """All stages, then what no stage explains."""
    columns = [
        Column("stage"),
        Column("share", True),
        Column("interval", True, False, "95 %; a dash: timed exactly"),
        Column("calls", True, False),
        Column("mean", True, False),
        Column("p95", True, False),
        Column("per env step", True, False),
        Column("ceiling", True, True, "speed-up of the run if the stage cost nothing"),
    ]
    missing = profile.unattributed.wall_share
    longest = max([missing, *(row.wall_share for row in profile.stages)])
    rows = [_stage_row(row, longest, paint) for row in profile.stages]
    if profile.stages or missing:
        rest = [Cell("(no stage)"), Cell(words.share(missing), missing, bar(missing, longest))]
        rows.append(Row([*rest, *[Cell(words.DASH)] * 6], paint="c-none s0"))
    return without_empty_columns(
        Table("Wall time of the training loop by stage, 100 % in all", columns, rows)
    )


def _stage_row(row: StageRow, longest: float, paint: dict[str, str]) -> Row:
    sampled = row.source == "sampled"
    return Row(
        [
            Cell(row.stage + (" *" if sampled else ""), row.stage, title="sampled" if sampled else ""),
            Cell(words.share(row.wall_share), row.wall_share, bar(row.wall_share, longest)),
            Cell(words.interval(row.wall_share_low, row.wall_share_high), row.wall_share_high),
            Cell(words.count(row.calls), row.calls),
            Cell(words.duration(row.mean_us), row.mean_us),
            Cell(words.duration(row.p95_us), row.p95_us),
            Cell(words.duration(row.us_per_env_step), row.us_per_env_step),
            Cell(words.speedup(row.ceiling_speedup), row.ceiling_speedup),
        ],
        paint=paint[row.stage],
    )


def windows_table(windows: list[StageWindow], order: list[str]) -> Table:
    """The chart over time as figures."""
    shown = [stage for stage in order if any(window.stages.get(stage, 0) >= 0.005 for window in windows)]
    columns = [Column("from", True), Column("length", True), Column("env steps/s", True)]
    columns += [Column(stage, True) for stage in shown] + [Column("(no stage)", True)]
    rows = [
        Row(
            [
                Cell(words.seconds(window.start), window.start),
                Cell(words.seconds(window.seconds), window.seconds),
                Cell(words.rate(window.env_steps_per_second), window.env_steps_per_second),
                *(Cell(words.share(window.stages.get(stage)), window.stages.get(stage)) for stage in shown),
                Cell(words.share(window.unattributed_share), window.unattributed_share),
            ]
        )
        for window in windows
    ]
    return Table("Stage shares and speed, window by window", columns, rows)


def lane_table(lanes: list[Lane]) -> Table:
    """Threads and processes beside wall time."""
    columns = [
        Column("process"),
        Column("role"),
        Column("thread", narrow=False),
        Column("busy", True),
        Column("wait", True),
        Column("barrier", True, True, "done with its part of a round while another worker was not"),
        Column("holds up", True, False, "share of the driver's time spent waiting for it"),
        Column("CPU", True, False),
        Column("mostly in", narrow=False),
    ]
    rows = [
        Row(
            [
                Cell(f"{lane.pid} {words.plain(lane.process)}", lane.pid),
                Cell(lane.role),
                Cell(words.plain(lane.thread)),
                Cell(words.share(lane.busy_share), lane.busy_share, lane.busy_share),
                Cell(words.share(lane.wait_share), lane.wait_share),
                Cell(words.share(lane.barrier_share), lane.barrier_share),
                Cell(words.share(lane.charged_share), lane.charged_share),
                Cell(words.DASH if lane.cpu_seconds is None else words.seconds(lane.cpu_seconds)),
                Cell(words.listing([f"{one.stage} {words.share(one.share)}" for one in lane.stages], 3)),
            ]
        )
        for lane in lanes
    ]
    return Table(
        "Threads and processes; shares of the training loop, never added to wall time", columns, rows
    )


def hotspot_table(spots: list[Hotspot]) -> Table:
    """The hottest functions, and whose they are."""
    columns = [
        Column("function"),
        Column("where", narrow=False),
        Column("stage", narrow=False),
        Column("self", True, True, "share of wall time in the function itself"),
        Column("total", True, False, "with everything that it calls"),
        Column("calls per env step", True, False),
        Column("ceiling", True, False, "speed-up of the run if its own code cost nothing"),
        Column("whose"),
    ]
    longest = max((spot.self_share for spot in spots), default=0.0)
    rows = [
        Row(
            [
                Cell(words.plain(spot.function)),
                Cell(short_file(spot.file, spot.line), title=words.plain(spot.file)),
                Cell(spot.stage or words.DASH),
                Cell(words.share(spot.self_share), spot.self_share, bar(spot.self_share, longest)),
                Cell(words.share(spot.total_share), spot.total_share),
                Cell(words.per_step(spot.calls_per_env_step), spot.calls_per_env_step),
                Cell(words.speedup(spot.ceiling_speedup), spot.ceiling_speedup),
                Cell(spot.kind),
            ],
            spot.kind,
        )
        for spot in spots
    ]
    return without_empty_columns(Table("Functions by their share of wall time", columns, rows))


def flame_table(detail: Detail) -> Table:
    """The flame view of the whole run as figures: its widest boxes."""
    columns = [Column("box"), Column("where", narrow=False), Column("share", True), Column("itself", True)]
    nodes = (
        sorted(detail.flames[0].nodes, key=lambda node: -node.weight)[:MOST_BOXES] if detail.flames else []
    )
    rows = []
    for node in sorted(nodes, key=lambda node: -node.weight)[:MOST_BOXES]:
        frame = detail.frames[node.frame]
        where = short_file(frame.file, frame.line) if frame.file else "stage"
        rows.append(
            Row(
                [
                    Cell(words.plain(frame.function)),
                    Cell(where),
                    Cell(words.share(node.weight), node.weight),
                    Cell(words.share(node.own), node.own),
                ]
            )
        )
    return Table("The widest boxes of the whole run, share of wall time", columns, rows)
