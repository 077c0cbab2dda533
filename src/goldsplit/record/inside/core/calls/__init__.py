"""Callables that take the place of the program's functions: spans, counters, watched functions."""
