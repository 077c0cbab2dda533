"""The commands that try something and judge it: one file each."""
