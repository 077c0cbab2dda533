"""Drive an environment alone: a separate program, `python -m goldsplit.record.drive TARGET`.

`goldsplit env` starts it below the recorder; it can also be run without. What it measures with its own clock
it writes as JSON: into the run directory, or to stdout where nothing records.
"""
