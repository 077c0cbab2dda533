"""Games whose states are values: moves that are only tried, and games that are only played for a score."""
