"""`goldsplit try`: which remedies to try, for how long, and what came of them."""
