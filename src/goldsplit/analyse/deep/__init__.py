"""The deep look of all processes put together: calls, repeated arguments, caches, single lines."""
