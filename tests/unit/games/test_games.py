"""The package of games: what importing it does, and what it does not."""

from __future__ import annotations

import subprocess
import sys

import gymnasium

import goldsplit.games


def test_every_game_has_its_three_ids() -> None:
    wanted = {
        f"goldsplit/{game.capitalize()}-{twin}-v0"
        for game in goldsplit.games.GAMES
        for twin in ("plain", "fast", "batch")
    }
    assert wanted <= set(gymnasium.registry)


def test_registering_again_changes_nothing() -> None:
    before = dict(gymnasium.registry)
    goldsplit.games.register_all()
    assert dict(gymnasium.registry) == before


def test_importing_it_loads_no_compiler_and_no_torch() -> None:
    code = "import goldsplit.games, sys; print({'numba', 'torch', 'ale_py'} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"
