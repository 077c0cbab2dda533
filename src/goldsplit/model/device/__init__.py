"""A GPU: what a process wrote about it, and what the report says of it."""
