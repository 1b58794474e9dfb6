"""The same attack again and again: what changes when the data does."""
