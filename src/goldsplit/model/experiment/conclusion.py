"""What an experiment concludes: effects with intervals, gates, counts, and a verdict for each variant."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


class Verdict:
    """The possible answers about a variant."""

    FASTER = "faster and not worse"
    UNPROVEN = "faster, quality unproven"
    SLOWER = "slower"
    NOTHING = "no detectable effect"
    NOISY = "inconclusive: machine too noisy"
    FEW = "inconclusive: too few pairs"
    WORSE = "worse play"
    OTHER = "not the same play"
    """Equal trajectories were asked for, and they are not."""
    FAILED = "failed"
    """It did not run to its end often enough to be compared."""


class Decision:
    KEEP = "keep"
    ROLL_BACK = "roll back"
    UNDECIDED = "undecided"


class GateState:
    PASSED = "passed"
    FAILED = "failed"
    UNPROVEN = "unproven"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Effect:
    """The gain of a variant in one metric, from pairs. A gain is a ratio: above 1 is better, whichever way
    the metric goes. None: too few pairs, or not measured."""

    metric: str
    pairs: int
    gain: float | None
    low: float | None
    high: float | None
    level: float
    """Probability that the interval misses the true gain, after the corrections for several variants and
    looks."""
    spread: float | None
    """Standard deviation of the pairs' log-ratios: how noisy they were."""
    detectable: float | None
    """The smallest gain that this many pairs of this spread would have found four times out of five."""
    pairs_needed: int | None = None
    """For the minimum gain at this spread; None: not known."""
    base_value: float | None = None
    value: float | None = None
    """Medians of the metric itself."""
    ratios: tuple[float, ...] = ()
    sure_low: float | None = None
    """The lower end of a wider interval, missed in at most 1 of 100 experiments; of few pairs, the smallest
    of their ratios."""


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate of one variant."""

    gate: str
    state: str
    base_value: float | None
    value: float | None
    difference: float | None
    """How much better the variant is; negative: worse."""
    low: float | None
    high: float | None
    max_drop: float
    base_episodes: int = 0
    episodes: int = 0
    episodes_needed: int | None = None
    """More of them, for each variant; None: not known, or more would not help."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class CountChange:
    """A count that needs no clock: per env step, the same on a busy machine."""

    name: str
    base_value: float
    value: float

    @property
    def ratio(self) -> float | None:
        return self.value / self.base_value if self.base_value else None


@dataclass(frozen=True, slots=True)
class Judged:
    """What is concluded about one variant."""

    variant: str
    verdict: str
    decision: str
    why: str
    effect: Effect
    cpu: Effect | None = None
    """The same in CPU seconds of the whole process tree, which other programs disturb least: a gain that it
    confirms needs less proof."""
    gates: tuple[GateResult, ...] = ()
    counts: tuple[CountChange, ...] = ()
    """Those that differ from the base's in every pair, in the same direction."""
    counts_compared: int = 0
    equal: str = ""
    """Trajectories: "yes", "no", "not comparable"; "": not asked."""
    equal_why: str = ""
    predicted: float | None = None


@dataclass(frozen=True, slots=True)
class MachineNoise:
    """What else ran on the machine while the trials did."""

    cores: int
    other_cores: float | None
    """On average over trials."""
    other_cores_most: float | None
    stolen_share: float | None
    base_spread: float | None
    """How much the base alone varied from trial to trial: standard deviation over mean."""
    calm: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """A whole experiment, judged."""

    name: str
    metric: str
    minimum_gain: float
    command: tuple[str, ...]
    pairs_planned: int
    judged: tuple[Judged, ...]
    machine: MachineNoise
    failed: tuple[tuple[str, int, str], ...] = ()
    """Variant, block and problem of every failed trial."""
    notes: tuple[str, ...] = field(default_factory=tuple)
    trials: int = 0
    runner_seconds: float | None = None
    """Median of what the runner added to a trial."""

    def to_json(self) -> dict[str, Any]:
        return {"format": "goldsplit-experiment", "version": 1, **asdict(self)}
