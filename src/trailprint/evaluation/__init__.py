"""Linkage and truth to risk: rates, intervals, curves."""
