"""How risk changes with people, time, knowledge and resolution."""
