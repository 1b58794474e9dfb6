"""Planning of an audit: its parts, their time and memory, and what is left out."""
