"""Rows under the user's own functions: how to make a stage of each in the next recording."""

from __future__ import annotations

import dataclasses

from goldsplit.analyse.stacks.own_code import OwnCode, OwnFunction
from goldsplit.model.launched import module_of
from goldsplit.model.profile import Profile, StageRow
from goldsplit.model.stage import ACT, LEARN_LOSS, REPLAY_ADD, stage_named_after

#: What a function with known stages of one category inside it is itself, most likely.
_STAGE_OF_CATEGORY = {"agent": ACT, "learning": LEARN_LOSS, "replay": REPLAY_ADD}


def with_mappings(profile: Profile, own: OwnCode) -> Profile:
    """The profile with the `--stage` value of each row that a function of the user's own names."""
    rows = [_with_mapping(profile, row, own.functions.get(row.stage)) for row in profile.stages]
    return dataclasses.replace(profile, stages=rows)


def _with_mapping(profile: Profile, row: StageRow, own: OwnFunction | None) -> StageRow:
    if own is None or own.around or "<" in (own.place.function or "<"):
        return row  # a loop around stages is called once, mostly before a mapping finds it
    target = f"{module_of(profile, own.place.file)}:{own.place.function}"
    return dataclasses.replace(row, map_with=f"{target}={stage_for(own)}")


def stage_for(own: OwnFunction) -> str:
    """A stage to begin with: that of what is inside the function, else one of the user's own."""
    for category in own.categories:
        if category in _STAGE_OF_CATEGORY:
            return _STAGE_OF_CATEGORY[category]
    return stage_named_after(own.place.function or "")
