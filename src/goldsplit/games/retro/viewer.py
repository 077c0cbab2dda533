"""N emulators and what was seen of them: the part that the fast twin (N = 1) and the batch twin share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldsplit.games.dice import Dice
from goldsplit.games.retro import retro_rules as rules
from goldsplit.games.retro.emulator import GRAYS, learn_grays, new_emulator, restored, saved, starts
from goldsplit.games.retro.retro_kernel import Answer, Sight, look, new_answer, new_memory


class Viewer:
    """Emulators with their dice, the screens and RAM that they wrote last, and what was seen of them."""

    def __init__(self, games: int) -> None:
        self.games = games
        self.emulators = [new_emulator(rules.FRAME_SKIP) for _ in range(games)]
        self.dice = [Dice(game) for game in range(games)]
        self.sight = Sight(
            np.zeros((games, *rules.SCREEN), np.uint8),
            np.zeros((games, rules.RAM_SIZE), np.uint8),
            np.zeros(games, np.bool_),
        )
        self._screens = list(self.sight.screens)  # views: a row is asked for in every step
        self._rams = list(self.sight.rams)
        self._memory = new_memory(games)
        self._slot = 0

    def begin(self, game: int) -> None:
        """Put one game to the start that its dice name: no frame is emulated, and none is drawn."""
        start = starts()[self.dice[game].below(rules.MOST_NOOPS)]
        self.emulators[game].restoreState(start.state)
        self._screens[game][:] = start.screen
        self._rams[game][:] = start.ram
        self.sight.first[game] = True

    def play(self, game: int, action: int) -> bool:
        """Hold one action for the frames of a step. True: no life is left."""
        emulator = self.emulators[game]
        emulator.act(action)
        emulator.getScreen(self._screens[game])
        emulator.getRAM(self._rams[game])
        self.sight.first[game] = False
        return bool(emulator.game_over())

    def see(self) -> Answer:
        """All games as players see them now, in fresh arrays."""
        answer = new_answer(self.games)
        self._slot = (self._slot + 1) % rules.STACK
        while (unknown := look(self.sight, self._memory, self._slot, GRAYS, answer)) >= 0:
            learn_grays(self.sight.screens[unknown], self.emulators[unknown])
        return answer

    def numbers(self) -> Any:
        """The attributes (games, 20) that were read last; not a copy."""
        return self._memory.before

    def state(self) -> dict[str, Any]:
        """Everything that decides what happens next, in parts of its own."""
        return {
            "emulators": [saved(emulator) for emulator in self.emulators],
            "dice": [dice.state for dice in self.dice],
            "slot": self._slot,
            "memory": [part.copy() for part in self._memory],
        }

    def restore(self, state: Mapping[str, Any]) -> NDArray[np.uint8]:
        """Go on from what `state` gave, here or in another process; the stacks that were seen last."""
        if len(state["emulators"]) != self.games:
            raise rules.RetroError(
                f"the state of {len(state['emulators'])} games does not fit {self.games}",
                "restore it with the same num_envs",
            )
        for game, dice in enumerate(self.dice):
            restored(self.emulators[game], state["emulators"][game])
            dice.state = state["dice"][game]
        memory: Sequence[NDArray[Any]] = self._memory
        for part, kept in zip(memory, state["memory"], strict=True):
            part[...] = kept
        self._slot = state["slot"]
        newest_last = [(self._slot + 1 + place) % rules.STACK for place in range(rules.STACK)]
        stacks: NDArray[np.uint8] = self._memory.ring[:, newest_last]
        return stacks

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickles: an emulator is made anew, and its state put into it."""
        return Viewer, (self.games,), self.state()

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.restore(state)
