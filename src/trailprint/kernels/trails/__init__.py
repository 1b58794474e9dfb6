"""Trails as sets of locations: equality, containment and peeling, also without one location."""
