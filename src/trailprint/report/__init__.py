"""Results drawn: pages, charts and files. Nothing here computes."""
