"""One file per workflow of the Python API: features, attack and evaluation put together."""
