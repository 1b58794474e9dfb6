"""Sections of an audit besides its attacks: growth, causes, protections, points."""
