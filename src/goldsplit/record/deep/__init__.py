"""The deep look: short scheduled windows in which every call of the user's own code is seen.

`schedule` says when, `controller` opens and closes windows and keeps to the budget, `watch` books calls that
`profile_events` (Python 3.11) or `monitoring_events` (3.12 and later) report, `compare` and `values` tell
repeated arguments and results, `sites` and `torch_sites` see single lines, `caches` audits caches.
"""
