"""The deep look: short scheduled windows in which the calls of the user's own code are seen one by one.

`schedule` says when. `controller` opens and closes windows and keeps to the budget, by what `costs` measures.
`watch` books calls; `profile_events` and `wrapping` (Python 3.11) or `monitoring_events` (3.12 and later)
report them. `compare` and `values` tell repeated arguments and results. `sites`, with its table, sees single
lines, `torch_sites` and `native_sites` those that no name leads to; `caches` audits caches. `lines` writes.
"""
