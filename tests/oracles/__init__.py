"""
Naive twins: slow, plainly right definitions that kernels and attacks must equal.

One module for each room of the kernels, and one for sequences. Each twin exists once, and none
calls what it is the twin of.
"""
