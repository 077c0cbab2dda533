"""Overlays that are no remedies: they remove, replace or slow a part, to see what it is worth."""
