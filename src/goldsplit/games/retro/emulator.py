"""The emulator (ale-py, loaded when a game is made), the states that episodes start from, its table of grays.

Montezuma's Revenge has no dice of its own, and sticky actions are off: what differs between episodes is how
many frames pass before the player may move.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldsplit.games.retro.retro_rules import MOST_NOOPS, RAM_SIZE, ROM, SCREEN, RetroError, gray_of

_SEED = 17
_INSTALL = "pip install 'goldsplit[games]'"


def needed(module: str, hint: str) -> Any:
    """An optional library, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        raise RetroError(f"Retro needs {module}, which cannot be imported: {missing}", hint) from missing


def new_emulator(frame_skip: int) -> Any:
    """An emulator with the game in it, just switched on; `act` holds its button for `frame_skip` frames."""
    library, roms = needed("ale_py", _INSTALL), needed("ale_py.roms", _INSTALL)
    library.ALEInterface.setLoggerMode(library.LoggerMode.Error)
    emulator = library.ALEInterface()
    emulator.setInt("random_seed", _SEED)
    emulator.setFloat("repeat_action_probability", 0.0)
    emulator.setInt("frame_skip", frame_skip)
    path = roms.get_rom_path(ROM)
    if path is None:
        raise RetroError(f"this ale_py does not know the game {ROM}", "pip install --upgrade ale-py")
    emulator.loadROM(path)
    emulator.reset_game()
    return emulator


def saved(emulator: Any) -> bytes:
    """The console in this moment as bytes. The picture is not part of it: the next frame draws it."""
    state: bytes = emulator.cloneState(include_rng=True).serialize()
    return state


def restored(emulator: Any, state: bytes) -> None:
    """Put an emulator of the same game into a saved moment."""
    emulator.restoreState(needed("ale_py", _INSTALL).ALEState(state))


class Start(NamedTuple):
    """A moment in which an episode starts. A state holds no picture, so that the screen lies beside it."""

    state: Any
    screen: NDArray[np.uint8]
    ram: NDArray[np.uint8]


@functools.cache
def starts() -> tuple[Start, ...]:
    """The start after 1, 2, ... frames of doing nothing, emulated once for all games of this process."""
    emulator = new_emulator(1)
    kept = []
    for _ in range(MOST_NOOPS):
        emulator.act(0)
        screen, ram = np.empty(SCREEN, np.uint8), np.empty(RAM_SIZE, np.uint8)
        emulator.getScreen(screen)
        emulator.getRAM(ram)
        kept.append(Start(emulator.cloneState(), screen, ram))
        learn_grays(screen, emulator)
    return tuple(kept)


#: The gray of each colour code, -1 where this process has not met the code. The emulator does not tell its
#: palette, but it gives a screen both as codes and as colours: a code is learned when it is first seen.
GRAYS: NDArray[np.int16] = np.full(256, -1, np.int16)


def learn_grays(screen: NDArray[np.uint8], emulator: Any) -> None:
    """Enter the codes of the emulator's screen into the table."""
    GRAYS[screen] = gray_of(emulator.getScreenRGB())
