"""The command line: one file per command; parse, call, present, translate errors."""
