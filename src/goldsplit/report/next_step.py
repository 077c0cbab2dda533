"""The verdict's last line where no rule found anything: one thing to do."""

from __future__ import annotations

from goldsplit.model.launched import module_of, record_again
from goldsplit.model.profile import Hotspot, Profile
from goldsplit.report import words

#: From this share on, time that no stage explains, or in which the driver had no core, is a warning.
WORRYING_SHARE = 0.10


def next_step(profile: Profile) -> str:
    """One thing to do now."""
    if not profile.stages:
        return "goldsplit doctor (says what recording needs on this machine)"
    own = [spot for spot in profile.hotspots if spot.kind == "yours"]
    spot = next((spot for spot in own if spot.stage == profile.stages[0].stage), own[0] if own else None)
    again = record_again(profile)
    if profile.unattributed.wall_share >= WORRYING_SHARE and own:
        unmapped = to_map(own, profile.unattributed.wall_share)
        if unmapped is None:
            part = next((spot for spot in own if spot.stage is None), own[0])
            return f'name the parts of {place(part)} with goldsplit.stage("NAME"), then: {again}'
        target = f"{module_of(profile, unmapped.file)}:{unmapped.function}"
        return again.replace("record --", f'record --stage "{target}=STAGE" --', 1)
    if spot is None and profile.deep is None:
        return f"record every call of your own code: {record_again(profile, deep=True)}"
    if spot is None:
        return f"goldsplit plan {profile.run.id} (what to do in which order, and what is not worth it)"
    return f"look at {spot.function} ({place(spot)}), change it, and compare: {again}"


def to_map(own: list[Hotspot], missing_share: float) -> Hotspot | None:
    """The user's function that --stage should name: the largest that can be the time without a stage.

    Not the loop around everything: that would only give the time another name. A script's top level and
    lambdas have no name to map.
    """
    most = max(missing_share, 0.5)
    fitting = [
        spot for spot in own if spot.stage is None and "<" not in spot.function and spot.total_share <= most
    ]
    return max(fitting, key=lambda spot: spot.total_share, default=None)


def place(spot: Hotspot) -> str:
    """`file.py:12`, the file without its folders."""
    return f"{spot.file.rpartition('/')[2]}:{spot.line}" if spot.file else words.DASH
