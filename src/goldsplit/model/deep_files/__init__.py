"""What the deep look writes into run files: the names, and the records as they are read."""
