"""Overlays: which there are, and how a user writes one."""
