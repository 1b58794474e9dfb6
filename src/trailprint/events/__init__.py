"""Events as relational data: reading, known layouts, shaping, filtering and splitting."""
