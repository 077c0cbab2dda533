"""The deep look: short scheduled windows in which the calls of the user's own code are seen one by one.

`window_schedule` says when. `controller` opens and closes windows and keeps to the `budget`; `costs` measures
what looking costs. `call_watch` counts calls and their time; `profile_events` and `wrapping` (Python 3.11) or
`monitoring_events` (3.12 and later) report them. `most_expensive` chooses the functions to look at again.
`compare` finds repeated arguments and results, by keys that `values` makes; `attributes` reads objects.
`sites` sees single lines that call a function of `site_table` or `builtin_text`; `torch_sites` and
`native_sites` see those whose callee cannot be replaced. `caches` watches the user's caches. `deep_line`
makes the line that is written.
"""
