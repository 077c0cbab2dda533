"""Retro, plain twin: the way of seed 004, whose author trained on a console emulator. Right, but slow.

Its faults, all described in the seed:
- the picture of each of the four frames of a step is fetched, though one is used (frame skip around `act`);
- every frame of the stack becomes a float tensor of its own in each step, and then they are stacked;
- the whole frames are made float and gray before they are cropped and thinned out;
- the gray weights get their shape in each call, and scaling is an operation of its own;
- a membership test over all tiles at every access (`Room.is_loaded`), a location made anew at every access,
  20 attributes compared by method calls, the vector of facts put together from small tensors
  (`plain_state.py`, `plain_critics.py`);
- an action becomes an array of buttons and back for every single frame.
"""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from goldsplit.games.dice import Dice
from goldsplit.games.retro import retro_rules as rules
from goldsplit.games.retro.emulator import needed, new_emulator, restored, saved
from goldsplit.games.retro.plain_critics import GameplayCritic, StateChange
from goldsplit.games.retro.plain_state import InformationVector, MontezumaGame

torch = needed("torch", "pip install 'goldsplit[torch]'")

GRAYSCALE_WEIGHTS = torch.FloatTensor([rules.RED, rules.GREEN, rules.BLUE])

BUTTONS = ["FIRE", "UP", "RIGHT", "LEFT", "DOWN"]
ACTION_NAMES = [
    "NOOP",
    "FIRE",
    "UP",
    "RIGHT",
    "LEFT",
    "DOWN",
    "UP RIGHT",
    "UP LEFT",
    "DOWN RIGHT",
    "DOWN LEFT",
    "UP FIRE",
    "RIGHT FIRE",
    "LEFT FIRE",
    "DOWN FIRE",
    "UP RIGHT FIRE",
    "UP LEFT FIRE",
    "DOWN RIGHT FIRE",
    "DOWN LEFT FIRE",
]


def action_to_array(action: int) -> list[int]:
    """The buttons that are down for an action."""
    names = ACTION_NAMES[action].split(" ")
    return [1 if button in names else 0 for button in BUTTONS]


def array_to_action(buttons: list[int]) -> int:
    """The emulator's number for buttons that are down."""
    for i in range(len(ACTION_NAMES)):
        if action_to_array(i) == buttons:
            return i
    return 0


class RetroPlain(gymnasium.Env[Any, Any]):
    """One game; `max_steps` ends an episode that does not end by itself."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(self, max_steps: int = 1000, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.max_steps = rules.checked_steps(max_steps)
        self.observation_space, self.action_space = rules.single_spaces()
        self.emulator = new_emulator(1)
        self.dice: Dice | None = None
        self.critic = GameplayCritic()
        self.information = InformationVector()
        self.frames: deque[NDArray[np.uint8]] = deque(maxlen=rules.STACK)
        self.game: MontezumaGame | None = None
        self.playing = False
        self.step_count = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None or self.dice is None:
            self.dice = Dice(int(self.np_random.integers(1 << 62)) if seed is None else seed)
        self.playing = True
        self.step_count = 0
        self.emulator.reset_game()
        frame = self.emulator.getScreenRGB()
        for _ in range(1 + self.dice.below(rules.MOST_NOOPS)):
            frame = self._tick(0)
        for _ in range(rules.STACK):
            self.frames.append(frame)
        self.game = self._read_game()
        self.critic.clear(self.game)
        rewards = dict.fromkeys(rules.CRITICS, 0.0)
        return self._get_image_observation(), self._get_info(self.game, rewards, "")

    def step(self, action: Any) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        if action not in range(rules.ACTIONS):
            raise rules.unknown_action(action)
        if not self.playing:
            raise rules.no_game()
        self.step_count += 1
        for _ in range(rules.FRAME_SKIP):
            frame = self._tick(int(action))
            if self.emulator.game_over():
                break
        terminated = self.emulator.game_over()
        truncated = not terminated and self.step_count >= self.max_steps
        self.playing = not terminated and not truncated
        reason = "lives" if terminated else "time" if truncated else ""
        observation, reward, info = self.look(frame, reason)
        return observation, reward, terminated, truncated, info

    def look(self, frame: NDArray[np.uint8], reason: str) -> tuple[NDArray[np.uint8], float, dict[str, Any]]:
        """Observation, reward and info after a step, from the newest frame and the emulator's RAM."""
        self.frames.append(frame)
        game = self._read_game()
        assert self.game is not None
        rewards = self.critic.critique(StateChange(self.game, game))
        self.game = game
        total = 0.0
        for reward in rewards.values():
            total += reward
        return self._get_image_observation(), total, self._get_info(game, rewards, reason)

    def action_masks(self) -> NDArray[np.bool_]:
        """Every action does something in some place of the game: all are valid."""
        return np.array([True for _ in range(rules.ACTIONS)])

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: the emulator's state instead of the emulator."""
        return {**self.__dict__, "emulator": saved(self.emulator)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.emulator = new_emulator(1)
        restored(self.emulator, state["emulator"])

    def _tick(self, action: int) -> NDArray[np.uint8]:
        buttons = action_to_array(action)
        self.emulator.act(array_to_action(buttons))
        frame: NDArray[np.uint8] = self.emulator.getScreenRGB()
        return frame

    def _read_game(self) -> MontezumaGame:
        return MontezumaGame(self.emulator.getRAM(), self.emulator.getScreen())

    def _get_stacked_frames(self) -> Any:
        frames = []
        for frame in self.frames:
            frames.append(torch.as_tensor(frame, dtype=torch.float32).permute(2, 0, 1))  # noqa: PERF401
        return torch.stack(frames)

    def _get_image_observation(self) -> NDArray[np.uint8]:
        frames = self._get_stacked_frames()
        gray = (frames * GRAYSCALE_WEIGHTS.view(1, -1, 1, 1)).sum(dim=1)
        gray = torch.floor(gray / 256.0 + 0.5)
        bottom = rules.CROP_TOP + rules.CROP_ROWS
        cropped = gray[:, rules.CROP_TOP : bottom, :]
        small = cropped[:, :: rules.STRIDE, :: rules.STRIDE]
        image: NDArray[np.uint8] = small.to(torch.uint8).contiguous().numpy()
        return image

    def _get_info(self, game: MontezumaGame, rewards: dict[str, float], reason: str) -> dict[str, Any]:
        return {
            "facts": self.information.get(game).numpy(),
            "critics": np.array([rewards[name] for name in rules.CRITICS]),
            "score": game.score,
            "room": game.full_location.room,
            "lives": game.lives,
            "steps": self.step_count,
            "end_reason": reason,
        }
