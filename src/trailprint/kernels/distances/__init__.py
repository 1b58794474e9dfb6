"""Distances between sparse rows, between people's days, and from points to their nearest point."""
