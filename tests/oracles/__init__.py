"""
Naive twins: slow, obviously correct definitions that kernels and attacks must equal.

One module for each room of the kernels, and one for sequences. Each twin exists once, and none
calls what it is the twin of.
"""
