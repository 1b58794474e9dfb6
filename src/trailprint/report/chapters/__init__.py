"""Chapters of the audit's report, one per file: a result in, blocks of a page out."""
