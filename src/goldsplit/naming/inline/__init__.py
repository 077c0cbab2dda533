"""Games and learners that stand in the lines of a loop, without functions of their own."""
