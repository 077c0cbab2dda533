"""Trying many settings: sweeps and tuning."""
