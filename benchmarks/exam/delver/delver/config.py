from __future__ import annotations
import os
from dataclasses import dataclass, field

@dataclass(frozen=True)
class DungeonConfig:
    width: int = 28
    height: int = 20
    rooms: int = 6
    monsters: int = 5
    gold: int = 6
    max_hp: int = 20
    sight: int = 7
    max_turns: int = 250

@dataclass(frozen=True)
class PPOConfig:
    num_envs: int = 4
    num_steps: int = 128
    learning_rate: float = 3e-4
    gamma: float = 0.99
    gae_lambda: float = 0.95
    num_minibatches: int = 4
    update_epochs: int = 3
    clip_coef: float = 0.2
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    seed: int = 1

@dataclass(frozen=True)
class RunConfig:
    dungeon: DungeonConfig = field(default_factory=DungeonConfig)
    ppo: PPOConfig = field(default_factory=PPOConfig)
    seconds: float = float(os.environ.get("WILD_SECONDS", "20"))
    truth_path: str | None = os.environ.get("WILD_TRUTH")
    checkpoint_path: str = "delver.pt"
    checkpoint_every: int = 5
