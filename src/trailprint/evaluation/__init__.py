"""Risk computed from linkage and truth: rates, intervals, curves."""
