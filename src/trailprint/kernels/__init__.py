"""Compiled loops over plain arrays: arrays in, arrays out."""
