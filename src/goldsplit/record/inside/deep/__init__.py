"""The deep look: hot functions are watched for the whole run (`watched`), and in short scheduled windows
single lines, and now and then all calls of the user's own code, are seen one by one.

`window_schedule` says when. `controller` opens and closes windows and keeps to the `budget`; `costs` measures
what looking costs. `call_watch` counts all calls and their time; `profile_events` (Python 3.11) or
`monitoring_events` (3.12 and later) report them. `most_expensive` names functions to watch. `values` makes
keys of values; `attributes` reads objects. `sites` sees single lines that call a function of `site_table` or
`builtin_text`; `torch_sites` and `native_sites` see those whose callee cannot be replaced. `caches` watches
the user's caches. `deep_line` makes the line that is written.
"""
