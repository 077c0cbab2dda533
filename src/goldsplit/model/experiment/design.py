"""How an experiment is designed: the command, its variants, what is measured, which quality must not be
lost."""

from __future__ import annotations

from dataclasses import dataclass, field

BASE = "base"
#: What is measured where a plan does not say.
DEFAULT_METRIC = "env_steps_per_second"
DEFAULT_PAIRS = 8
#: More are of no use to anybody; exact sizes of tests take the cube of it to compute.
MOST_PAIRS = 200
DEFAULT_MINIMUM_GAIN = 0.10
#: The share of the compared env steps that is left out at the beginning: caches fill, compilers compile.
DEFAULT_WARM_UP = 0.1
#: How often a false "faster" or "slower" may happen, over all variants and looks of an experiment.
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class ConfigEdit:
    """One value of a settings file that a variant changes, in a copy."""

    file: str
    key: str
    """Dotted: `ppo.lr`."""
    value: str
    """As written; read as a TOML value where it is one, else as text."""


@dataclass(frozen=True, slots=True)
class Variant:
    """What is changed; nothing for the base."""

    name: str
    environment: dict[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    """Added at the end of the command."""
    overlays: tuple[str, ...] = ()
    edits: tuple[ConfigEdit, ...] = ()
    revision: str = ""
    patch: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    """`{name}` in the command and in variables → what stands there instead."""


class SourceKind:
    """Where the figures of a gate or of a user's own metric are read from."""

    RECORDED = "recorded"
    """`goldsplit.episode` and `goldsplit.metric`."""
    CSV = "csv"
    """Monitor files of Stable-Baselines3 or any CSV with a header."""
    TENSORBOARD = "tensorboard"
    OUTPUT = "output"
    """A regular expression on what the program prints; its first group is the value."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where values come from."""

    kind: str
    where: str = ""
    """A file pattern below the trial's directory, or the regular expression."""
    name: str = ""
    """The metric, column or tag."""


class GateKind:
    """What a gate compares."""

    RATE = "rate"
    """A share of episodes, such as wins: every value is 0 or 1."""
    MEAN = "mean"
    """The mean of a value, trial by trial."""
    REASONS = "reasons"
    """How episodes end: the share of every reason."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A quality that a variant must not lose."""

    name: str
    kind: str
    source: Source
    max_drop: float
    """How much worse it may be: a difference of shares (0.03: three points) or of means."""
    higher_is_better: bool = True
    relative: bool = False
    """The margin is a share of the base's mean."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole experiment. The first variant is the base, which all others are paired with."""

    name: str
    command: tuple[str, ...]
    variants: tuple[Variant, ...]
    metric: str = DEFAULT_METRIC
    pairs: int = DEFAULT_PAIRS
    minimum_gain: float = DEFAULT_MINIMUM_GAIN
    gates: tuple[Gate, ...] = ()
    metrics: dict[str, Source] = field(default_factory=dict)
    """The user's own metrics, by name."""
    lower_is_better: bool = False
    """For a metric of the user's own."""
    target_reward: float | None = None
    """For the metric `seconds_to_target`."""
    warm_up: float = DEFAULT_WARM_UP
    seed: int = 1
    seed_variable: str = ""
    """Environment variable that gets the block's seed, beside `{seed}` in the command."""
    duration_seconds: float | None = None
    """Each trial is ended after this time; else it runs to its end."""
    early_stop: bool = False
    equivalent: bool = False
    """Compare trajectories before times."""
    stages: dict[str, str] = field(default_factory=dict)
    predicted: dict[str, float] = field(default_factory=dict)
    """Variant → the gain that was predicted for it, for the ledger."""

    @property
    def base(self) -> Variant:
        return self.variants[0]

    @property
    def others(self) -> tuple[Variant, ...]:
        return self.variants[1:]
