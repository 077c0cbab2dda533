"""What runs inside the user's processes: standard library only, and never in the program's way."""
