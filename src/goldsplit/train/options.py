"""All options of the trainers, with their meaning beside them: checks and the documentation read it here."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from goldsplit.train.errors import TrainError
from goldsplit.train.settings.option_values import Limits, Meaning, demands, meaning, reads_as, wrong

Surroundings = Literal["plain", "fast"]


def _option(default: Any, doc: str, *, kept: bool = False, **limits: Any) -> Any:
    """An option; `kept`: a resumed training must have the same value as before."""
    return field(default=default, metadata={"doc": doc, "meaning": Meaning(doc, kept, Limits(**limits))})


@dataclass(frozen=True)
class TrainOptions:
    """What every trainer has."""

    game: str = _option("skirmish", "skirmish, snake, retro, duel, or any Gymnasium id", kept=True)
    seed: int = _option(0, "decides games, network and exploration; game i gets seed + i", kept=True, least=0)
    steps: int = _option(200_000, "steps of single games in all, over all environments", least=1)
    envs: int = _option(64, "games played side by side", kept=True, least=1)
    subprocess: bool = _option(False, "games in worker processes instead of in this one", kept=True)
    surroundings: Surroundings = _option(  # noqa: RUF009
        "fast",
        "'plain': as hobby authors write it; 'fast': goldsplit.fast",
        kept=True,
        choices=("plain", "fast"),
    )
    device: str = _option("auto", "'cpu', 'cuda', or 'auto': CUDA where there is a device")
    threads: int = _option(1, "threads of torch on the CPU; small networks are fastest with one", least=1)
    batch: int = _option(256, "rows of one update", least=1)
    updates_per_step: float = _option(
        1.0, "DQN: updates after each step of all games; 0.5: every second", least=0
    )
    warmup: int = _option(2_000, "DQN: steps before the first update", least=0)
    amp: bool = _option(False, "bfloat16 in the update; on CUDA only")
    compile: bool = _option(False, "torch.compile for the update, without it where that fails; on CUDA only")
    graph: bool = _option(True, "fast surroundings on CUDA: the update as one captured graph")
    prefetch: bool = _option(False, "fast surroundings: a thread draws the next batch meanwhile")
    pin: bool = _option(True, "batches go to a CUDA device through pinned memory")
    log_every: int = _option(1_000, "steps between two points of the learning curve (and log lines)", least=1)
    tensorboard: bool = _option(True, "with a folder: write each point of the curve for TensorBoard, too")
    folder: str = _option("", "where checkpoints, logs and TensorBoard scalars go; empty: nowhere")
    evaluate_games: int = _option(
        100, "games of the evaluation at the end, with greedy play; 0: none", least=0
    )
    evaluate_every: int = _option(0, "steps between two evaluations on the way; 0: only at the end", least=0)
    checkpoint_every: int = _option(0, "steps between two checkpoints; 0: only at the end", least=0)
    self_play: int = _option(
        0, "every so many steps a frozen copy becomes the opponent; 0: the game's own", least=0
    )

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            problem = wrong(one, value)
            if problem:
                raise TrainError(f"{one.name} = {reads_as(value)} {problem}", demands(one))
        self._check_together()

    def _check_together(self) -> None:
        """Values that are fine alone, but not beside each other."""
        if self.checkpoint_every and not self.folder:
            raise TrainError("checkpoint_every is set, but no folder", "say where to: --folder runs/first")


@dataclass(frozen=True)
class DqnOptions(TrainOptions):
    """Double DQN with prioritised replay and n-step returns."""

    gamma: float = _option(0.99, "discount of one step", kept=True, above=0, most=1)
    n_steps: int = _option(3, "rewards summed up before the network's own value is used", kept=True, least=1)
    learning_rate: float = _option(5e-4, "of Adam", kept=True, above=0)
    hidden: tuple[int, ...] = _option((128, 128), "sizes of the hidden layers", kept=True, least=1)
    dueling: bool = _option(
        False, "the network gives a value and advantages in place of action values", kept=True
    )
    double: bool = _option(True, "the online network chooses the action that the target network values")
    epsilon_start: float = _option(1.0, "share of random actions at the start", least=0, most=1)
    epsilon_end: float = _option(0.05, "share of random actions later on", least=0, most=1)
    epsilon_steps: int = _option(100_000, "steps until epsilon_end is reached", least=1)
    alpha: float = _option(0.6, "exponent of the priorities; 0: all alike", kept=True, least=0)
    beta_start: float = _option(0.4, "exponent of the importance weights at the start", least=0, most=1)
    beta_steps: int = _option(1_000_000, "steps until that exponent is 1", least=1)
    target_every: int = _option(
        250, "updates between two copies into the target network; not used with tau", least=1
    )
    tau: float = _option(
        0.0, "above 0: the target network follows by this share at every update", least=0, most=1
    )
    capacity: int = _option(100_000, "transitions that the replay memory keeps", kept=True, least=1)
    max_grad_norm: float = _option(10.0, "gradients longer than this are shortened", above=0)
    device_replay: bool = _option(
        True, "fast surroundings on CUDA: the replay memory lies on the device", kept=True
    )


@dataclass(frozen=True)
class PpoOptions(TrainOptions):
    """Masked PPO with generalised advantage estimation."""

    gamma: float = _option(0.99, "discount of one step", above=0, most=1)
    gae_lambda: float = _option(
        0.95, "how far advantages look ahead: 0 one step, 1 to the end", least=0, most=1
    )
    rollout: int = _option(128, "steps of each game before an update", kept=True, least=1)
    epochs: int = _option(4, "passes over one rollout", least=1)
    minibatches: int = _option(
        4, "parts that a rollout is shuffled into; the option batch is not used", least=1
    )
    clip: float = _option(0.2, "how far the probability of an action may move in one update", above=0)
    entropy: float = _option(0.01, "weight of the entropy bonus", least=0)
    value_coefficient: float = _option(0.5, "weight of the value loss", least=0)
    max_grad_norm: float = _option(0.5, "gradients longer than this are shortened", above=0)
    learning_rate: float = _option(3e-4, "of Adam at the start", kept=True, above=0)
    anneal: bool = _option(True, "the learning rate falls to 0 over `steps`")
    hidden: tuple[int, ...] = _option(
        (128, 128), "sizes of the hidden layers of both networks", kept=True, least=1
    )


KINDS: dict[str, type[TrainOptions]] = {"dqn": DqnOptions, "ppo": PpoOptions}
#: Options that a resumed training must have as before: what is saved depends on them.
KEPT = {
    kind: tuple(one.name for one in fields(options) if meaning(one).kept) for kind, options in KINDS.items()
}
