"""The nouns: plain frozen data, no input or output, nothing heavy imported."""
