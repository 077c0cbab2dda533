"""The observation alone, from one fixed state of a battle: for measurements of the twins."""

from __future__ import annotations

from collections.abc import Callable

from goldsplit.games.duel.battle_view import long_view, short_view
from goldsplit.games.duel.errors import DuelError
from goldsplit.games.duel.rules import Battle

SEED = 17
DECISIONS = 6


def fixed_battle() -> Battle:
    """A battle in its middle: several monsters seen, some hurt."""
    battle = Battle(SEED)
    for _ in range(DECISIONS):
        battle.step(battle.valid().index(True))
    return battle


def observation_path(kind: str) -> Callable[[], None]:
    """One observation for each call: from a message that was decoded already to the array."""
    battle = fixed_battle()
    if kind == "plain":
        from goldsplit.games.duel.formulas import SPEC
        from goldsplit.games.duel.plain import BattleState, StateObserver

        observer, message = StateObserver(SPEC), long_view(battle)
        return lambda: _drop(observer.observe(BattleState(message)))
    if kind == "fast":
        from goldsplit.games.duel.fast import observation_of
        from goldsplit.games.duel.formulas import compiled

        (observe, _), view = compiled(), short_view(battle)
        return lambda: _drop(observation_of(observe, view))
    raise DuelError(f"there is no {kind} observation", "plain or fast")


def _drop(_: object) -> None:
    """A measurement needs no result."""
