"""A look at the source of hot functions: ways of writing that are slow, what a call needs."""
