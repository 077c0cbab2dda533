"""Drive an environment alone: a program of its own, `python -m goldsplit.record.drive TARGET`.

It is started below the recorder by `goldsplit env`, and can be run without it. What it measures with its own
clock it writes as JSON: into the run directory, or to stdout where nothing records.
"""
