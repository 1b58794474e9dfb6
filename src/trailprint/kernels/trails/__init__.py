"""Trails as sets of locations: equality, containment, peeling, and each without one location."""
