"""Sampled stacks: which stage each is in, hot functions, flame trees, source lines."""
