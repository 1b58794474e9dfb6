"""How results are displayed: numbers, tables, plots; identifiers are never shown."""
