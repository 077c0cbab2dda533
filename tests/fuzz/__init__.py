"""Search for inputs that break goldsplit: `make fuzz`."""
