"""Compiled board kernels: ``hex`` for hexagonal boards, ``grid`` for square ones.

Each kernel has a twin in plain Python (``hex_reference``, ``grid_reference``) that says the same thing
slowly; the contract tests compare the two on random boards. Kernels are compiled by Numba on the first call
and kept on disk, so that later processes start warm.
"""
