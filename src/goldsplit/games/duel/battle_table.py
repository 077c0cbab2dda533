"""The battles of one connection and what can be asked of them: a request is one line, so is each answer.

- `{"op": "reset", "seeds": [7, null, ...]}` and `{"op": "play", "actions": [3, -1, ...]}` (-1: a new battle):
  one short answer for all battles, `{"games": [[reward, terminated, truncated, winner, reason, turn, my_hp,
  foe_hp, valid, view]]}`.
- `{"op": "start", "seed": 7}` and `{"op": "choose", "action": 3}`: one battle told at length, one line for
  each event and at last a `request` with everything by name.
- What cannot be done is answered by `{"error": "..."}`: no client waits in vain.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from goldsplit.games.duel.battle_view import long_view, short_view
from goldsplit.games.duel.rules import Battle

#: The action that begins a new battle.
NEW_BATTLE = -1

Request = dict[str, Any]
Answers = list[dict[str, Any]]


class RefusedError(Exception):
    """A request that the server understood but cannot do."""


class BattleTable:
    """One connection's battles."""

    def __init__(self) -> None:
        self._battles: list[Battle] = []
        self._operations: dict[str, Callable[[Request], Answers]] = {
            "reset": self._reset,
            "play": self._play,
            "start": self._start,
            "choose": self._choose,
        }

    def answer(self, line: bytes) -> Answers:
        """The lines that answer one line."""
        try:
            request = json.loads(line)
            return self._operations[request["op"]](request)
        except RefusedError as problem:
            return [{"error": str(problem)}]
        except Exception as problem:  # whatever it is, the client has to hear of it
            said = f"{type(problem).__name__}: {problem}"
            return [{"error": f"not understood: {line[:80].decode(errors='replace')} ({said})"}]

    def _reset(self, request: Request) -> Answers:
        self._begin([_whole(seed, or_none=True) for seed in request["seeds"]])
        return self._short()

    def _begin(self, seeds: list[int | None]) -> None:
        """New battles; the dice of a seat go on where it gets no seed."""
        if len(seeds) == len(self._battles):
            for battle, seed in zip(self._battles, seeds, strict=True):
                battle.reset(seed)
            return
        given = [seed for seed in seeds if seed is not None]
        if len(given) < len(seeds):  # without one, all clients would get the same battle
            raise RefusedError("the first reset of a seat needs a seed")
        self._battles = [Battle(seed) for seed in given]

    def _play(self, request: Request) -> Answers:
        self._advance([_whole(action) for action in request["actions"]])
        return self._short()

    def _advance(self, actions: list[int]) -> None:
        if len(actions) != len(self._battles):
            raise RefusedError(f"{len(actions)} actions for {len(self._battles)} battles")
        pairs = list(zip(self._battles, actions, strict=True))
        for number, (battle, action) in enumerate(pairs):
            if action != NEW_BATTLE and (battle.terminated or battle.truncated):
                raise RefusedError(f"battle {number} is over")
        for battle, action in pairs:
            if action == NEW_BATTLE:
                battle.reset()
            else:
                battle.step(action)

    def _short(self) -> Answers:
        return [{"games": [[*_outcome(battle), short_view(battle)] for battle in self._battles]}]

    def _start(self, request: Request) -> Answers:
        self._begin([_whole(request["seed"], or_none=True)])
        return _told(self._battles[0])

    def _choose(self, request: Request) -> Answers:
        if len(self._battles) != 1:
            raise RefusedError("there is no battle: start one first")
        self._advance([_whole(request["action"])])
        return _told(self._battles[0])


def _whole(number: Any, *, or_none: bool = False) -> Any:
    if type(number) is int or (or_none and number is None):
        return number
    raise RefusedError(f"{number!r} is no whole number")


def _outcome(battle: Battle) -> list[Any]:
    mine, foes = battle.teams
    valid = sum(bit << action for action, bit in enumerate(battle.valid()))
    ends = [battle.terminated, battle.truncated, battle.winner, battle.reason]
    return [battle.reward, *ends, battle.turn, mine.hp(), foes.hp(), valid]


def _told(battle: Battle) -> Answers:
    """The battle's last decision at length."""
    lines: Answers = [
        {"event": what, "side": side, "name": name, "number": number}
        for what, side, name, number in battle.events
    ]
    reward, terminated, truncated, winner, reason, turn, my_hp, foe_hp, _ = _outcome(battle)
    lines.append(
        {
            "event": "request",
            "state": long_view(battle),
            "valid": battle.valid(),
            "reward": reward,
            "terminated": terminated,
            "truncated": truncated,
            "info": {"winner": winner, "reason": reason, "turn": turn, "my_hp": my_hp, "foe_hp": foe_hp},
        }
    )
    return lines
