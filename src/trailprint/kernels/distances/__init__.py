"""Distances between sparse rows, between people's days, and between sets of points."""
