"""Protections: what a custodian can do to a release, and what each of them costs."""
