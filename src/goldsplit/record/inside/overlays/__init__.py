"""Remedies applied to an unmodified program: one module for each overlay of `model/overlays/overlay.py`.

Each module has `install(changes, argument)`; its docstring is the overlay's page. What an overlay changes it
counts with `changes`. A module with `AFTER_HOOKS` wraps functions around the recorder's own wrappers.
"""

from __future__ import annotations

import importlib

from goldsplit.model.overlays.written import parse_overlay
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.own_failures import harmless


def install(texts: list[str], after_hooks: bool) -> None:
    """Put the overlays on that belong before (or after) the recorder's hooks."""
    for text in texts:
        with harmless(f"the overlay {text}"):
            chosen = parse_overlay(text)
            module = importlib.import_module(f"{__name__}.{chosen.overlay.place}")
            if getattr(module, "AFTER_HOOKS", False) == after_hooks:
                module.install(Changes(text), chosen.argument)
