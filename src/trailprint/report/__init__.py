"""Pages, charts and files made from results. Nothing is computed here."""
