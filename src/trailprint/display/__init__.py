"""How results show themselves: numbers, tables, plots; identifiers stay out of sight."""
