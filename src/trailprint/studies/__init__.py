"""Studies that repeat an attack to see how its outcome changes with the data."""
