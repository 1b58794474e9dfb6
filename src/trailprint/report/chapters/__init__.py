"""What the audit's report says, one file per chapter: a result in, blocks of a page out."""
