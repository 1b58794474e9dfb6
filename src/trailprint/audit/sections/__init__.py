"""What an audit finds out beside its attacks: growth, causes, protections, points."""
