"""Plain twin of Retro: the game's state as objects over a snapshot of RAM and screen, made anew in each step.

Faults, all from seed 004: `full_location` makes a new `MapLocation` at every access (with an assertion, and a
hash that is computed at every use); `Room.is_loaded` compares all tiles with all walkable colours at every
access.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldsplit.games.retro import retro_rules as rules
from goldsplit.games.retro.emulator import needed

torch = needed("torch", "pip install 'goldsplit[torch]'")

WALKABLE_COLOURS = torch.tensor(list(range(rules.FIRST_COLOURED, 256)), dtype=torch.int32)


class MapLocation:
    """Where the player is: level, room and pixel. All of a cell of 16 x 16 pixels counts as the same."""

    def __init__(self, level: int, room: int, x: int, y: int) -> None:
        assert 0 <= level <= 9
        self.level = level
        self.room = room
        self.x = x
        self.y = y

    @property
    def cell(self) -> tuple[int, int]:
        return (self.x // 16, self.y // 16)

    @property
    def map_room(self) -> tuple[int, int]:
        return (self.level, self.room)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MapLocation):
            return False
        return self.map_room == other.map_room and self.cell == other.cell

    def __hash__(self) -> int:
        return hash((self.level, self.room, self.cell))


class Room:
    """The tiles of the room on the screen."""

    def __init__(self, screen: NDArray[np.uint8]) -> None:
        bottom = rules.CROP_TOP + rules.CROP_ROWS
        tiles = screen[rules.TILE_TOP : bottom : rules.TILE_STEP, :: rules.TILE_STEP]
        self.tiles = torch.as_tensor(tiles.astype(np.int32))

    @property
    def is_loaded(self) -> bool:
        """Between two rooms the screen is black, then there is nothing to walk on."""
        return bool(torch.isin(self.tiles, WALKABLE_COLOURS).any())


class MontezumaGame:
    """One moment of the game."""

    def __init__(self, ram: NDArray[np.uint8], screen: NDArray[np.uint8]) -> None:
        self.ram = ram
        self.current_room = Room(screen)

    def _byte(self, address: int) -> int:
        return int(self.ram[address])

    @property
    def full_location(self) -> MapLocation:
        return MapLocation(self._byte(57) % 4, self._byte(3) % 32, self._byte(42), self._byte(43))

    @property
    def level(self) -> int:
        return self.full_location.level

    @property
    def room(self) -> int:
        return self.full_location.room

    @property
    def x(self) -> int:
        return self.full_location.x

    @property
    def y(self) -> int:
        return self.full_location.y

    @property
    def facing_right(self) -> int:
        return 1 if self._byte(52) >= 128 else 0

    @property
    def jump(self) -> int:
        return self._byte(86)

    @property
    def lives(self) -> int:
        return self._byte(58)

    @property
    def score(self) -> int:
        """Six digits, two in each byte."""
        digits = []
        for address in (19, 20, 21):
            digits.append(self._byte(address) // 16)
            digits.append(self._byte(address) % 16)
        total = 0
        for digit in digits:
            total = total * 10 + digit
        return total

    @property
    def thing_x(self) -> int:
        return self._byte(44)

    @property
    def thing_y(self) -> int:
        return self._byte(45)

    @property
    def skull_x(self) -> int:
        return self._byte(47)

    @property
    def skull_y(self) -> int:
        return self._byte(46)

    @property
    def mallet(self) -> bool:
        return self._has_item(0)

    @property
    def key_1(self) -> bool:
        return self._has_item(1)

    @property
    def key_2(self) -> bool:
        return self._has_item(2)

    @property
    def key_3(self) -> bool:
        return self._has_item(3)

    @property
    def key_4(self) -> bool:
        return self._has_item(4)

    @property
    def sword_1(self) -> bool:
        return self._has_item(5)

    @property
    def sword_2(self) -> bool:
        return self._has_item(6)

    @property
    def torch(self) -> bool:
        return self._has_item(7)

    def _has_item(self, bit: int) -> bool:
        return bool(self._byte(65) & (1 << bit))


def _one(value: bool) -> float:
    return 1.0 if value else 0.0


class InformationVector:
    """The facts as a tensor: small tensors put together, objectives by a method of their own (seed 004)."""

    def get(self, game: MontezumaGame) -> Any:
        status = torch.zeros(rules.FIRST_ITEM)
        items = torch.zeros(rules.ITEMS)
        for i, (name, scale) in enumerate(rules.ATTRIBUTES):
            value = getattr(game, name)
            if isinstance(value, bool):
                items[i - rules.FIRST_ITEM] = _one(value)
            else:
                status[i] = value / scale
        loaded = torch.tensor([_one(game.current_room.is_loaded)])
        return torch.cat([status[: rules.FIRST_ITEM], items, self._get_objectives_vector(game), loaded])

    def _get_objectives_vector(self, game: MontezumaGame) -> Any:
        result = torch.zeros(len(rules.DIRECTIONS))
        result[0] = _one(game.thing_x < game.full_location.x)
        result[1] = _one(game.thing_x > game.full_location.x)
        result[2] = _one(game.thing_y > game.full_location.y)
        result[3] = _one(game.thing_y < game.full_location.y)
        return result
