"""Compiled numerical loops; they take and return plain arrays."""
