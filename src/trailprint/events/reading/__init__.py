"""From what a user has, files, tables, frames, to clean events."""
