"""The hot functions of a process, watched for the whole run.

`function_watch` chooses and looks after them: those of `hot_list`, which the launcher writes from samples of
stacks, and those that a look at all calls has shown; `code_index` finds their code. `wrapping` (Python 3.11)
or `reported_calls` (3.12 and later) let the core count and time their calls. `watched_function` decides which
calls are looked at closely; `compare` finds repeated arguments and results, `argument_groups` arguments that
calls of one step share. `counted_steps` counts steps. `watched_line` makes the line that is written.
"""
