"""
The result of an audit as a tree of frozen dataclasses, with one way to write and to read it.

``findings`` is the root; ``attacks``, ``growth``, ``protections`` and ``data`` are its branches;
``kept`` is what single parts store; ``plain`` turns any of them into JSON values and back.
"""
