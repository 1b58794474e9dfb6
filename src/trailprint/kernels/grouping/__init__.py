"""Groups of similar rows, for micro-aggregation: first a `selection`, then a `refinement`."""
