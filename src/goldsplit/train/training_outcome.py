"""What a training gave: for a summary, for JSON, and for programs that train."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from torch import nn

from goldsplit.train.evaluation import Evaluation
from goldsplit.train.options import TrainOptions
from goldsplit.train.progress import Point


@dataclass
class Outcome:
    """What a training gave, since it began or was resumed. Times are without evaluations and checkpoints."""

    kind: str
    options: TrainOptions
    steps: int = 0
    total_steps: int = 0
    seconds: float = 0.0
    updates: int = 0
    episodes: int = 0
    mean_return: float | None = None
    win_rate: float | None = None
    evaluation: Evaluation | None = None
    evaluations: list[tuple[int, float, Evaluation]] = field(default_factory=list)
    curve: list[Point] = field(default_factory=list)
    checkpoint: str | None = None
    interrupted: bool = False
    notes: dict[str, str] = field(default_factory=dict)
    network: nn.Module | None = None
    device: str = ""

    @property
    def steps_per_second(self) -> float | None:
        return self.steps / self.seconds if self.steps and self.seconds else None

    def as_dict(self) -> dict[str, Any]:
        """For one line of JSON."""
        options, evaluated = self.options, self.evaluation
        return dict(
            kind=self.kind,
            game=options.game,
            surroundings=options.surroundings,
            seed=options.seed,
            envs=options.envs,
            device=self.device,
            steps=self.steps,
            total_steps=self.total_steps,
            seconds=self.seconds,
            steps_per_second=self.steps_per_second,
            updates=self.updates,
            updates_per_env_step=self.updates / self.steps if self.steps else None,
            episodes=self.episodes,
            **{"return": self.mean_return},
            win_rate=self.win_rate,
            evaluation=evaluated.as_dict() if evaluated else None,
            evaluations=[
                {"steps": steps, "seconds": seconds, **result.as_dict()}
                for steps, seconds, result in self.evaluations
            ],
            checkpoint=self.checkpoint,
            interrupted=self.interrupted,
            notes=self.notes,
        )
