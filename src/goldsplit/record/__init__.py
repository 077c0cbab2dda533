"""Running program → recording, in three folders.

`inside/` runs in the user's processes (standard library only), `outside/` beside them, and `drive/` is the
program that steps an environment alone. `writer` is used by both sides.
"""
