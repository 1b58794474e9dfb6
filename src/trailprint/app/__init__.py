"""
The local web page: set up an audit, watch it, read it, protect, compare.

It computes nothing. Form fields are the flags of the commands, the commands do the work in separate
processes, and the pages show what they wrote.
"""
