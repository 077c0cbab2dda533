"""The verdict's last line where no rule found anything: one thing to do."""

from __future__ import annotations

from goldsplit.model.launched import record_again, record_with
from goldsplit.model.pasting import our_command, quoted
from goldsplit.model.profile import Hotspot, Profile, StageRow, categories_of
from goldsplit.model.stage import ENV, category_of
from goldsplit.report import words
from goldsplit.report.bottleneck import Line, ended_at_once, why_empty

#: From this share on, time that no stage explains, or in which the driver had no core, is a warning.
WORRYING_SHARE = 0.10
#: A function with less of the run is not worth a look of its own.
LEAST_SHARE = 0.02


def next_step(profile: Profile) -> Line:
    """One thing to do now, in the category that takes most of the time."""
    if not profile.stages:
        first = "change that, and record again; this says what else" if why_empty(profile) else "ask what"
        return advice(f"{first} recording needs:", our_command("doctor"))
    again = record_again(profile)
    kind = (profile.categories or categories_of(profile.stages))[0]
    if profile.unattributed.wall_share > kind.wall_share and ended_at_once(profile):
        return advice("give it the arguments with which it trains, for a minute or so:", again)
    if profile.unattributed.wall_share > kind.wall_share:
        sampled = again.replace(" record -- ", " record --rate 50 -- ", 1)
        more = "more stack samples" if profile.trust.samples else "stack samples"
        return advice(f"record longer, with {more}:", sampled)
    rows = [row for row in profile.stages if row.category == kind.category]
    if device_is_missing(profile):
        return advice(
            "see what the device does meanwhile:",
            record_with(profile.run.command, profile.run.folder, "--gpu"),
        )
    spot = hottest(profile.hotspots, rows)
    if spot is not None:
        inside = f", mostly in {spot.library}," if spot.kind != "yours" and spot.library else ""
        look = f"look at {spot.function} ({place(spot)}){inside.rstrip(',')}{saving(spot.ceiling_speedup)}"
        return advice(look, again)
    if rows[0].place is not None and rows[0].map_with is None:
        where = f"{rows[0].place.file.rpartition('/')[2]}:{rows[0].place.line}"
        return advice(f'name the parts of {where} with goldsplit.stage("NAME"), then:', again)
    if profile.deep is None:
        return advice("record every call of your own code:", record_again(profile, deep=True))
    return advice("read what to do in which order, and what is not worth it:", read_plan(profile))


def advice(text: str, command: str) -> Line:
    """The verdict's last line."""
    return Line("Next", text, "good", command)


def saving(most: float | None) -> str:
    """How the advice to look at a function goes on: what changing it saves at most, where that is known."""
    if words.known(most) is None:
        return ", change it, and compare:"
    return f": {words.speedup(most)} at most. Change it, and compare:"


def read_plan(profile: Profile) -> str:
    """The command that writes the plan of this run."""
    return our_command(f"plan {quoted(profile.run.path or profile.run.id)}")


def device_is_missing(profile: Profile) -> bool:
    """Whether a device was in use that was not looked at, and its work can be the bottleneck: waits for it
    count where the program waits, in acting as well as in learning."""
    if not profile.stages or all(use.asked for use in profile.devices):
        return False
    return (profile.categories or categories_of(profile.stages))[0].category != category_of(ENV)


def hottest_in_bottleneck(profile: Profile) -> Hotspot | None:
    """The user's hottest function in the category that takes most of the time."""
    kind = (profile.categories or categories_of(profile.stages))[0]
    return hottest(profile.hotspots, [row for row in profile.stages if row.category == kind.category])


def hottest(spots: list[Hotspot], rows: list[StageRow]) -> Hotspot | None:
    """The user's hottest function in the largest of some stages that has one worth a look."""
    for row in rows:
        inside = [spot for spot in spots if spot.stage == row.stage and is_yours(spot)]
        worth = [spot for spot in inside if spot.self_share >= LEAST_SHARE]
        if worth:
            return max(worth, key=lambda spot: (spot.kind == "yours", spot.self_share))
    return None


def starts_it_all(spot: Hotspot, spots: list[Hotspot]) -> bool:
    """Whether a line only calls the library that does everything (`model.learn(…)`): it is hot in stages of
    different kinds, and nothing of it can be made cheaper."""
    here = [one for one in spots if (one.file, one.line) == (spot.file, spot.line) and one.kind != "yours"]
    return spot.kind != "yours" and len({category_of(one.stage or "") for one in here}) > 1


def is_yours(spot: Hotspot) -> bool:
    """Whether the function is the user's own, whatever it calls."""
    return spot.kind == "yours" or spot.library is not None


def place(spot: Hotspot) -> str:
    """`file.py:12`, the file without its folders."""
    line = f":{spot.line}" if spot.line else ""
    return spot.file.rpartition("/")[2] + line if spot.file else words.DASH
