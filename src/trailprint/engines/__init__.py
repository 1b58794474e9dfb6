"""
Who runs the passes over all pairs: threads of this process, or the tasks of a Spark cluster.

An engine takes a pass (see `trailprint.kernels.passes`), cuts it into blocks and fills its result,
block by block in order. It knows no kernel: it is told the name of one.
"""
