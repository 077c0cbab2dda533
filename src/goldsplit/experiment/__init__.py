"""Experiments: plan → interleaved trials → comparison → verdict. Files between; each step can be done
again."""
