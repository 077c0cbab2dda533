"""What can go wrong in a duel: each error says what happened and, after `hint:`, what to do."""

from __future__ import annotations

from goldsplit.errors import GameError


class DuelError(GameError):
    """Something about a duel that its player can fix."""


class ServerLostError(DuelError):
    """The battle server ended, or does not answer."""


class SpecError(DuelError):
    """A feature file that cannot be used."""
