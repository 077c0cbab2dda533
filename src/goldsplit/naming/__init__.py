"""What the user's functions are for: read from their source, by names, data flow and structure.

The flow: `program` finds the source files, `source` reads each into plain facts, `calls` finds out which
function each call means, `roles` decides, and `named_code` (in `model`) is the result.
"""
