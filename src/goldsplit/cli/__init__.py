"""The command line: one file per command, one explicit list of them in `main`."""
