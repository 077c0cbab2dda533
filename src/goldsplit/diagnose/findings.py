"""Runs all rules on one profile and ranks the findings by how much fixing them can save.

Where two findings describe the same cost, the more precise one stays.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.diagnose.certainty import grounded
from goldsplit.diagnose.offers import with_overlays
from goldsplit.diagnose.rule import ANY, Rule
from goldsplit.diagnose.rules import RULES
from goldsplit.diagnose.savings import bounded
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import category_of

_CONFIDENCE = {"high": 0, "medium": 1, "low": 2}
#: A general finding is dropped once more precise ones explain this part of its cost.
COVERED = 0.5


def diagnose(profile: Profile, rules: tuple[Rule, ...] = RULES) -> tuple[Finding, ...]:
    """Every finding, the most expensive first."""
    found = {rule.code: findings_of(profile, rule) for rule in rules}
    kept: list[Finding] = []
    for rule in rules:
        precise = more_precise_findings(rule, rules, found)
        left = [finding for finding in found[rule.code] if not is_covered(finding, precise)]
        kept += left[:1] if rule.once else left
    return tuple(with_overlays(profile, finding) for finding in sorted(kept, key=rank))


def findings_of(profile: Profile, rule: Rule) -> list[Finding]:
    """What one rule finds; where only one of it is kept, in the rule's own order."""
    every = [bounded(profile, grounded(profile, finding)) for finding in rule.check(profile)]
    return every if rule.once else once_per_place(every)


def once_per_place(findings: Iterable[Finding]) -> list[Finding]:
    """The findings of one rule, only the most expensive one for each place."""
    kept: dict[object, Finding] = {}
    for finding in sorted(findings, key=rank):
        where = finding.where
        kept.setdefault((where.file, where.line) if where else id(finding), finding)
    return list(kept.values())


def more_precise_findings(
    rule: Rule, rules: tuple[Rule, ...], found: dict[str, list[Finding]]
) -> list[Finding]:
    """The findings of the rules that this rule yields to; ANY means all rules that do not yield to ANY."""
    return [
        finding
        for other in rules
        if other.code in rule.yields_to or (ANY in rule.yields_to and ANY not in other.yields_to)
        for finding in found[other.code]
        if finding.worthwhile
    ]


def is_covered(finding: Finding, more_precise: list[Finding]) -> bool:
    """Whether more precise findings name the same function, or explain most of the same kind of cost."""
    if any(same_function(finding, other) for other in more_precise):
        return True
    alike = sum(other.share or 0.0 for other in more_precise if same_category(finding, other))
    return bool(finding.share) and alike >= COVERED * (finding.share or 0.0)


def same_function(one: Finding, other: Finding) -> bool:
    if one.where is None or other.where is None:
        return False
    return (one.where.file, one.where.function) == (other.where.file, other.where.function)


def same_category(one: Finding, other: Finding) -> bool:
    if one.stage is None or other.stage is None:
        return False
    return category_of(one.stage) == category_of(other.stage)


def rank(finding: Finding) -> tuple[bool, float, int, str]:
    """Faults before pointers, larger ceilings first; among equals the more certain, then by name, so that the
    order is stable."""
    return (
        finding.pointer,
        -round(finding.likely_speedup, 3),
        _CONFIDENCE.get(finding.confidence, 3),
        finding.code,
    )
