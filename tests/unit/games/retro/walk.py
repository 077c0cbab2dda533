"""A way through the first room of Montezuma's Revenge that somebody who learned it would go.

It was found by a search over saved states of the emulator: down to the skull, the key, back up, through a
door that the key opens, into the next room. Each entry is an action and for how many steps it is held.
"""

from __future__ import annotations

#: The first start: the player may move after one frame.
SEED = 12
THROUGH_THE_DOOR = """
1x2 13x2 2x5 14x1 11x1 15x2 7x1 10x2 16x5 4x1 0x1 16x6 13x4 8x10 13x5 12x2 7x9 12x3 7x12 9x1
17x1 4x1 0x2 10x10 16x1 4x2 10x1 6x3 7x1 0x6 13x13 6x3 16x1 13x6 6x1 11x2 12x2 16x3 14x4 6x6 8x1
6x1 2x13 17x3 13x3 9x14 15x1 8x1 0x2 2x6 14x2 1x1 15x1 2x6 10x2 4x2 5x4 8x1 4x2 13x4 0x2 15x1
13x4 7x6 10x2 12x2 8x1 3x3 9x2 17x1 6x2 13x1 14x1
"""


def actions() -> list[int]:
    """One action for each step of the way."""
    held = [entry.split("x") for entry in THROUGH_THE_DOOR.split()]
    return [int(action) for action, times in held for _ in range(int(times))]
