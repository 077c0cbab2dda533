"""What speaks for a function's being a step, and what against it."""
