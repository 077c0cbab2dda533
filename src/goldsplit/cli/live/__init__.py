"""What a terminal shows while a recording goes on."""
