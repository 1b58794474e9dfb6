"""Everything relational: reading, known layouts, shaping, filtering and splitting of events."""
