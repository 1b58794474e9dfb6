"""
What a few known points reveal about one person.

Nothing is linked across two periods here: the adversary knows some points of a person's own
released trace, and the question is who else in the release agrees with them.
"""
