"""Turn events into arrays, the only input of attacks."""
