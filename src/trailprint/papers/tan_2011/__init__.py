"""Tan et al. 2011, correlation of association logs: every experiment of the paper."""

from __future__ import annotations

from trailprint.papers.tan_2011.figures import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
