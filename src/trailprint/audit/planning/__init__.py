"""What an audit will do, how long it takes, how much memory, and what gives way."""
