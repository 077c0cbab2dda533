"""Findings after `goldsplit try`: a remedy that serves several has one gain, and one that lost comes last."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from goldsplit.diagnose.savings import combined_speedup
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile


def in_order_of_hope(profile: Profile, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Faults whose tried remedy lost go behind all others; then each measured gain knows all the findings
    that it is about."""
    ordered = sorted(findings, key=lambda one: (one.pointer, is_lost(one)))
    numbers = {id(one): number for number, one in enumerate([o for o in ordered if o.worthwhile], 1)}
    served: dict[str, list[Finding]] = {}
    for one in ordered:
        if one.measured is not None:
            served.setdefault(one.measured.overlay, []).append(one)
    known = {
        overlay: (
            tuple(numbers[id(one)] for one in group if id(one) in numbers) if len(group) > 1 else (),
            joint_most(profile, group),
        )
        for overlay, group in served.items()
    }
    found = []
    for one in ordered:
        if one.measured is not None:
            group = served[one.measured.overlay]
            said_before = len(group) > 1 and one is not group[0]
            together, most = known[one.measured.overlay]
            gain = dataclasses.replace(
                one.measured, findings=together, said_before=said_before, most_together=most
            )
            one = dataclasses.replace(one, measured=gain)
        found.append(one)
    return tuple(found)


def is_lost(finding: Finding) -> bool:
    return finding.measured is not None and finding.measured.lost


def joint_most(profile: Profile, findings: Sequence[Finding]) -> float | None:
    """What fixing all of them can save at most; None: nothing is predicted, or there is no bound."""
    own = [one.most_speedup for one in findings if one.most_speedup is not None]
    if len(findings) < 2 or not own:
        return max(own, default=None)
    combined = combined_speedup(profile, findings)
    return None if combined is None or math.isinf(combined) else max(combined, *own)
