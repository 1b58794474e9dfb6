"""
Engines that run the passes over all pairs: threads of this process, or tasks on a Spark cluster.

An engine takes a pass (see `trailprint.kernels.passes`), cuts it into blocks and fills its result,
block by block in order. It does not depend on any kernel: it is given a kernel's name.
"""
