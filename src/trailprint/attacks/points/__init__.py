"""
What a few known points reveal about one person.

There is no linking across two periods here: the adversary knows some points of a person's own
released trace, and the question is who else in the release matches them.
"""
