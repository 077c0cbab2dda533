"""What would the run gain if a stage were faster?"""

from __future__ import annotations

from collections.abc import Mapping

from goldsplit.model.profile import Profile


def speedup_if(profile: Profile, remaining: Mapping[str, float]) -> float | None:
    """Speed-up of the whole run if each named stage kept only this fraction of its cost (0: free)."""
    left = 1.0 - sum(
        row.wall_share * (1.0 - remaining[row.stage]) for row in profile.stages if row.stage in remaining
    )
    return 1.0 / left if left > 1e-9 else None
