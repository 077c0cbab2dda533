"""Source files, read into facts: functions, calls, values, loops."""
