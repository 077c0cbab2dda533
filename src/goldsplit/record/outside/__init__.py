"""What runs beside the program: it starts it, samples its stacks, reads system figures."""
