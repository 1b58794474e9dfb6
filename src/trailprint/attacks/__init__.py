"""The attacks: one file per family; features in, a linkage out."""
