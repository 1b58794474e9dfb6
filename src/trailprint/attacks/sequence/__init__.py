"""Sequence correlation (2011 paper): per-person models, their scores, and simpler baselines."""
