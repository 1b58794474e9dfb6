"""
Every options class, under one roof.

The ones used most are also names of `trailprint` itself.
"""
