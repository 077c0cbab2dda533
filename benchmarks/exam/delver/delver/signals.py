"""What the agent sees (Encoder) and what it is paid (Reward)."""
from __future__ import annotations
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .dungeon import Dungeon, Point, Tile, TurnEvents, MOVES

FloatArray = npt.NDArray[np.float32]

@dataclass(frozen=True)
class Encoder:
    radius: int = 6
    channels: int = 5
    @property
    def shape(self) -> tuple[int, int, int]:
        side = 2 * self.radius + 1
        return self.channels, side, side
    def encode(self, dungeon: Dungeon) -> FloatArray:
        out = np.zeros(self.shape, dtype=np.float32)
        origin = dungeon.player + Point(-self.radius, -self.radius)
        for j in range(out.shape[1]):
            for i in range(out.shape[2]):
                p = origin + Point(i, j)
                if p not in dungeon.explored:
                    continue
                tile = dungeon.tiles[p.y][p.x]
                out[0, j, i] = tile is Tile.WALL
                out[1, j, i] = tile is Tile.STAIRS
                out[2, j, i] = p in dungeon.gold
                if p in dungeon.visible and (m := dungeon.monster_at(p)) is not None:
                    out[3, j, i] = m.hp / 4
        out[4] = dungeon.hp / dungeon.cfg.max_hp
        return out

@dataclass
class Reward:
    gold: float = 0.5
    kill: float = 0.5
    hit: float = 0.05
    hurt: float = -0.05
    explore: float = 0.01
    descend: float = 5.0
    death: float = -2.0
    bump: float = -0.02
    lurking: float = -0.01
    def compute(self, dungeon: Dungeon, e: TurnEvents) -> float:
        r = self.gold * e.gold + self.kill * e.kills + self.hit * e.damage_dealt + self.hurt * e.damage_taken
        r += self.explore * e.newly_seen + self.descend * e.descended + self.death * e.died + self.bump * e.bumped
        near = sum(dungeon.monster_at(dungeon.player + d) is not None for d in MOVES)
        return r + self.lurking * near
