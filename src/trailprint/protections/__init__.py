"""Protections that a custodian can apply to a release, and what each of them costs."""
