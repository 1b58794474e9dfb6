"""Synthetic populations with known truth."""
