"""Unnikrishnan and Naini 2013, matching statistics: every experiment of the paper."""

from __future__ import annotations

from trailprint.papers.unnikrishnan_naini_2013.experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
