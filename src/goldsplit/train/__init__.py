"""Trainers for the games: `dqn.py` and `ppo.py`, each one file to read from top to bottom.

    goldsplit train dqn --game skirmish --profile speed

Both run in two surroundings: `plain`, the way hobby authors write them, and `fast`, with the parts of
`goldsplit.fast`. The algorithm and its numbers are the same; only the speed differs.
"""
