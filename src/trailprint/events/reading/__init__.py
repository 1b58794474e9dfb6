"""Reading of files, tables and data frames into clean events."""
