"""Duel as its author would write it: the plain twin.

Faults, all of seed 002's project (battles over a local server, a thread pool, features in a YAML file):

- the text of every feature is given to `eval` for every observation: hundreds of compilations for one
  decision (`eval` runs whatever the file says, so only a file of your own belongs there);
- the feature file is read and parsed again for every battle, by PyYAML's loader in Python;
- every decision rebuilds all twelve monsters and their 48 moves as objects, from a message that repeats all
  their names;
- the server's events come as single lines, each handled for itself, by an asyncio client in a second thread
  (`plain_client.py`): every decision hops from the player's thread to the client's and back.

Slow, but right: it gives the same answers as the other twins, bit for bit.
"""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import yaml
from gymnasium import spaces
from numpy.typing import NDArray

from goldsplit.games.duel import bestiary
from goldsplit.games.duel.bestiary import ACTIONS
from goldsplit.games.duel.errors import DuelError, SpecError
from goldsplit.games.duel.formula_words import clip
from goldsplit.games.duel.formulas import SPEC, cannot_be_computed
from goldsplit.games.duel.line_socket import SECONDS_TO_ANSWER
from goldsplit.games.duel.plain_client import BattleClient


class Mon:
    """A monster as the player sees it."""

    def __init__(self, data: dict[str, Any]) -> None:
        for key, value in data.items():
            if key != "moves":
                setattr(self, key, value)
        self.moves = [MonMove(move) for move in data["moves"]]


class MonMove:
    def __init__(self, data: dict[str, Any]) -> None:
        for key, value in data.items():
            setattr(self, key, value)


class Side:
    def __init__(self, data: dict[str, Any]) -> None:
        self.active = Mon(data["active"])
        self.bench = [Mon(mon) for mon in data["bench"]]


class BattleInfo:
    def __init__(self, data: dict[str, Any]) -> None:
        for key, value in data.items():
            setattr(self, key, value)


class BattleState:
    """All that the last message told."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.battle = BattleInfo(state["battle"])
        self.me = Side(state["me"])
        self.foe = Side(state["foe"])


class StateObserver:
    """Makes the observation from the feature file."""

    def __init__(self, spec_path: Path) -> None:
        try:
            spec = yaml.safe_load(spec_path.read_text(encoding="utf-8"))
            self.features = []
            for group_name, group in spec["features"].items():
                for name, text in group.items():
                    self.features.append({"name": group_name + "." + name, "expr": str(text)})
        except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, AttributeError, TypeError) as problem:
            raise SpecError(
                f"{spec_path.name} cannot be used: {problem!r}", "see features.yaml of goldsplit.games.duel"
            ) from None
        if not self.features:
            raise SpecError(
                f"{spec_path.name} has no features",
                "write `features:`, groups in it, and `name: text` in each",
            )

    def observe(self, state: BattleState) -> NDArray[np.float32]:
        context = self.make_context(state)
        values = []
        for feature in self.features:
            try:
                value = eval(feature["expr"], context)
                values.append(float(value))
            except Exception as problem:  # a text can fail in any way that Python knows
                raise cannot_be_computed(feature["name"], problem) from problem
        return np.array(values, dtype=np.float64).astype(np.float32)

    def make_context(self, state: BattleState) -> dict[str, Any]:
        context: dict[str, Any] = {}
        for number, kind in enumerate(bestiary.KINDS):
            context[kind.upper()] = number
        for number, status in enumerate(bestiary.STATUSES):
            context[status.upper()] = number
        for number, effect in enumerate(bestiary.EFFECTS):
            context[effect.upper()] = number
        context["NO_KIND"] = bestiary.NO_KIND
        context["versus"] = bestiary.versus
        context["at_stage"] = bestiary.at_stage
        context["clip"] = clip
        context["battle"] = state.battle
        context["me"] = state.me
        context["foe"] = state.foe
        return context


class DuelPlain(gymnasium.Env[NDArray[np.float32], int]):
    """One battle after the other against the server's bot."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        spec: str | Path | None = None,
        timeout: float = SECONDS_TO_ANSWER,
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = render_mode
        self.spec_path = Path(spec) if spec is not None else SPEC
        self.observer = StateObserver(self.spec_path)
        shape = (len(self.observer.features),)
        self.observation_space = spaces.Box(-2.0, 2.0, shape, np.float32)
        self.action_space = spaces.Discrete(ACTIONS)
        self.client = BattleClient(timeout)
        self.last_message: dict[str, Any] = {"valid": [True] * ACTIONS}
        weakref.finalize(self, self.client.close)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        super().reset(seed=seed)
        if seed is None and not self.client.connected:
            seed = int(self.np_random.integers(1 << 62))
        self.observer = StateObserver(self.spec_path)
        self.client.battle_log = []
        self.last_message = self.client.ask({"op": "start", "seed": seed})
        return self.get_observation(), self.last_message["info"]

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        if not self.client.connected:
            raise DuelError("there is no battle", "call reset() first, in this process")
        self.last_message = self.client.ask({"op": "choose", "action": max(int(action), 0)})
        observation = self.get_observation()
        reward = float(self.last_message["reward"])
        terminated = bool(self.last_message["terminated"])
        truncated = bool(self.last_message["truncated"])
        return observation, reward, terminated, truncated, self.last_message["info"]

    def get_observation(self) -> NDArray[np.float32]:
        state = BattleState(self.last_message["state"])
        return self.observer.observe(state)

    def action_masks(self) -> NDArray[np.bool_]:
        """The valid actions; sb3-contrib's convention."""
        mask = []
        for action in range(ACTIONS):
            mask.append(bool(self.last_message["valid"][action]))  # noqa: PERF401
        return np.array(mask, dtype=bool)

    def close(self) -> None:
        self.client.close()
