"""Events to arrays: the only three shapes an attack ever sees."""
