"""Experiments, comparisons, sweeps and the ledger as text: renderers that compute nothing."""
