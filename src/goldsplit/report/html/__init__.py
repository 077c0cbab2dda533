"""Report and Detail → one self-contained HTML page."""
