"""The verdict's last line where no rule found anything: one thing to do."""

from __future__ import annotations

from goldsplit.model.categories import categories_of
from goldsplit.model.launched import record_again
from goldsplit.model.profile import Hotspot, Profile, StageRow
from goldsplit.report import words

#: From this share on, time that no stage explains, or in which the driver had no core, is a warning.
WORRYING_SHARE = 0.10
#: A function with less of the run is not worth a look of its own.
LEAST_SHARE = 0.02


def next_step(profile: Profile) -> str:
    """One thing to do now, in the category that takes most of the time."""
    if not profile.stages:
        return "goldsplit doctor (says what recording needs on this machine)"
    again = record_again(profile)
    kind = (profile.categories or categories_of(profile.stages))[0]
    if profile.unattributed.wall_share > kind.wall_share:
        return f"record longer, with stack samples: {again.replace('record --', 'record --rate 50 --', 1)}"
    rows = [row for row in profile.stages if row.category == kind.category]
    spot = hottest(profile.hotspots, rows)
    if spot is not None:
        inside = f", mostly in {spot.library}," if spot.kind != "yours" and spot.library else ""
        return f"look at {spot.function} ({place(spot)}){inside or ','} change it, and compare: {again}"
    if rows[0].place is not None and rows[0].map_with is None:
        where = f"{rows[0].place.file.rpartition('/')[2]}:{rows[0].place.line}"
        return f'name the parts of {where} with goldsplit.stage("NAME"), then: {again}'
    if profile.deep is None:
        return f"record every call of your own code: {record_again(profile, deep=True)}"
    return f"goldsplit plan {profile.run.id} (what to do in which order, and what is not worth it)"


def hottest(spots: list[Hotspot], rows: list[StageRow]) -> Hotspot | None:
    """The user's hottest function in the largest of some stages that has one worth a look."""
    for row in rows:
        inside = [spot for spot in spots if spot.stage == row.stage and is_yours(spot)]
        worth = [spot for spot in inside if spot.self_share >= LEAST_SHARE]
        if worth:
            return max(worth, key=lambda spot: (spot.kind == "yours", spot.self_share))
    return None


def is_yours(spot: Hotspot) -> bool:
    """Whether the function is the user's own, whatever it calls."""
    return spot.kind == "yours" or spot.library is not None


def place(spot: Hotspot) -> str:
    """`file.py:12`, the file without its folders."""
    return f"{spot.file.rpartition('/')[2]}:{spot.line}" if spot.file else words.DASH
