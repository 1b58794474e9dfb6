"""
The local page: set up an audit, watch it, read it, protect, compare.

It computes nothing. Forms are the flags of the commands, work is done by commands in processes of
their own, and pages show what those wrote.
"""
