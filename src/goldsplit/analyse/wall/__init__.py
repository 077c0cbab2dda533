"""Every instant of the driver gets one owner: partition, waits and their causes, threads beside it."""
