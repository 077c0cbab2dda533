"""What `goldsplit env` measures and writes: a game without its training."""
