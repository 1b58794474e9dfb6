"""
The result of an audit as a tree of frozen dataclasses, with one way to write and read it.

``findings`` is the root; ``attacks``, ``growth``, ``protections`` and ``data`` are its branches;
``kept`` is what single parts store. `trailprint.plain` converts all of them to JSON values and
back.
"""
