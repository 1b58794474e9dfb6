"""
Naive twins: slow, obviously correct definitions that kernels and attacks must equal.

One module per topic. Each twin exists once, and none
calls what it is the twin of.
"""
