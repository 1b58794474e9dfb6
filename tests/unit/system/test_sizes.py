"""Sizes as people write them."""

from __future__ import annotations

import pytest

from trailprint.system.sizes import parse_size


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("2GB", 2 * 10**9), ("1kb", 1000), (" 1.5 MiB ", 1_572_864), ("3TiB", 3 * 1024**4)],
)
def test_sizes_are_read(text, n_bytes):
    assert parse_size(text) == n_bytes


@pytest.mark.parametrize("text", ["", "2", "GB", "-1GB", "2 G", "1e3MB", "nanMB"])
def test_what_is_no_size_is_none(text):
    assert parse_size(text) is None
