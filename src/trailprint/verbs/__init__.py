"""One file per verb of the Python API: features, attack and evaluation put together."""
