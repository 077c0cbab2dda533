"""Recording ↔ disk: where runs lie, how they are found, how they are read."""
