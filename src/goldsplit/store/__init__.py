"""Recording ↔ disk: where runs are, how they are found, how they are read."""
