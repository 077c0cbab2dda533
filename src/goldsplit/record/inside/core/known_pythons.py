"""Which interpreters the compiled core is tested with; others record in Python, and the report says so."""

from __future__ import annotations

import sys

FIRST_UNKNOWN = (3, 14)


def why_unknown() -> str:
    """Why this interpreter is not one that goldsplit is tested with; "" where it is."""
    version = ".".join(map(str, sys.version_info[:2]))
    if "free-threading" in sys.version:
        version += " without a GIL"
    elif sys.version_info < FIRST_UNKNOWN:
        return ""
    return f"Python {version} is not tested with goldsplit: recorded by its slower core in Python"
