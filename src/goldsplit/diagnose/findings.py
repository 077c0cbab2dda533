"""All rules on one profile, ranked by what mending can buy."""

from __future__ import annotations

from goldsplit.diagnose.rules import RULES
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

_CONFIDENCE = {"high": 0, "medium": 1, "low": 2}


def diagnose(profile: Profile) -> tuple[Finding, ...]:
    """Every finding, the dearest first."""
    found = [finding for rule in RULES for finding in rule.check(profile)]
    return tuple(sorted(found, key=rank))


def rank(finding: Finding) -> tuple[float, int, str]:
    """Larger ceilings first; among equals what is surer, then by name, so that the order is stable."""
    gain = (
        finding.ceiling_speedup
        if finding.ceiling_speedup is not None
        else 1.0 / (1.0 - (finding.share or 0.0))
    )
    return (-round(gain, 3), _CONFIDENCE.get(finding.confidence, 3), finding.code)
