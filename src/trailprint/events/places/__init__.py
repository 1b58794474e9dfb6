"""Places: stays from position fixes, grid cells, regions and truncated names."""
