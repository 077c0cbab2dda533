"""Recording → Profile: pure functions over plain data."""
