"""Passes as tasks of a Spark cluster; the only part of the engines that imports pyspark."""
