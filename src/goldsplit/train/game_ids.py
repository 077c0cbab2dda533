"""Which Gymnasium ids a `--game` stands for: short names of the games here, or any registered id.

Options of the game itself follow its name: `--game "snake size=8 flood_fill=true"`. Each value is written as
in TOML; what is no such value is a text.
"""

from __future__ import annotations

import tomllib
from typing import Any, NamedTuple

import gymnasium

import goldsplit.games  # registers them
from goldsplit.train.errors import TrainError, closest

__all__ = ["SHORT_NAMES", "GameIds", "find_game"]

SHORT_NAMES = tuple(goldsplit.games.GAMES)


class GameIds(NamedTuple):
    """The twins of one game; without twins all three are the same id."""

    name: str
    plain: str
    fast: str
    batch: str
    arguments: dict[str, Any]

    @property
    def has_batch(self) -> bool:
        """There is a twin that steps all games in one call."""
        return self.batch != self.fast and self.vector_entry(self.batch)

    def vector_entry(self, name: str) -> bool:
        """Whether Gymnasium can make this id as a vector environment of its own kind."""
        spec = gymnasium.registry.get(name)
        return spec is not None and spec.vector_entry_point is not None


def find_game(text: str) -> GameIds:
    """The ids of a game by short name or by id; an unknown name is answered with the closest one."""
    name, *words = text.split() or [""]
    arguments = dict(_argument(word, text) for word in words)
    if name.lower() in SHORT_NAMES:
        title = f"goldsplit/{name.capitalize()}"
        ids = GameIds(name.lower(), f"{title}-plain-v0", f"{title}-fast-v0", f"{title}-batch-v0", arguments)
        if ids.plain in gymnasium.registry:
            return ids
    if name in gymnasium.registry:
        return GameIds(name, name, name, name, arguments)
    known = {short.lower(): short for short in [*SHORT_NAMES, *gymnasium.registry]}
    hint = closest(name, known, f"games: {', '.join(SHORT_NAMES)}, or an id of gymnasium.registry")
    for lower, right in known.items():
        hint = hint.replace(repr(lower), repr(right))
    raise TrainError(f"there is no game {name!r}", hint)


def _argument(word: str, text: str) -> tuple[str, Any]:
    """One option of a game, `size=8`."""
    key, equals, value = word.partition("=")
    if not equals or not key.isidentifier() or not value:
        raise TrainError(
            f"{word!r} in the game {text!r} is no option", 'write options as in --game "snake size=8"'
        )
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key, value
