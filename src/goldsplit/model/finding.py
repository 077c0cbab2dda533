"""A diagnosis: what is slow, where, what fixing it can buy, and how to check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, as in the report JSON."""

    code: str
    title: str
    where: dict[str, Any]
    stage: str | None
    evidence: dict[str, Any]
    ceiling_speedup: float | None
    confidence: str
    remedy: str
    verify: str
