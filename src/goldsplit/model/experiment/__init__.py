"""An experiment as plain data: how it was designed, what its trials measured, what was concluded."""
